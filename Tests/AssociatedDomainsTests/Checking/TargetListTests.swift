import MotivatorPlatform
import TestSupport
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import motivator

@Suite("Lists of targets") struct TargetListTests {
    /// Writes a list to a file, and reads its targets.
    private func targets(_ bytes: [UInt8]) throws -> [ListedTarget] {
        let folder = try TemporaryDirectory()
        let source = try LineSource(folder.write(bytes, to: "list"), limit: TargetList.maximumLine)
        let list = TargetList(CheckRequest(), lines: source.next)
        var found: [ListedTarget] = []
        while let target = try list.next() { found.append(target) }
        #expect(found.map(\.number) == Array(found.indices.map { $0 + 1 }))
        return found
    }

    /// A list, and the targets in it. The rules are in docs/associated-domains.md, "Many sites".
    static let lists: [(name: String, bytes: [UInt8], targets: [String])] = [
        ("lines", Array("a.test\nb.test\n".utf8), ["a.test", "b.test"]),
        ("no line feed at the end", Array("a.test\nb.test".utf8), ["a.test", "b.test"]),
        ("empty lines and comments", Array("\n# all\na.test\n \t\r\n #b.test\nc.test\n".utf8), ["a.test", "c.test"]),
        ("CRLF and spaces", Array("a.test\r\n  b.test \r\n".utf8), ["a.test", "b.test"]),
        ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array("a.test\n".utf8), ["a.test"]),
        ("a comment after a byte order mark", [0xEF, 0xBB, 0xBF] + Array("# a\nb.test\n".utf8), ["b.test"]),
        ("a number sign in a path", Array("files/a#b\n".utf8), ["files/a#b"]),
        ("nothing", [], []),
    ]

    @Test("Every line except comments and empty lines is a target", arguments: lists)
    func lines(_ name: String, _ bytes: [UInt8], _ expected: [String]) throws {
        let found = try targets(bytes)
        #expect(found.map(\.input) == expected, "\(name)")
        #expect(try found.map { try $0.parsed.get().target } == expected, "\(name)")
    }

    static let unusableLines: [(name: String, line: [UInt8], reason: String)] = [
        ("NUL", Array("a\0.test".utf8), "is not text in UTF-8"),
        ("invalid UTF-8", [0x61, 0xFF, 0x2E], "is not text in UTF-8"),
        ("a long line", [UInt8](repeating: 0x61, count: 70_000), "is longer than 4096 bytes"),
        ("standard input", Array("-".utf8), "is not a target"),
        ("no host", Array("\tD3KQX62K1A.com.example.App".utf8), "is not a target"),
        ("too many fields", Array("a.test\t\t\tb".utf8), "is not a target"),
        ("not an app", Array("a.test\tApp".utf8), "App"),
        ("not a service", Array("a.test\t\tpush".utf8), "\"push\" is not a known service"),
    ]

    @Test("A line that cannot be checked is one target among the others", arguments: unusableLines)
    func unusable(_ name: String, _ line: [UInt8], _ reason: String) throws {
        let found = try targets(Array("a.test\n".utf8) + line + Array("\nb.test\n".utf8))
        try #require(found.count == 3, "\(name)")
        #expect(found[2].input == "b.test")
        #expect(found[1].input.utf8.count < 200)
        let error = #expect(throws: ExplainedFailure.self) { try found[1].parsed.get() }
        #expect(error?.problem.contains(reason) == true, "\(name): \(error?.problem ?? "")")
    }

    @Test("A line can name the app and the service")
    func fields() throws {
        let found = try targets(Array("a.test\tD3KQX62K1A.com.example.App\t webcredentials\nb.test\t\tapplinks\n".utf8))
        let (host, request) = try found[0].parsed.get()
        #expect(host == "a.test")
        #expect(request.apps.map(\.description) == ["D3KQX62K1A.com.example.App"])
        #expect(request.service == .webcredentials)
        #expect(try found[1].parsed.get().request.apps.isEmpty)
    }

    @Test("A list in UTF-16 is refused", arguments: [[0xFF, 0xFE, 0x61, 0], [0xFE, 0xFF, 0, 0x61]] as [[UInt8]])
    func otherEncoding(_ bytes: [UInt8]) throws {
        #expect(throws: ExplainedFailure.self) { try targets(bytes) }
    }

    @Test(
        "A shard that does not exist is a usage error",
        arguments: ["0/0", "0/4", "5/4", "1/0", "-1/4", "1", "1/", "/1", "a/b", "1/2/3", "1/99999999999999999999", ""])
    func wrongShard(_ text: String) {
        #expect(throws: (any Error).self) { try Shard(text) }
    }

    @Test("The shards of a list contain each target once")
    func shards() throws {
        let shards = try (1...3).map { try Shard("\($0)/3") }
        for number in 1...20 { #expect(shards.count { $0.contains(number) } == 1) }
        #expect(shards[1].contains(2) && shards[1].contains(5))
    }

    @Test("Each job runs once, and at most the given number at the same time")
    func workers() {
        let running = Guarded((now: 0, most: 0, sum: 0))
        var jobs = Array(1...500)[...]
        Workers.run(7, next: { jobs.popFirst() }) { job in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.sum + job) }
            running.withLock { $0.now -= 1 }
        }
        let (now, most, sum) = running.withLock { $0 }
        #expect((now, sum) == (0, 125_250))
        #expect((1...7).contains(most))
    }
}

