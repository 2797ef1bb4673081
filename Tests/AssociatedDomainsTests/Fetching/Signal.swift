import Dispatch

/// A signal that one thread sends to another thread once.
struct Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func give() { semaphore.signal() }

    func wait() { semaphore.wait() }
}
