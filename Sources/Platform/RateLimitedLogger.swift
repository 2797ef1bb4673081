package import Logging

/// A logger with a limited number of lines per second, for events that clients can cause at any rate.
///
/// After suppressed lines, the next line has the metadata `unreported`: the number of suppressed lines.
package final class RateLimitedLogger: Sendable {
    private struct State {
        var second: UnixTime?
        var written = 0
        var unreported = 0
    }

    private let log: Logger
    private let clock: Clock
    private let linesPerSecond: Int
    private let state = Guarded(State())

    /// - Parameter linesPerSecond: the maximum number of lines per second, at least 1.
    package init(_ log: Logger, _ clock: Clock, linesPerSecond: Int = 1) {
        (self.log, self.clock, self.linesPerSecond) = (log, clock, linesPerSecond)
    }

    /// Whether `write` would write a line now.
    package var isDue: Bool {
        let now = clock.now()
        return state.withLock { $0.second != now || $0.written < linesPerSecond }
    }

    /// Writes a line, or counts it as suppressed.
    /// - Parameter message: the text, not evaluated for a suppressed line.
    package func write(
        _ level: Logger.Level, _ message: @autoclosure () -> Logger.Message, _ metadata: Logger.Metadata = [:]
    ) {
        let now = clock.now()
        let unreported = state.withLock { state -> Int? in
            if state.second != now { (state.second, state.written) = (now, 0) }
            guard state.written < linesPerSecond else {
                state.unreported += 1
                return nil
            }
            state.written += 1
            defer { state.unreported = 0 }
            return state.unreported
        }
        guard let unreported else { return }
        var metadata = metadata
        if unreported > 0 { metadata["unreported"] = "\(unreported)" }
        log.log(level: level, message(), metadata: metadata)
    }
}