@Suite("Results of an earlier run") struct EarlierResultsTests {
    private func results(
        _ text: String, limit: Int = ResultRecord.maximumLine, isResumed: Bool = true
    ) throws -> (records: [Int: ResultRecord], end: Int) {
        let folder = try TemporaryDirectory()
        let source = try LineSource(folder.write(text, to: "r"), limit: limit)
        return try ResultRecord.read(source, profile: "device", isResumed: isResumed) { $0.number }
    }

    private func record(_ standing: Standing, _ codes: [String] = [], number: Int = 1) -> ResultRecord {
        ResultRecord(
            number: number, input: "a.test", profile: "device", verdict: standing,
            exitCode: standing == .associated ? 0 : 1, codes: codes)
    }

    private func line(_ record: ResultRecord) -> String {
        String(decoding: record.json.adding("report", ["codes": ["z"]]).line(), as: UTF8.self)
    }

    @Test("The results of an earlier run are read in any order")
    func read() throws {
        let records = [
            record(.denied, ["x", "y"], number: 2), record(.associated), record(.denied, ["x", "y"], number: 7),
        ]
        let text = records.map(line).joined()
        let (found, end) = try results(text)
        #expect(found == [1: records[1], 2: records[0], 7: records[2]])
        #expect(end == text.utf8.count)
    }

    @Test("An incomplete last line does not count", arguments: ["{\"number\":2,", "\0", "{}", "\u{FEFF}"])
    func incomplete(_ rest: String) throws {
        let complete = line(record(.associated))
        let found = try results(complete + rest)
        #expect((found.records.count, found.end) == (1, complete.utf8.count))
        #expect(throws: ExplainedFailure.self) { try results(complete + rest, isResumed: false) }
    }

    @Test("The last line of a baseline counts without a line break")
    func lastLine() throws {
        let text = line(record(.associated)) + line(record(.denied, number: 2)).dropLast()
        #expect(try results(text, isResumed: false).records.count == 2)
        #expect(try results(text).records.count == 1)
    }

    static let wrong = [
        "{}\n", "\n", "not JSON\n", "\u{FEFF}{}\n", "\0\n", "[[[[\n", #"{"number":"1"}"# + "\n",
        #"{"number":1,"input":"a","profile":"device","verdict":"great","exit_code":0,"codes":[]}"# + "\n",
        #"{"number":1,"input":"a","profile":"ios8","verdict":"denied","exit_code":1,"codes":[]}"# + "\n",
        #"{"number":1e99,"input":"a","profile":"device","verdict":"denied","exit_code":1,"codes":[]}"# + "\n",
    ]

    @Test("A line that is not a result is refused with its number", arguments: wrong)
    func wrongLine(_ text: String) throws {
        let error = #expect(throws: ExplainedFailure.self) { try results(line(record(.associated)) + text) }
        #expect(error?.problem.hasPrefix("line 2 of") == true)
        #expect(error?.exitCode == .badInput)
    }

    @Test("A line above the limit is refused")
    func longLine() throws {
        let text = line(record(.associated))
        #expect(try results(text, limit: text.utf8.count).records.count == 1)
        #expect(throws: ExplainedFailure.self) { try results(text, limit: text.utf8.count - 2) }
    }

