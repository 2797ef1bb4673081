import Logging
import Platform

/// Tells the log why the store does not work: at most one line in a second, as each request may meet the same fault.
final class FaultLog: Sendable {
    private struct State {
        var last: UnixTime?
        var untold = 0
    }

    private let log: Logger
    private let clock: Clock
    private let state = Guarded(State())

    init(_ log: Logger, _ clock: Clock) {
        self.log = log
        self.clock = clock
    }

    /// - Parameter reason: what went wrong; brought onto one line.
    func report(_ reason: String) {
        let now = clock.now()
        let untold = state.withLock { state -> Int? in
            guard state.last != now else {
                state.untold += 1
                return nil
            }
            defer { state = State(last: now) }
            return state.untold
        }
        guard let untold else { return }
        let others = untold == 0 ? "" : ", and \(untold) more failures since the last line"
        log.error("accounts are unavailable: \(reason.quoted)\(others)")
    }
}
