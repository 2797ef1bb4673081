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
        /// The functions to run; nil ends the thread.
        let work = Guarded<[(@Sendable () -> Void)?]>([])
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
                guard let work = mailbox.work.withLock({ $0.removeFirst() }) else { return }
                work()
            }
        }
        thread.start()
    }

    deinit { run(nil) }

    func run(_ work: (@Sendable () -> Void)?) {
        mailbox.work.withLock { $0.append(work) }
        mailbox.signal.signal()
    }

    /// Blocks all signals in the calling thread, so other threads receive them. Otherwise, the thread would discard an
    /// ignored signal before a dispatch source receives it.
    package static func blockSignals() {
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
