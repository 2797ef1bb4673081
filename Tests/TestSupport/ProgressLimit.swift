import MotivatorPlatform

/// The limit of a wait in a test. It ends a test that hangs, and starts again with each step of progress, so that a busy
/// machine does not reach it.
package struct ProgressLimit {
    /// The maximum time without progress, in milliseconds.
    package static let milliseconds: Int64 = 120_000
    /// The pause between two checks of a condition that has no event, in milliseconds.
    private static let pause = 5

    private var end = SocketCalls.monotonicMilliseconds() + Self.milliseconds

    package init() {}

    package var isOver: Bool { SocketCalls.monotonicMilliseconds() >= end }

    /// Starts the limit again after a step of progress.
    package mutating func restart() { self = ProgressLimit() }

    /// Waits until a descriptor is ready.
    ///
    /// - Parameters:
    ///   - events: The events of poll(2).
    ///   - descriptor: The descriptor.
    ///   - limit: The maximum time in milliseconds.
    /// - Returns: The events that occurred; nil at the limit.
    package static func wait(
        for events: Int32 = POLLIN, on descriptor: Int32, within limit: Int64 = milliseconds
    ) -> Int16? {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = unsafe poll(&entry, 1, Int32(clamping: limit))
            if count >= 0 || errno != EINTR { return count == 1 ? entry.revents : nil }
        }
    }

    /// Waits until a condition holds. Use it only for a condition without an event.
    ///
    /// - Parameter condition: The condition. A check that throws counts as false before the limit.
    package static func wait(until condition: () async throws -> Bool) async throws {
        let limit = ProgressLimit()
        while true {
            do {
                if try await condition() { return }
                if limit.isOver { throw Exceeded() }
            } catch {
                guard !limit.isOver else { throw error }
            }
            try await Task.sleep(for: .milliseconds(pause))
        }
    }

    /// The error of a condition that did not hold within the limit.
    package struct Exceeded: Error {}
}
