import Platform

/// A temporary folder, gone with its owner.
final class Scratch: Sendable {
    let path: String

    init() throws(SystemError) {
        var template = Array("/tmp/motivator-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.removeAll(path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, whose folders are made.
    @discardableResult
    func write(_ text: String, to name: String, mode: mode_t = 0o644) throws(FileError) -> String {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o644) throws(FileError) -> String {
        if let slash = file(name).lastIndex(of: "/") {
            try File.makeFolder(String(file(name)[..<slash]), mode: 0o755)
        }
        try File.write(bytes, to: file(name), mode: mode)
        return file(name)
    }

    func link(_ name: String, to target: String) throws(SystemError) {
        guard symlink(target, file(name)) == 0 else { throw SystemError("symlink") }
    }

    func makePipe(_ name: String) throws(SystemError) {
        guard mkfifo(file(name), 0o644) == 0 else { throw SystemError("mkfifo") }
    }

    func text(of name: String) throws(FileError) -> String {
        String(decoding: try File.read(file(name), limit: 16 << 20), as: UTF8.self)
    }

    /// Removes a file or a folder with all that is in it; links are not followed.
    private static func removeAll(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR, let stream = opendir(path) {
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { removeAll("\(path)/\(name)") }
            }
        }
        remove(path)
    }
}
