/// The properties of a file that change with its content.
package struct FileVersion: Sendable, Equatable {
    /// The file, regardless of its name and content.
    package struct Identity: Sendable, Hashable {
        fileprivate let device: UInt64
        fileprivate let inode: UInt64
    }

    /// The time of the last change, in seconds since 1970-01-01T00:00:00Z.
    package let modified: UnixTime
    private let nanoseconds: Int
    package let size: Int64
    package let identity: Identity
    package let isFolder: Bool
    /// Whether the path is a regular file, rather than a folder, a pipe or a device.
    package let isRegular: Bool

    /// Returns the properties of a file, or nil if the file does not exist.
    /// - Parameter path: the file; symbolic links are followed.
    /// - Throws: `FileError.cannotRead` if a folder in the path is not accessible.
    package static func ifPresent(_ path: String) throws(FileError) -> FileVersion? {
        do throws(FileError) {
            return try FileVersion(path: path)
        } catch .notFound {
            return nil
        }
    }

    /// Reads the properties of a file.
    /// - Parameter path: the file; symbolic links are followed.
    /// - Throws: `FileError.notFound`, or `.cannotRead` if a folder in the path is not accessible.
    package init(path: String) throws(FileError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            let code = errno
            throw code == ENOENT || code == ENOTDIR
                ? .notFound(path: path) : .cannotRead(path: path, SystemError("stat", code: code))
        }
        self.init(status)
    }

    package init(of descriptor: borrowing FileDescriptor, path: String) throws(FileError) {
        try self.init(descriptor.status(path: path))
    }

    private init(_ status: stat) {
        let time = status.modificationTime
        modified = UnixTime(time.tv_sec)
        nanoseconds = time.tv_nsec
        size = Int64(status.st_size)
        identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        isFolder = status.st_mode & S_IFMT == S_IFDIR
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }
}

extension stat {
    package var modificationTime: timespec {
        #if canImport(Darwin)
        st_mtimespec
        #else
        st_mtim
        #endif
    }
}
