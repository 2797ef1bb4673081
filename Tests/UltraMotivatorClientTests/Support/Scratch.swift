import Platform

/// A temporary folder that goes with its owner.
final class Scratch: Sendable {
    enum Trouble: Error { case noFolder }

    let folder: String

    init() throws {
        var template = Array("/tmp/client-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Trouble.noFolder }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.remove(folder)
    }

    private static func remove(_ path: String) {
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            closedir(directory)
        }
        _ = Platform.remove(path)
    }
}
