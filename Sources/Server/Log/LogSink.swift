import Dispatch
package import MotivatorPlatform

/// Writes log lines outside the event loops, so a slow disk or terminal does not slow down the server.
///
/// Lines wait in a bounded queue for one writer. A line that does not fit or cannot be written is lost. The sink
/// later writes a line with the number of lost lines.
// Sendable unchecked: only code on the queue uses the writer's state.
package final class LogSink: @unchecked Sendable {
    /// The counters that the callers and the writer share.
    private struct Waiting {
        var bytes = 0
        /// The number of lines that did not fit since the last report.
        var lost = 0
        var totalLost = 0
    }

    /// The maximum number of waiting bytes.
    private static let backlog = 4 << 20

    private let path: String?
    private let format: LogFormat
    private let queue = DispatchQueue(label: "log")
    private let waiting = Guarded(Waiting())

    // The writer's state.
    private var descriptor: Int32
    /// The number of lines that could not be written since the last report, and the last error. Nil if no write failed.
    private var failure: (lines: Int, error: SystemError)?
    /// Whether the sink has reported the current series of errors on standard error.
    private var isAnnounced = false
    private var isInsideLine = false

    /// - Parameter descriptor: an open descriptor. The sink does not close it.
    package init(descriptor: Int32, format: LogFormat = .text) {
        (self.descriptor, self.format) = (descriptor, format)
        path = nil
    }

    /// Opens a log file. Creates the file if it does not exist.
    /// - Parameter path: the file. The sink appends to it.
    package init(path: String, format: LogFormat) throws(FileError) {
        descriptor = try Self.open(path)
        (self.format, self.path) = (format, path)
    }

    deinit {
        if path != nil { close(descriptor) }
    }

    private static func open(_ path: String) throws(FileError) -> Int32 {
        // A named pipe without a reader must not block the server.
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
        let number = unsafe MotivatorPlatform.open(path, flags, 0o640)
        guard number >= 0 else { throw .cannotWrite(path: path, SystemError("open")) }
        return number
    }

    private static func isSameFile(_ one: Int32, _ other: Int32) -> Bool {
        var (first, second) = (stat(), stat())
        guard unsafe fstat(one, &first) == 0, unsafe fstat(other, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Reopens the log file after a program such as logrotate has renamed it. Does nothing without a log file.
    /// - Parameter failed: called with the error if the file cannot be opened. The sink then keeps the old file.
    package func reopen(failed: @escaping @Sendable (FileError) -> Void) {
        guard let path else { return }
        queue.async { [self] in
            do throws(FileError) {
                let new = try Self.open(path)
                isInsideLine = isInsideLine && Self.isSameFile(new, descriptor)
                close(descriptor)
                descriptor = new
                report()
            } catch {
                failed(error)
            }
        }
    }

    package var lostLines: Int { waiting.withLock { $0.totalLost } }

    package func write(_ lines: [UInt8], count: Int = 1) {
        let fits = waiting.withLock { waiting in
            guard waiting.bytes + lines.count <= Self.backlog else {
                waiting.lost += count
                waiting.totalLost += count
                return false
            }
            waiting.bytes += lines.count
            return true
        }
        guard fits else { return }
        queue.async { [self] in
            put(lines, count: count)
            waiting.withLock { $0.bytes -= lines.count }
            report()
        }
    }

    /// Waits until all queued lines are written.
    /// - Parameter milliseconds: the maximum time to wait, in case the reader of the log has stopped.
    package func flush(within milliseconds: Int = 1_000) {
        let written = DispatchSemaphore(value: 0)
        queue.async { written.signal() }
        _ = written.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    // MARK: - On the queue

    private func report() {
        let dropped = waiting.withLock { waiting in
            defer { waiting.lost = 0 }
            return waiting.lost
        }
        if dropped > 0 { put(reason: "because the log was written too slowly", lost: dropped) }
        guard let (lines, error) = failure else { return }
        failure = nil
        put(reason: "because of an error: \(error)", lost: lines)
    }

    private func put(reason: String, lost: Int) {
        let message = lost == 1 ? "1 log line was lost \(reason)" : "\(lost) log lines were lost \(reason)"
        if let (_, error) = write(format.event("warning", message)) { fail(lost, error) }
    }

    private func put(_ lines: [UInt8], count: Int) {
        guard let (written, error) = write(lines) else { return }
        let lost = count - lines[..<written].count { $0 == UInt8(ascii: "\n") }
        waiting.withLock { $0.totalLost += lost }
        fail(lost, error)
    }

    private func fail(_ lines: Int, _ error: SystemError) {
        if !isAnnounced { announce(error) }
        isAnnounced = true
        failure = (lines + (failure?.lines ?? 0), error)
    }

    /// Reports the first error of a series on standard error, unless the write would block.
    private func announce(_ error: SystemError) {
        var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        guard let path, unsafe poll(&entry, 1, 0) == 1 else { return }
        let line = Array("\(FileError.cannotWrite(path: path, error))\n".utf8)
        unsafe line.withUnsafeBytes { _ = unsafe MotivatorPlatform.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Writes all bytes. Ends an incomplete line first.
    /// - Returns: the number of written bytes and the error; nil if all bytes were written.
    private func write(_ lines: [UInt8]) -> (written: Int, error: SystemError)? {
        let bytes = isInsideLine ? [UInt8(ascii: "\n")] + lines : lines
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe MotivatorPlatform.write(descriptor, $0.baseAddress?.advanced(by: start), bytes.count - start)
            }
            if count >= 0 {
                start += count
                continue
            }
            let error = SystemError("write")
            switch error.code {
            case EINTR: continue
            case EAGAIN:
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                unsafe poll(&entry, 1, -1)
            case _:
                if start > 0 { isInsideLine = bytes[start - 1] != UInt8(ascii: "\n") }
                return (max(start - (bytes.count - lines.count), 0), error)
            }
        }
        (isInsideLine, isAnnounced) = (false, false)
        return nil
    }
}
