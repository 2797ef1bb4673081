import MotivatorPlatform

/// Reads a file or a pipe line by line. The memory depends only on the limit of a line.
final class LineSource {
    struct Line {
        /// The line without its line feed. A line above the limit has only its first bytes.
        var bytes: [UInt8] = []
        /// The number of bytes of the file up to the end of the line.
        var end = 0
        /// Whether a line feed ends the line. Only the last line of a file can lack it.
        var isComplete = false
        var isTooLong = false
    }

    private let descriptor: FileDescriptor
    let path: String
    private let limit: Int
    private var buffer: ArraySlice<UInt8> = []
    private var position = 0

    /// - Parameters:
    ///   - path: a file or a pipe, or `-` for standard input.
    ///   - limit: the maximum number of bytes to keep of a line.
    ///   - flags: the flags of open(2).
    init(_ path: String, limit: Int, _ flags: Int32 = O_RDONLY) throws(FileError) {
        descriptor = path == "-" ? FileDescriptor(owning: dup(STDIN_FILENO)) : try File.openInput(path, flags)
        (self.path, self.limit) = (Input.name(path), limit)
    }

    func next() throws(FileError) -> Line? {
        var line = Line()
        while !line.isComplete {
            if buffer.isEmpty { buffer = try File.readPart(descriptor.number, path: path, waits: true)[...] }
            guard !buffer.isEmpty else { break }
            let part = buffer.prefix { $0 != .lineFeed }
            buffer = buffer.dropFirst(part.count)
            line.isComplete = buffer.popFirst() != nil
            let kept = part.prefix(limit - line.bytes.count)
            line.bytes += kept
            line.isTooLong = line.isTooLong || kept.count < part.count
            position += part.count + (line.isComplete ? 1 : 0)
        }
        line.end = position
        return line.bytes.isEmpty && !line.isComplete ? nil : line
    }

    /// Starts again at the first byte of the file.
    /// - Returns: false for a pipe.
    func rewind() -> Bool {
        (buffer, position) = ([], 0)
        return lseek(descriptor.number, 0, SEEK_SET) == 0
    }

    func isStandardOutput() throws(FileError) -> Bool {
        var output = stat()
        guard unsafe fstat(STDOUT_FILENO, &output) == 0 else { return false }
        let own = try descriptor.status(path: path)
        return (own.st_dev, own.st_ino) == (output.st_dev, output.st_ino)
    }

    /// Removes the bytes after `end` from the file, and continues to write there.
    func truncate(to end: Int) throws(FileError) {
        guard ftruncate(descriptor.number, off_t(end)) == 0, lseek(descriptor.number, 0, SEEK_END) >= 0 else {
            throw .cannotWrite(path: path, SystemError("ftruncate"))
        }
    }

    func append(_ bytes: [UInt8]) throws(FileError) {
        if let error = File.append(bytes, to: descriptor.number) { throw .cannotWrite(path: path, error) }
    }
}
