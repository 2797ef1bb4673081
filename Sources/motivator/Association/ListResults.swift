import AssociatedDomains
import AssociationChecker
import Foundation
import MotivatorPlatform

/// The result for a target, from the best to the worst.
enum Standing: String, Decodable, CaseIterable, Comparable {
    case associated, retry, denied
    /// The target cannot be checked, for example because a file does not exist.
    case unreadable

    static func < (one: Standing, other: Standing) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What the summary and a later run need of a result.
struct ResultRecord: Decodable, Equatable {
    /// The maximum length of a line in bytes. The largest reports have less than 1 MB.
    static let maximumLine = 16 << 20

    let number: Int
    let input: String
    let profile: String
    let verdict: Standing
    let exitCode: Int32
    /// The codes of the errors and warnings that are not ignored, sorted.
    var codes: [String]

    var json: JSONNode {
        [
            "number": .number(number), "input": .text(input), "profile": .text(profile),
            "verdict": .text(verdict.rawValue), "exit_code": .number(Int(exitCode)), "codes": .texts(codes),
        ]
    }

    /// Reads the results of an earlier run.
    /// - Parameters:
    ///   - profile: the profile that the results must have.
    ///   - isResumed: whether to ignore an incomplete last line, which a canceled run can leave.
    /// - Returns: the results, and the length of the lines read.
    static func read(
        _ source: LineSource, profile: String, isResumed: Bool, by key: (ResultRecord) -> Int
    ) throws -> (records: [Int: ResultRecord], end: Int) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        var records: [Int: ResultRecord] = [:]
        // Most targets share their codes with other targets.
        var shared: [[String]: [String]] = [:]
        var (number, end) = (0, 0)
        while let line = try source.next(), line.isComplete || !isResumed {
            number += 1
            guard var record = try? decoder.decode(ResultRecord.self, from: Data(line.isTooLong ? [] : line.bytes)),
                record.profile == profile
            else {
                throw ExplainedFailure(
                    "line \(number) of \(source.path.quoted) is not a result of check --format ndjson for the profile "
                        + profile, fix: "Use the results and the --profile of an earlier run", exitCode: .badInput)
            }
            record.codes = shared[record.codes] ?? record.codes
            shared[record.codes] = record.codes
            records[key(record)] = record
            end = line.end
        }
        return (records, end)
    }
}

/// The difference between a result and the result of the baseline.
struct Change {
    enum Kind: String, CaseIterable { case worse, better, changed, new, same }

    let kind: Kind
    /// Whether the difference makes the exit code 1.
    let fails: Bool
    let before: Standing?
    private(set) var added: [String] = []
    private(set) var removed: [String] = []

    /// - Parameter failsOnWarnings: whether another warning counts as worse.
    init(from old: ResultRecord?, to new: ResultRecord, failsOnWarnings: Bool) {
        before = old?.verdict
        guard let old else {
            (kind, fails) = (.new, new.exitCode != 0)
            return
        }
        added = new.codes.filter { !old.codes.contains($0) }
        removed = old.codes.filter { !new.codes.contains($0) }
        let isEqual = new.verdict == old.verdict
        let isWorse = new.verdict > old.verdict || (failsOnWarnings && isEqual && !added.isEmpty)
        fails = isWorse && new.exitCode != 0
        kind = isWorse ? .worse : !isEqual ? .better : old.codes == new.codes ? .same : .changed
    }

    var json: JSONNode {
        [
            "change": .text(kind.rawValue), "verdict": .optional(before?.rawValue), "added": .texts(added),
            "removed": .texts(removed),
        ]
    }
}

struct ListSummary: Sendable {
    private(set) var done = 0
    /// The number of results of an earlier run.
    private var resumed = 0
    private var verdicts: [Standing: Int] = [:]
    private var changes: [Change.Kind: Int] = [:]
    private var codes: [String: Int] = [:]
    private var exitCodes: Set<Int32> = []

    /// - Parameter change: the difference from the baseline, if there is a baseline.
    mutating func add(_ record: ResultRecord, _ change: Change?, isResumed: Bool) {
        done += 1
        if isResumed { resumed += 1 }
        verdicts[record.verdict, default: 0] += 1
        for code in record.codes { codes[code, default: 0] += 1 }
        if let change { changes[change.kind, default: 0] += 1 }
        exitCodes.insert(change.map { $0.fails ? 1 : 0 } ?? record.exitCode)
    }

    var exitCode: ExitCode { exitCodes.contains(1) ? .no : exitCodes.contains(75) ? .temporary : .yes }

    /// The tables of the verdicts, of the changes, and of the ten most frequent codes.
    func text(width: Int) -> String {
        func row(_ name: String, _ count: Int?) -> StatusTable.Row? {
            count.map {
                .init(
                    level: .neutral, status: "\($0)", subject: name,
                    message: Diagnostic.named(name)?.text ?? "\(100 * $0 / done) %")
            }
        }
        let frequent = codes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(10)
        let sections = [
            StatusTable.Section(
                title: "Verdicts of \(done) target\(done == 1 ? "" : "s")",
                rows: Standing.allCases.compactMap { row($0.rawValue, verdicts[$0]) }),
            .init(
                title: "Compared with the baseline",
                rows: Change.Kind.allCases.compactMap { row($0.rawValue, changes[$0]) }),
            .init(
                title: "Most frequent codes, with the rules that are broken",
                rows: frequent.compactMap { row($0.key, $0.value) }),
        ]
        return StatusTable(sections: sections.filter { !$0.rows.isEmpty }, width: width).text
    }

    /// Returns the progress on one line: a bar, the rate, and the remaining time.
    /// - Parameter total: the number of targets, or nil if it is unknown.
    func progress(of total: Int?, seconds: Double) -> String {
        let rate = Double(done - resumed) / max(seconds, 0.001)
        guard let total, total > 0 else { return "Checked \(done) targets, \(Int(rate.rounded()))/s" }
        let filled = min(20 * done / total, 20)
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 20 - filled)
        let speed = "[\(bar)] \(done) of \(total), \(Int(rate.rounded()))/s"
        guard rate > 0 else { return speed }
        // At a rate close to 0, the time exceeds any integer.
        let left = Int(min(Double(max(total - done, 0)) / rate, 359_999).rounded(.up))
        let time = [left / 3_600, left / 60 % 60, left % 60].map { ($0 < 10 ? "0" : "") + String($0) }
        return "\(speed), \(time.joined(separator: ":")) left"
    }
}
