package import Logging
import Synchronization

/// A log handler that records every line.
package final class RecordingLog: Sendable {
    private let recorded = Mutex<[String]>([])
    private let onLine: @Sendable (String) -> Void

    /// - Parameter onLine: The function to call with each line.
    package init(_ onLine: @escaping @Sendable (String) -> Void = { _ in }) {
        self.onLine = onLine
    }

    /// The recorded lines, such as `warning: Disk full., path: /data`. The metadata is sorted by key.
    package var lines: [String] { recorded.withLock { $0 } }

    package var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    /// A logger that discards everything.
    package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private struct Handler: LogHandler {
        let log: RecordingLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { ", \($0.key): \($0.value)" }.joined()
            let line = "\(event.level): \(event.message)\(fields)"
            log.recorded.withLock { $0.append(line) }
            log.onLine(line)
        }
    }
}
