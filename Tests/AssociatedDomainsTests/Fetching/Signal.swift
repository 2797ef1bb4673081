import Dispatch

/// Something that one thread tells another once.
struct Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func give() { semaphore.signal() }

    /// Waits for it, for 20 seconds at most.
    func wait() { _ = semaphore.wait(timeout: .now() + .seconds(20)) }
}
