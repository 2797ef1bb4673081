import Platform

/// The right to use a file, which one process has at a time, by a lock on a file beside it.
///
/// The file beside it stays: whoever removed it might remove the one that another process has just locked.
final class FileClaim: Sendable {
    private let descriptor: Guarded<Int32?>

    private init(descriptor: Int32) {
        self.descriptor = Guarded(descriptor)
    }

    /// Takes the right, unless another process has it.
    ///
    /// - Parameter path: the file beside it, which is made unless it is there.
    /// - Throws: the system call that failed; with EWOULDBLOCK when another process has the right.
    static func take(_ path: String) throws(SystemError) -> FileClaim {
        let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError("open") }
        let descriptor = FileDescriptor(owning: number)
        guard flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 else { throw SystemError("flock") }
        return FileClaim(descriptor: descriptor.release())
    }

    deinit {
        release()
    }

    /// Gives the right up.
    func release() {
        if let number = descriptor.withLock({ $0.take() }) { close(number) }
    }
}
