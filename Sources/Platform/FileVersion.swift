/// What changes when a file changes.
public struct FileVersion: Sendable, Equatable {
    /// The time of the last change, in seconds since 1970-01-01T00:00:00Z.
    public let modified: UnixTime
    private let nanoseconds: Int
    /// The number of bytes.
    public let size: Int64
    private let inode: UInt64
    /// Whether the path is a folder.
    public let isFolder: Bool

    /// Looks at a file.
    ///
    /// - Parameter path: the file; symbolic links are followed.
    /// - Throws: `FileError.notFound` when it cannot be looked at.
    public init(path: String) throws(FileError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .notFound(path: path) }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        modified = UnixTime(time.tv_sec)
        nanoseconds = time.tv_nsec
        size = Int64(status.st_size)
        inode = UInt64(status.st_ino)
        isFolder = status.st_mode & S_IFMT == S_IFDIR
    }
}
