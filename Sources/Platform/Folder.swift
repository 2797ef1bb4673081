#if os(Linux)
import CLinux
#endif

/// An open folder. No path or link opens a file outside the folder, even if another process exchanges folders and links
/// at the same time.
///
/// On Linux, links to targets in the folder are followed if they are relative (openat2(2), `RESOLVE_BENEATH`). On other
/// systems, and on Linux before 5.6, no links are followed.
package final class Folder: Sendable {
    /// The maximum number of attempts. The kernel cannot check a ".." in a link while a folder is renamed.
    private static let attempts = 100
    // If the file is a named pipe, O_NONBLOCK prevents a wait for a writer.
    private static let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK

    package let path: String
    private let descriptor: FileDescriptor
    private let followsLinks: Bool

    /// - Parameters:
    ///   - path: the folder; symbolic links are followed.
    ///   - followsLinks: whether to follow links in the folder if the system can check their targets.
    /// - Throws: `FileError` if the folder is missing, is not a folder, or cannot be read.
    package init(_ path: String, followsLinks: Bool = true) throws(FileError) {
        let number = unsafe MotivatorPlatform.open(path, Self.flags | O_DIRECTORY)
        guard number >= 0 else {
            throw errno == ENOTDIR ? .notAFolder(path: path) : File.opening(path, SystemError("open"))
        }
        (self.path, self.followsLinks) = (path, followsLinks)
        descriptor = FileDescriptor(owning: number)
        guard unsafe faccessat(number, ".", X_OK, 0) == 0 else { throw File.opening(path, SystemError("access")) }
    }

    /// Opens a file or folder.
    /// - Parameter name: the path relative to this folder.
    /// - Throws: `FileError` if the file is missing or inaccessible, or if its path contains a link that is not
    ///   followed.
    package func open(_ name: String) throws(FileError) -> FileDescriptor {
        let number = openBeneath(name)
        guard number >= 0 else {
            let error = SystemError("open")
            switch error.code {
            case ELOOP, EXDEV: throw .linkNotFollowed(path: path(of: name))
            case ENAMETOOLONG: throw .notFound(path: path(of: name))
            case _: throw File.opening(path(of: name), error)
            }
        }
        return FileDescriptor(owning: number)
    }

    /// Reads a regular file.
    /// - Parameter name: the path relative to this folder.
    /// - Returns: the content and the properties of the file; nil if it is missing.
    package func readIfPresent(
        _ name: String, limit: Int
    ) throws(FileError) -> (content: [UInt8], version: FileVersion)? {
        do throws(FileError) {
            let file = try open(name)
            let version = try FileVersion(of: file, path: path(of: name))
            return (try File.read(file, path: path(of: name), limit: limit), version)
        } catch .notFound {
            return nil
        }
    }

    /// Returns the path of a file in the folder, for messages.
    package func path(of name: String) -> String { path == "/" ? "/" + name : path + "/" + name }

    private func openBeneath(_ name: String) -> Int32 {
        #if os(Linux)
        for _ in 0..<(followsLinks ? Self.attempts : 0) {
            let number = unsafe clinux_open_beneath(descriptor.number, name, Self.flags)
            if number >= 0 { return number }
            // Kernels before 5.6 and some sandboxes do not permit the call.
            if errno == ENOSYS || errno == EPERM { break }
            if errno != EAGAIN && errno != EINTR { return number }
        }
        #endif
        return Self.openWithoutLinks(name.split(separator: "/")[...], in: descriptor)
    }

    private static func openWithoutLinks(
        _ segments: ArraySlice<Substring>, in folder: borrowing FileDescriptor
    ) -> Int32 {
        guard let first = segments.first, first != ".." else {
            errno = EXDEV
            return -1
        }
        let rest = segments.dropFirst()
        let flags = flags | O_NOFOLLOW | (rest.isEmpty ? 0 : O_DIRECTORY)
        let number = unsafe openat(folder.number, String(first), flags)
        guard number >= 0, !rest.isEmpty else { return number }
        return openWithoutLinks(rest, in: FileDescriptor(owning: number))
    }
}
