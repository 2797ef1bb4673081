import Platform

/// The right to use a file, which one process has at a time, by a lock on a file beside it.
///
/// The file beside it stays: whoever removed it might remove the one that another process has just locked.
final class FileClaim: Sendable {
    private let descriptor: Int32
    private let held = Guarded(true)

    /// - Parameter path: the file beside it, which is made unless it is there.
    /// - Throws: the system call that failed; with EWOULDBLOCK when another process has the right.
    init(path: String) throws(SystemError) {
        descriptor = Platform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError("open") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let error = SystemError("flock")
            Platform.close(descriptor)
            throw error
        }
    }

    deinit {
        release()
    }

    /// Gives the right up.
    func release() {
        let wasHeld = held.withLock { held in
            defer { held = false }
            return held
        }
        if wasHeld { Platform.close(descriptor) }
    }
}
