#if os(Linux)
import Platform

extension HashingQueue {
    /// Makes the calling thread one that runs when the others leave time: to Linux each thread is a process with a
    /// niceness of its own, and 0 is the caller (setpriority(2), "C library/kernel differences").
    static func giveWayToOthers() {
        // PRIO_PROCESS, to which each C library gives another type.
        let process: Int32 = 0
        setpriority(process, 0, 10)
    }
}
#endif
