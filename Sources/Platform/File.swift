/// Reads whole files up to a limit, and replaces files atomically.
package enum File {
    /// Reads a regular file.
    /// - Parameter path: the file; symbolic links are followed.
    /// - Throws: `FileError` if the file is missing, inaccessible, unreadable, larger than `limit`, or not a regular
    ///   file.
    package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        try read(openRegular(path), path: path, limit: limit)
    }

    /// Opens a regular file for reading in parts.
    /// - Parameter path: the file; symbolic links are followed.
    /// - Throws: `FileError` if the file is missing, inaccessible, or not a regular file.
    package static func openRegular(_ path: String) throws(FileError) -> FileDescriptor {
        // If the file is a named pipe, O_NONBLOCK prevents a wait for a writer.
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw opening(path, SystemError("open")) }
        let descriptor = FileDescriptor(owning: number)
        guard try descriptor.status(path: path).st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        return descriptor
    }

    /// Reads a file or a pipe that the user named, such as a shell's `<(command)`.
    /// - Parameters:
    ///   - path: the file, pipe or socket. Pipes and sockets are read to their end. Named pipes are read after a writer
    ///     has opened them.
    /// - Throws: the errors of `read`; `notAFile` for folders and devices.
    package static func readInput(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        try read(openInput(path), path: path, limit: limit, pipes: true)
    }

    /// Opens a file or a pipe that the user named.
    /// - Throws: `FileError` if it is missing, inaccessible, or a folder or a device.
    package static func openInput(_ path: String, _ flags: Int32 = O_RDONLY) throws(FileError) -> FileDescriptor {
        let number = unsafe open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o644)
        guard number >= 0 else { throw opening(path, SystemError("open")) }
        let descriptor = FileDescriptor(owning: number)
        let kind = try descriptor.status(path: path).st_mode & S_IFMT
        guard [S_IFREG, S_IFIFO, S_IFSOCK].contains(kind) else { throw .notAFile(path: path) }
        return descriptor
    }

    /// Reads a private key or another secret that only its owner may read.
    /// - Throws: the errors of `read`, and `FileError.readableByOthers` if the mode has group or other bits.
    package static func readSecret(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        let descriptor = try openRegular(path)
        let status = try descriptor.status(path: path)
        guard status.st_mode & 0o077 == 0 else {
            throw .readableByOthers(path: path, mode: "0" + String(status.st_mode & 0o777, radix: 8))
        }
        return try read(descriptor, path: path, limit: limit)
    }

    /// Reads standard input to its end.
    /// - Throws: `FileError.tooLarge` or `.cannotRead`, with the path `standard input`.
    package static func readStandardInput(limit: Int) throws(FileError) -> [UInt8] {
        try readToEnd(STDIN_FILENO, path: "standard input", limit: limit)
    }

    package static func read(
        _ descriptor: borrowing FileDescriptor, path: String, limit: Int, pipes: Bool = false
    ) throws(FileError) -> [UInt8] {
        let status = try descriptor.status(path: path)
        let kind = status.st_mode & S_IFMT
        if pipes, kind == S_IFIFO || kind == S_IFSOCK {
            return try readToEnd(descriptor.number, path: path, limit: limit, waits: true)
        }
        guard kind == S_IFREG else { throw .notAFile(path: path) }
        guard status.st_size <= limit else { throw .tooLarge(path: path, size: Int(status.st_size), limit: limit) }
        return try readToEnd(descriptor.number, path: path, limit: limit)
    }

    private static func readToEnd(_ number: Int32, path: String, limit: Int, waits: Bool = false) throws(FileError)
        -> [UInt8]
    {
        var content: [UInt8] = []
        while true {
            // Reading one byte more than the limit shows whether the file is too large.
            let chunk = try readPart(number, path: path, most: limit + 1 - content.count, waits: waits)
            if chunk.isEmpty { return content }
            content += chunk
            guard content.count <= limit else { throw .tooLarge(path: path, size: nil, limit: limit) }
        }
    }

    /// Reads the next part of an open file, at most 64 KiB.
    /// - Parameter waits: whether to wait until a pipe has bytes.
    /// - Returns: the bytes; empty at the end of the file.
    package static func readPart(
        _ number: Int32, path: String, most: Int = .max, waits: Bool = false
    ) throws(FileError) -> [UInt8] {
        let size = min(64 << 10, most)
        var failure: SystemError?
        let part = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let got = unsafe read(number, buffer.baseAddress, size, waits: waits)
            if got < 0 { failure = SystemError("read") }
            count = max(got, 0)
        }
        if let failure { throw .cannotRead(path: path, failure) }
        return part
    }

    /// Replaces a file atomically: writes a temporary file in the same folder, flushes it to disk, and renames it.
    /// - Parameters:
    ///   - path: the file, or a link to it; its folder must exist.
    ///   - mode: the permission bits, such as `0o600` for a secret. The process's umask does not apply.
    /// - Throws: `FileError`. The file is then unchanged, unless only the final flush of the folder failed.
    package static func write(_ bytes: [UInt8], to path: String, mode: mode_t) throws(FileError) {
        let file = try Replacement(of: path)
        try file.write(bytes)
        try file.commit(mode: mode)
    }

    /// The new content of a file. When complete, the content replaces the file atomically.
    package final class Replacement {
        /// The path of the temporary file. The file is in the same folder, and only this user can read it.
        package let temporaryPath: String
        private let path: String
        private let descriptor: FileDescriptor
        private var isComplete = false

        /// Creates the temporary file.
        /// - Parameter path: the file to replace, or a link to it; its folder must exist.
        /// - Throws: `FileError.cannotReplace` if the path is a device, a pipe or another special file.
        package init(of path: String) throws(FileError) {
            let path = File.resolved(path)
            var status = stat()
            if unsafe lstat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) {
                throw .cannotReplace(path: path)
            }
            var template = Array("\(path).XXXXXX".utf8CString)
            let number = unsafe mkstemp(&template)
            guard number >= 0 else { throw .cannotWrite(path: path, SystemError("mkstemp")) }
            descriptor = FileDescriptor(owning: number)
            temporaryPath = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            self.path = path
        }

        deinit {
            if !isComplete { unsafe unlink(temporaryPath) }
        }

        package func write(_ bytes: [UInt8]) throws(FileError) {
            if let error = File.append(bytes, to: descriptor.number) { throw .cannotWrite(path: path, error) }
        }

        /// Flushes the content to disk and renames the temporary file.
        /// - Throws: `FileError.cannotWrite`. The file is then unchanged, unless only the flush of the folder failed.
        package func commit(mode: mode_t) throws(FileError) {
            if let error = File.finish(descriptor.number, mode) { throw .cannotWrite(path: path, error) }
            guard unsafe rename(temporaryPath, path) == 0 else {
                throw .cannotWrite(path: path, SystemError("rename"))
            }
            isComplete = true
            if let error = File.syncFolder(of: path) { throw .cannotWrite(path: path, error) }
        }
    }

    /// Resolves symbolic links, so that a write does not replace a link. Returns the path unchanged if it does not exist.
    package static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Creates a folder and its missing parents. Does nothing if the folder exists.
    /// - Parameter mode: the permission bits of every new folder.
    /// - Throws: `FileError.cannotWrite` if the folder cannot be created or the path is not a folder.
    package static func makeFolder(_ path: String, mode: mode_t) throws(FileError) {
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw .cannotWrite(path: path, SystemError("mkdir", code: ENOTDIR))
            }
            return
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeFolder(String(path[..<slash]), mode: mode)
        }
        guard unsafe mkdir(path, mode) == 0 || errno == EEXIST else {
            throw .cannotWrite(path: path, SystemError("mkdir"))
        }
    }

    static func opening(_ path: String, _ error: SystemError) -> FileError {
        switch error.code {
        case ENOENT, ENOTDIR: .notFound(path: path)
        case EACCES, EPERM: .notPermitted(path: path, mode: mode(of: path))
        default: .cannotRead(path: path, error)
        }
    }

    private static func mode(of path: String) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return "" }
        return " (mode 0\(String(status.st_mode & 0o777, radix: 8)))"
    }

    /// Reads bytes.
    /// - Parameter waits: whether to wait for bytes first. A pipe without a writer would appear to be at its end.
    private static func read(_ number: Int32, _ into: UnsafeMutableRawPointer?, _ count: Int, waits: Bool) -> Int {
        while true {
            if waits {
                var wanted = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&wanted, 1, -1) >= 0 || errno == EINTR else { return -1 }
            }
            let got = unsafe MotivatorPlatform.read(number, into, count)
            guard got < 0, errno == EINTR || waits && errno == EAGAIN else { return got }
        }
    }

    /// Writes the content of an open file, sets its mode, and flushes the file to disk.
    package static func fill(_ number: Int32, _ bytes: [UInt8], _ mode: mode_t) -> SystemError? {
        append(bytes, to: number) ?? finish(number, mode)
    }

    /// Writes bytes at the position of an open file.
    package static func append(_ bytes: [UInt8], to number: Int32) -> SystemError? {
        var done = 0
        while done < bytes.count {
            let put = unsafe bytes.withUnsafeBytes {
                unsafe MotivatorPlatform.write(number, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if put < 0 {
                guard errno == EINTR else { return SystemError("write") }
            } else {
                done += put
            }
        }
        return nil
    }

    private static func finish(_ number: Int32, _ mode: mode_t) -> SystemError? {
        guard fchmod(number, mode) == 0 else { return SystemError("fchmod") }
        return flush(number)
    }

    /// Flushes an open file or folder to disk.
    package static func flush(_ number: Int32) -> SystemError? {
        #if canImport(Darwin)
        // On macOS, fsync(2) does not flush the disk's cache. Some file systems do not support F_FULLFSYNC.
        if fcntl(number, F_FULLFSYNC) == 0 { return nil }
        #endif
        return fsync(number) == 0 ? nil : SystemError("fsync")
    }

    /// Flushes the folder. Otherwise, a system crash could undo the rename.
    private static func syncFolder(of path: String) -> SystemError? {
        let folder: String
        switch path.lastIndex(of: "/") {
        case .none: folder = "."
        case .some(path.startIndex): folder = "/"
        case .some(let slash): folder = String(path[..<slash])
        }
        let number = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { return SystemError("open") }
        let descriptor = FileDescriptor(owning: number)
        return flush(descriptor.number)
    }
}

/// An open descriptor with a single owner, closed exactly once.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number of the descriptor, valid while this value exists.
    package let number: Int32

    /// Takes ownership of a descriptor.
    /// - Parameter number: an open descriptor that no other code closes.
    package init(owning number: Int32) {
        self.number = number
    }

    /// Returns the properties of the open file.
    /// - Parameter path: the path for errors.
    package func status(path: String) throws(FileError) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .cannotRead(path: path, SystemError("fstat")) }
        return status
    }

    /// Releases the descriptor without closing it.
    /// - Returns: the descriptor, which the caller must close.
    package consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }

    deinit {
        close(number)
    }
}
