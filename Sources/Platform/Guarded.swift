import Synchronization

#if THREAD_SANITIZER
import CLinux
#endif

/// A value behind a lock, for state that more than one queue needs and none keeps for long.
public final class Guarded<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    /// - Parameter value: the first value.
    public init(_ value: Value) {
        mutex = Mutex(value)
    }

    /// Calls `body` with the value while nobody else has it; it must not wait for anything.
    @discardableResult
    public func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        mutex.withLock { value in
            #if THREAD_SANITIZER
            // The sanitizer does not see the atomic operations of Mutex.
            let address = unsafe Unmanaged.passUnretained(self).toOpaque()
            unsafe __tsan_acquire(address)
            defer { unsafe __tsan_release(address) }
            #endif
            return body(&value)
        }
    }
}
