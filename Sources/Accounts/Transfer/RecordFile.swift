import Certificates
import Foundation
import MotivatorPlatform

/// The format of exported records: JSON Lines. The first line names the format. The last line contains the counts and
/// the digest of all lines in between.
enum RecordFormat {
    /// Version 1 has no passkeys and no secrets. A version 1 file is otherwise the same.
    static let version = 2
    static let header = header(version: version)

    static func header(version: Int) -> String { "{\"format\":\"motivator accounts\",\"version\":\(version)}" }

    /// The maximum length of a line in bytes. A passkey is at most about 8,000 bytes long.
    static let longestLine = 16 << 10
}

/// The number of records of each kind, and their digest. Stores with the same records have the same summary.
package struct RecordSummary: Sendable, Equatable {
    package fileprivate(set) var accounts = 0
    package fileprivate(set) var sessions = 0
    package fileprivate(set) var addresses = 0
    package fileprivate(set) var passkeys = 0
    package fileprivate(set) var secrets = 0
    /// The SHA-256 digest of the lines of all records, as 64 hexadecimal digits.
    package fileprivate(set) var digest = ""

    package var records: Int { accounts + sessions + addresses + passkeys + secrets }

    /// The summary as the last line of a file.
    fileprivate var json: String {
        "{\"end\":{\"accounts\":\(accounts),\"sessions\":\(sessions),\"addresses\":\(addresses),"
            + (passkeys + secrets == 0 ? "" : "\"passkeys\":\(passkeys),\"secrets\":\(secrets),")
            + "\"sha256\":\"\(digest)\"}}"
    }
}

/// The running counts and digest of records, in file order.
struct RecordTally {
    private var counts = RecordSummary()
    private let digest = DigestStream()

    var records: Int { counts.records }

    /// Adds a record and returns its line with the line break.
    mutating func add(_ record: StoreRecord) -> [UInt8] {
        switch record {
        case .account: counts.accounts += 1
        case .session: counts.sessions += 1
        case .address: counts.addresses += 1
        case .passkey: counts.passkeys += 1
        case .secret: counts.secrets += 1
        }
        let line = Array(record.json.utf8) + [.lineFeed]
        digest.add(line)
        return line
    }

    /// Returns the summary of all records. Do not add records after this call.
    func finish() -> RecordSummary {
        var summary = counts
        summary.digest = digest.finish().hexadecimal
        return summary
    }
}

final class RecordWriter {
    private let file: File.Replacement
    private var tally = RecordTally()

    init(_ path: String) throws(FileError) {
        file = try File.Replacement(of: path)
        try file.write(Array("\(RecordFormat.header)\n".utf8))
    }

    func write(_ records: [StoreRecord]) throws(FileError) {
        try file.write(records.flatMap { tally.add($0) })
    }

    /// Completes the file. Until this call, any existing file at the path remains unchanged.
    func finish() throws(FileError) -> RecordSummary {
        let summary = tally.finish()
        try file.write(Array("\(summary.json)\n".utf8))
        try file.commit(mode: 0o600)
        return summary
    }
}

/// A reader for a file of records. It checks the order, counts and digest, and uses little memory.
final class RecordReader {
    private let path: String
    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    private var start = 0
    private var line = 0
    private var tally = RecordTally()
    private var last: StoreRecord.Position?
    /// The summary; nil until the whole file is read.
    private(set) var summary: RecordSummary?

    /// Opens a file and checks its first line.
    init(_ path: String) throws {
        self.path = path
        descriptor = try File.openRegular(path)
        struct Header: Decodable {
            let format: String
            let version: Int
        }
        let header = try nextLine() ?? []
        let versions = 1...RecordFormat.version
        guard !versions.contains(where: { header.elementsEqual(RecordFormat.header(version: $0).utf8) }) else { return }
        let other = try? JSONDecoder().decode(Header.self, from: Data(header))
        guard let other, other.format == "motivator accounts", other.version > RecordFormat.version else {
            throw foreign
        }
        throw error(
            "the file uses format version \(other.version); this program supports version \(RecordFormat.version)",
            fix: "Use the version of the program that wrote the file, or a newer version")
    }

    /// Returns the next record, or nil at the end. At the end, also checks the counts and the digest.
    func next() throws -> StoreRecord? {
        guard summary == nil else { return nil }
        guard let text = try nextLine() else { throw truncated }
        if text.starts(with: "{\"end\":".utf8) { return try finish(text) }
        guard let record = try? JSONDecoder().decode(StoreRecord.self, from: Data(text)), record.isValid,
            tally.add(record).dropLast().elementsEqual(text)
        else { throw malformed }
        if let last, record.position <= last { throw error("the records are not in ascending order") }
        last = record.position
        return record
    }

    private func finish(_ text: [UInt8]) throws -> StoreRecord? {
        let found = tally.finish()
        guard text.elementsEqual(found.json.utf8) else {
            throw error("the counts or the SHA-256 digest do not match the records above")
        }
        guard try nextLine() == nil else { throw error("the file continues after the end of the export") }
        summary = found
        return nil
    }

    /// Returns the next line without its line break; nil at the end of the file.
    private func nextLine() throws -> [UInt8]? {
        line += 1
        while true {
            if let end = buffer[start...].firstIndex(of: .lineFeed) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            buffer.removeFirst(start)
            start = 0
            let part = try File.readPart(descriptor.number, path: path)
            if part.isEmpty, buffer.isEmpty { return nil }
            guard !part.isEmpty, buffer.count <= RecordFormat.longestLine else {
                throw line == 1 ? foreign : part.isEmpty ? truncated : malformed
            }
            buffer += part
        }
    }

    private var foreign: ExplainedFailure {
        error("this is not an accounts export", fix: "Use a file from motivator database export")
    }

    private var truncated: ExplainedFailure {
        error("the file is truncated", fix: "Copy the file again, or export again")
    }

    private var malformed: ExplainedFailure { error("this is not a valid record") }

    /// Returns the reason the file cannot be imported.
    /// - Parameter number: the line; nil for the current line.
    func error(
        _ problem: String, fix: String = "The file was changed after the export. Export again", line number: Int? = nil
    ) -> ExplainedFailure {
        ExplainedFailure("\(path.quoted): line \(number ?? line): \(problem)", fix: fix, exitCode: .badInput)
    }
}
