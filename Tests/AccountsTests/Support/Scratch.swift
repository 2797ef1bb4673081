import Platform
import Testing

/// A folder of a test's own, which goes away with everything in it.
final class Scratch: Sendable {
    let folder: String

    init() throws {
        var template = Array("/tmp/motivator-accounts.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.remove(folder)
    }

    var database: String { path("accounts.sqlite") }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// What is in the folder now.
    var names: [String] { Self.names(in: folder) }

    /// The permission bits, such as `600`.
    func mode(_ name: String) throws -> String {
        var status = stat()
        try #require(stat(path(name), &status) == 0, "\(name)")
        return String(status.st_mode & 0o777, radix: 8)
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }

    private static func remove(_ folder: String) {
        for name in names(in: folder) where unlink("\(folder)/\(name)") != 0 { remove("\(folder)/\(name)") }
        rmdir(folder)
    }
}
