import Platform

/// A folder of a test's own, gone with its owner.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/association-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        var entries: [String] = []
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                entries.append(
                    withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                    })
            }
            closedir(folder)
        }
        for entry in entries where entry != "." && entry != ".." { unlink("\(path)/\(entry)") }
        rmdir(path)
    }
}
