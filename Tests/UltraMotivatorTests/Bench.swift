import HTTP
import Platform

@testable import Server

/// A temporary folder, emptied by hand at the end, and heads made of text.
final class Bench {
    enum Trouble: Error { case noFolder, noHead }

    let folder: String

    init() throws {
        var template = Array("/tmp/motivator-test.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Trouble.noFolder }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try File.makeFolder(folder + "/Public", mode: 0o700)
    }

    deinit {
        remove(folder)
    }

    private func remove(_ path: String) {
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

    /// The head of a request that the parser accepts.
    static func head(_ method: String, _ target: String, host: String) throws -> RequestHead {
        var parser = RequestParser()
        Array("\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8).withUnsafeBufferPointer {
            parser.append($0)
        }
        guard parser.next() == .head else { throw Trouble.noHead }
        return parser.head
    }
}
