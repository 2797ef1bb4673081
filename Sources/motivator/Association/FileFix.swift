import AssociatedDomains
import AssociationChecker
import MotivatorPlatform
import SourceJSON

/// The changes of a file that need no choice.
struct FileFix {
    /// The maximum number of changes in one file. A file with more mistakes was not written by hand.
    private static let maximumChanges = 1_000
    private static let maximumBackups = 100

    let path: String
    let original: [UInt8]
    private(set) var fixed: [UInt8]
    private var report: Report

    /// Applies changes as long as each removes an issue and makes no verdict worse.
    init(_ path: String, _ check: ([UInt8]) -> Report) throws {
        let original = try File.readInput(path, limit: AssociationFile.readLimit)
        (self.path, self.original) = (path, original)
        (fixed, report) = (original, check(original))
        var changes = 0
        while changes < Self.maximumChanges, applyNext(check) { changes += 1 }
    }

    /// Applies the first change that helps. Returns false if there is none.
    private mutating func applyNext(_ check: ([UInt8]) -> Report) -> Bool {
        for issue in report.issues {
            guard let changed = issue.replacement?.applied(to: fixed) else { continue }
            let after = check(changed)
            guard after.improves(on: report, issue) else { continue }
            (fixed, report) = (changed, after)
            return true
        }
        return false
    }

    /// The changed lines: each with its number, the removed ones first.
    var diff: String {
        let (old, new) = (original.lines, fixed.lines)
        let changes = new.difference(from: old).map { change -> (line: Int, text: String) in
            switch change {
            case .remove(let offset, let line, _): (2 * offset, "-\(offset + 1): \(line.printable)")
            case .insert(let offset, let line, _): (2 * offset + 1, "+\(offset + 1): \(line.printable)")
            }
        }
        return changes.sorted { $0.line < $1.line }.map { "\($0.text)\n" }.joined()
    }

    /// Keeps a backup, and replaces the file in one step.
    func write() throws -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw FileError.notFound(path: path) }
        let names = (1...Self.maximumBackups).map { "\(path).\($0 == 1 ? "" : "\($0).")bak" }
        let backup = try require(
            names.first { unsafe access($0, F_OK) != 0 }, "\(path.quoted) has \(Self.maximumBackups) backups",
            fix: "Delete old backups")
        try File.write(original, to: backup, mode: status.st_mode & 0o777)
        try File.write(fixed, to: path, mode: status.st_mode & 0o777)
        return backup
    }
}

extension Report {
    private func count(of code: String) -> Int {
        issues.reduce(0) { $1.code == code ? $0 + 1 + $1.more : $0 }
    }

    fileprivate func improves(on other: Report, _ issue: Issue) -> Bool {
        let (left, before) = (count(of: issue.code), other.count(of: issue.code))
        let next = issues.first { $0.code == issue.code }?.location
        // After a change, the parser can reach an error that it did not reach before.
        let isNext = issue.kind is JSONError && left == before && next.map { $0 > issue.location ?? $0 } == true
        return (left < before || isNext)
            && Profile.allCases.allSatisfy { verdict($0) == other.verdict($0) || verdict($0) == .associated }
    }
}

extension [UInt8] {
    fileprivate var lines: [String] {
        split(separator: 0x0A, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
}
