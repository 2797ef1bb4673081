import MotivatorPlatform
import TestSupport

@testable import MotivatorServer

/// The clock for the deadlines of a server's loop. Only the test advances it, so a slow machine cannot miss a deadline.
final class LoopTime: Sendable {
    private struct State: Sendable {
        /// Later than the system's clock, so that the poller gives each turn to the sweep.
        var now = SocketCalls.monotonicMilliseconds() + 1_000_000
        /// The number of times that the loop has read the clock: once in each turn.
        var reads = 0
    }

    private let state = Guarded(State())

    private var clock: @Sendable () -> Int64 {
        { [state] in
            state.withLock { state in
                state.reads += 1
                return state.now
            }
        }
    }

    /// Makes a server use this clock, and check its deadlines often.
    func drive(_ options: inout ServerOptions) {
        (options.monotonicTime, options.sweepInterval) = (clock, 5)
    }

    func advance(_ milliseconds: Int64) { state.withLock { $0.now += milliseconds } }

    /// Advances the clock after the loop has read the bytes that it received, and returns after the loop has checked the
    /// deadlines at the new time. The loop must have a connection.
    func pass(_ milliseconds: Int64) async throws {
        try await waitForTurns()
        advance(milliseconds)
        try await waitForTurns()
    }

    /// Advances the clock by a deadline, and waits until a condition holds.
    ///
    /// If the loop reads the client's last bytes late, their deadline starts late. Therefore, the clock advances again
    /// after each second, but not far enough for a much longer deadline.
    func expire(_ deadline: Int64 = DeadlineTests.deadline, until condition: () async throws -> Bool) async throws {
        let start = SocketCalls.monotonicMilliseconds()
        var advances: Int64 = 0
        try await ProgressLimit.wait {
            if advances < 5, SocketCalls.monotonicMilliseconds() >= start + 1_000 * advances {
                advance(deadline)
                advances += 1
            }
            return try await condition()
        }
    }

    /// Waits until the loop begins its third turn from now, so that at least one complete turn has handled the events and
    /// the deadlines of this moment.
    private func waitForTurns() async throws {
        let before = state.withLock { $0.reads }
        try await ProgressLimit.wait { self.state.withLock { $0.reads >= before + 3 } }
    }
}
