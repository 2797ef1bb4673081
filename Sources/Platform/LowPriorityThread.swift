import Dispatch
import Foundation

/// A thread that runs functions in order, at a lower priority than the other threads of the process.
package final class LowPriorityThread: Sendable {
    /// The kind of work, which determines the priority.
    package enum Priority: Int32, Sendable {
        /// Work of at most a few milliseconds.
        case short = 5
        case long = 10
    }

    private final class Mailbox: Sendable {
        let work = Guarded<[@Sendable () -> Void]>([])
        let isClosed = Guarded(false)
        let signal = DispatchSemaphore(value: 0)
    }

    private let mailbox = Mailbox()

    /// Starts the thread. The thread ends after this value is released.
    init(_ priority: Priority) {
        let thread = Thread { [mailbox] in
            Self.blockSignals()
            Self.set(priority)
            while true {
                mailbox.signal.wait()
                if let work = mailbox.work.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                    work()
                } else if mailbox.isClosed.withLock({ $0 }) {
                    return
                }
            }
        }
        thread.start()
    }

    deinit {
        mailbox.isClosed.withLock { $0 = true }
        mailbox.signal.signal()
    }

    func run(_ work: @escaping @Sendable () -> Void) {
        mailbox.work.withLock { $0.append(work) }
        mailbox.signal.signal()
    }

    /// Blocks all signals, so the other threads of the process receive them. Otherwise, this thread would discard an
    /// ignored signal before a dispatch source receives it.
    private static func blockSignals() {
        var every = sigset_t()
        unsafe sigfillset(&every)
        unsafe pthread_sigmask(SIG_BLOCK, &every, nil)
    }

    private static func set(_ priority: Priority) {
        #if canImport(Darwin)
        pthread_set_qos_class_self_np(priority == .short ? QOS_CLASS_DEFAULT : QOS_CLASS_UTILITY, 0)
        #else
        // On Linux, each thread has its own nice value, and ID 0 means the calling thread (setpriority(2), "C
        // library/kernel differences"). `process` is PRIO_PROCESS, whose type differs between C libraries.
        let process: Int32 = 0
        setpriority(process, 0, priority.rawValue)
        #endif
    }
}