    /// The results before and after, the kind of the change, and whether it makes the exit code 1.
    static let changes: [(before: (Standing, [String])?, after: (Standing, [String]), Change.Kind, fails: Bool)] = [
        ((.associated, []), (.associated, []), .same, false),
        ((.associated, ["x"]), (.associated, ["y"]), .changed, false),
        ((.denied, ["x"]), (.denied, ["x"]), .same, false),
        ((.denied, ["x"]), (.associated, []), .better, false),
        ((.associated, []), (.retry, ["x"]), .worse, true),
        ((.retry, []), (.denied, ["x"]), .worse, true),
        ((.denied, []), (.unreadable, []), .worse, true),
        (nil, (.associated, ["x"]), .new, false),
        (nil, (.denied, ["x"]), .new, true),
    ]

    @Test("A change is worse only if the verdict is worse, or if the target is new and fails", arguments: changes)
    func change(
        _ before: (Standing, [String])?, _ after: (Standing, [String]), _ kind: Change.Kind, _ fails: Bool
    ) {
        let change = Change(
            from: before.map { record($0.0, $0.1) }, to: record(after.0, after.1), failsOnWarnings: false)
        #expect((change.kind, change.fails) == (kind, fails))
    }

    @Test("With --fail-on warning, another warning is worse")
    func warnings() {
        let after = ResultRecord(
            number: 1, input: "a.test", profile: "device", verdict: .associated, exitCode: 1, codes: ["x", "y"])
        let change = Change(from: record(.associated, ["x"]), to: after, failsOnWarnings: true)
        #expect((change.kind, change.fails, change.added) == (.worse, true, ["y"]))
        #expect(Change(from: after, to: record(.associated, ["x"]), failsOnWarnings: true).kind == .changed)
    }

    @Test("The summary counts verdicts and the most frequent codes, and has the worst exit code")
    func summary() {
        var summary = ListSummary()
        #expect(summary.exitCode == .yes)
        for _ in 0..<3 { summary.add(record(.associated), nil, isResumed: true) }
        summary.add(record(.denied, ["http-redirect", "json-comment"]), nil, isResumed: false)
        summary.add(record(.unreadable, ["json-comment"]), nil, isResumed: false)
        #expect(summary.exitCode == .no)
        let lines = summary.text(width: 200).split(separator: "\n")
        #expect(lines.first == "Verdicts of 5 targets")
        #expect(lines.contains { $0.hasPrefix("3  associated") })
        let first = lines.firstIndex { $0.hasPrefix("2  json-comment") }
        let second = lines.firstIndex { $0.hasPrefix("1  http-redirect") }
        #expect(first != nil && second != nil && (first ?? 0) < (second ?? 0))
    }

    @Test("A denied target determines the exit code, even if another one may succeed later")
    func exitCodes() {
        var summary = ListSummary()
        for (code, worst) in [(0, 0), (75, 75), (1, 1), (75, 1)] as [(Int32, Int32)] {
            let record = ResultRecord(
                number: 1, input: "a.test", profile: "device", verdict: .associated, exitCode: code, codes: [])
            summary.add(record, nil, isResumed: false)
            #expect(summary.exitCode.rawValue == worst)
        }
    }

    @Test("The progress has the rate of this run, and the remaining time")
    func progress() {
        var summary = ListSummary()
        #expect(summary.progress(of: 4, seconds: 0) == "[--------------------] 0 of 4, 0/s")
        summary.add(record(.associated), nil, isResumed: true)
        summary.add(record(.associated), nil, isResumed: false)
        #expect(summary.progress(of: 4, seconds: 0.5) == "[##########----------] 2 of 4, 2/s, 00:00:01 left")
        #expect(summary.progress(of: 8_000, seconds: 1) == "[--------------------] 2 of 8000, 1/s, 02:13:18 left")
        #expect(summary.progress(of: nil, seconds: 1) == "Checked 2 targets, 1/s")
        #expect(summary.progress(of: Int.max / 32, seconds: 1e9).hasSuffix(", 99:59:59 left"))
        #expect(summary.progress(of: 1, seconds: 1).hasPrefix("[####################] 2 of 1,"))
    }
}
