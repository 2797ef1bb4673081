import Logging
import Platform

/// Writes a limited number of lines in each second, where a client controls how many there would be; the next line
/// says how many were left out.
final class RateLimitedLogger: Sendable {
    private struct State {
        var second: UnixTime?
        var written = 0
        var unreported = 0
    }

    private let log: Logger
    private let clock: Clock
    private let linesPerSecond: Int
    private let state = Guarded(State())

    init(_ log: Logger, _ clock: Clock, linesPerSecond: Int) {
        self.log = log
        self.clock = clock
        self.linesPerSecond = linesPerSecond
    }

    /// Whether a line would be written now.
    var isDue: Bool {
        let now = clock.now()
        return state.withLock { $0.second != now || $0.written < linesPerSecond }
    }

    /// Writes a line, or counts it as unreported.
    ///
    /// - Parameters:
    ///   - level: the line's level.
    ///   - message: the line, without anything that a client sent.
    ///   - metadata: the line's fields, without anything that a client sent.
    func write(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
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
        log.log(level: level, message, metadata: metadata)
    }
}

/// Reports why accounts are unavailable: at most one line in a second, as every request may meet the same fault.
struct FaultLog: Sendable {
    private let log: RateLimitedLogger

    init(_ log: Logger, _ clock: Clock) {
        self.log = RateLimitedLogger(log, clock, linesPerSecond: 1)
    }

    /// - Parameter reason: what went wrong; brought onto one line.
    func report(_ reason: String) {
        log.write(.error, "accounts are unavailable: \(reason.quoted)")
    }
}
