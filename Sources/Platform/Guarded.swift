import Synchronization

#if THREAD_SANITIZER
import CLinux
#endif

/// A value with a lock, for state that several threads access briefly.
package final class Guarded<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: Value) { mutex = Mutex(value) }

    /// Calls `body` with the value while holding the lock. `body` must not block.
    @discardableResult
    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        mutex.withLock { value in
            #if THREAD_SANITIZER
            // The sanitizer does not recognize the atomic operations of Mutex.
            let address = unsafe Unmanaged.passUnretained(self).toOpaque()
            unsafe __tsan_acquire(address)
            defer { unsafe __tsan_release(address) }
            #endif
            return body(&value)
        }
    }
}
