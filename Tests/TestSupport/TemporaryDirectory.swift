package import MotivatorPlatform
import Synchronization

/// A directory for a single test. It is deleted with its content when its owner releases it, or at exit.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws(SystemError) {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/motivator-test.XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
        // Resolves links and "..", because the code under test reports resolved paths.
        guard let real = unsafe realpath(template, nil) else { throw SystemError("realpath") }
        defer { unsafe free(real) }
        path = unsafe String(cString: real)
        Created.shared.insert(path)
    }

    deinit {
        Self.removeAll(path)
    }

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Returns the sorted names of a folder's entries, by default of the directory itself.
    package func names(in folder: String? = nil) -> [String] {
        Self.names(in: folder.map(file) ?? path).sorted()
    }

    /// Returns the permission bits of a file.
    package func mode(_ name: String) throws(SystemError) -> mode_t {
        var status = stat()
        guard unsafe stat(file(name), &status) == 0 else { throw SystemError("stat") }
        return status.st_mode & 0o777
    }

    /// Writes a file, and creates the folders above it.
    @discardableResult
    package func write(_ text: String, to name: String, mode: mode_t = 0o644) throws(FileError) -> String {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    @discardableResult
    package func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o644) throws(FileError) -> String {
        if let slash = file(name).lastIndex(of: "/") {
            try File.makeFolder(String(file(name)[..<slash]), mode: 0o755)
        }
        try File.write(bytes, to: file(name), mode: mode)
        return file(name)
    }

    package func read(_ name: String) throws(FileError) -> [UInt8] { try File.read(file(name), limit: 16 << 20) }

    package func text(of name: String) throws(FileError) -> String { String(decoding: try read(name), as: UTF8.self) }

    package func link(_ name: String, to target: String) throws(SystemError) {
        guard unsafe symlink(target, file(name)) == 0 else { throw SystemError("symlink") }
    }

    package func makePipe(_ name: String) throws(SystemError) {
        guard unsafe mkfifo(file(name), 0o644) == 0 else { throw SystemError("mkfifo") }
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes a file, or a folder with its content. Does not follow symbolic links.
    fileprivate static func removeAll(_ path: String) {
        if unsafe unlink(path) == 0 { return }
        for name in names(in: path) { removeAll("\(path)/\(name)") }
        unsafe rmdir(path)
    }
}

/// All directories of this process. Some still exist at exit, because static properties and unfinished tasks never
/// release their objects. A server that outlives its test can also create its files again.
private final class Created: Sendable {
    static let shared = Created()
    private let paths = Mutex<[String]>([])
    /// The process that created the directories. A child process must not remove its parent's directories.
    private let owner = getpid()

    private init() {
        atexit {
            guard getpid() == Created.shared.owner else { return }
            for path in Created.shared.paths.withLock({ $0 }) { TemporaryDirectory.removeAll(path) }
        }
    }

    func insert(_ path: String) { paths.withLock { $0.append(path) } }
}
