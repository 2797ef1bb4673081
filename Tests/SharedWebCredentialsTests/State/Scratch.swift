import Platform

/// A folder of its own, removed with all that is in it.
final class Scratch {
    enum Trouble: Error { case noFolder }

    let path: String

    init() throws {
        var template = Array("/tmp/motivator-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Trouble.noFolder }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        if let command = popen("rm -rf \(path.shellQuoted)", "r") { pclose(command) }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of the files, sorted.
    var names: [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            names.append(
                withUnsafePointer(to: entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }
}
