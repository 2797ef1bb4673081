import Dispatch

/// A signal that one thread sends to another thread once.
struct Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func give() { semaphore.signal() }

    /// Waits for the signal for at most 20 seconds.
    func wait() { _ = semaphore.wait(timeout: .now() + .seconds(20)) }
}
