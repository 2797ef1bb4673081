import Logging
import Platform
import Server

/// Writes events in the form of the request log, one line each.
struct LineLogHandler: LogHandler {
    let sink: LogSink
    let format: LogFormat
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let more = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let parts: [(name: String, value: LogValue)] = [
            ("time", .text(Timestamp.text(Clock.system.now()))), ("level", .text("\(event.level)")),
            ("message", .sentence("\(event.message)")),
        ]
        sink.write(format.line(parts + more.map { ($0.key, .text("\($0.value)")) }))
    }
}
