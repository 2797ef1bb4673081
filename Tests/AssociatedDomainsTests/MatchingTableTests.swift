import Testing

@testable import HTTPSClient
@testable import UniversalLinks

@Suite("Matching a URL")
struct MatchingTableTests {
    static let cases = MatchingPathCases.all + MatchingQueryCases.all + MatchingFileCases.all

    @Test("The table covers the rules, and each case is different")
    func size() {
        #expect(Self.cases.count >= 260)
        let same = Dictionary(grouping: Self.cases) { "\($0.applinks) \($0.url) \($0.asked ?? "")" }
        #expect(same.values.filter { $0.count > 1 }.flatMap { $0.map(\.name) } == [])
    }

    @Test("A URL has the outcome that the rules require", arguments: cases)
    func outcome(_ test: MatchingCase) throws {
        let match = try test.links().match(try WebURL(test.url), app: test.asked)
        #expect(MatchingCase.Expectation(match) == test.expected, "\(test.source)")
    }

    @Test("The last entry of an explanation decides", arguments: cases)
    func explanation(_ test: MatchingCase) throws {
        let links = try test.links()
        let url = try WebURL(test.url)
        let match = links.match(url, app: test.asked)
        let entries = links.explain(url, app: test.asked)
        guard match.outcome != .unmatched else {
            #expect(!entries.contains { $0.outcome != .unmatched })
            return
        }
        let last = try #require(entries.last)
        #expect(last.outcome == match.outcome)
        #expect(last.app == match.app && last.detail == match.detail && last.component == match.component)
        #expect(last.location == match.location)
    }

    @Test("Each entry has a part for each key that was compared, and only the last part can fail", arguments: cases)
    func parts(_ test: MatchingCase) throws {
        for entry in try test.links().explain(try WebURL(test.url), app: test.asked) {
            #expect(!entry.parts.dropLast().contains { !$0.matched })
            #expect((entry.parts.last?.matched ?? true) == (entry.outcome != .unmatched))
            #expect(!entry.parts.contains { !(0...$0.value.unicodeScalars.count).contains($0.furthest) })
            #expect(!entry.sentence.isEmpty && !entry.sentence.hasSuffix(".") && !entry.sentence.contains("\n"))
        }
    }
}
