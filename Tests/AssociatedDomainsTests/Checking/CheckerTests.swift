import Testing

@testable import AssociationChecker
@testable import SourceJSON

@Suite("The checker") struct CheckerTests {
    @Test("A file gets the verdicts and findings of a careful reader", arguments: FileCases.all)
    func file(_ check: CheckCase) throws { try check.verify() }

    @Test("An entitlement is held against the host", arguments: EntitlementCases.all)
    func entitlement(_ check: CheckCase) throws { try check.verify() }

    @Test("A site gets its verdict in each reading", arguments: SiteCases.all)
    func site(_ check: CheckCase) throws { try check.verify() }

    @Test("A finding in a file in UTF-16 points into the text that the report has of it")
    func otherEncoding() throws {
        let text = #"{"webcredentials":{"apps":["short"]}}"#
        let bytes = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let report = Checker(Question(), trust: [], at: 0).check(file: bytes, name: "file")
        let finding = try #require(report.findings.first { $0.message.contains("short") })
        let place = try #require(finding.place)
        let shown = try #require(report.texts["file"])
        #expect(shown == Array(text.utf8))
        #expect(shown.dropFirst(place.offset).starts(with: #""short""#.utf8))
    }

    @Test("What an entry is taken for is said once, and each finding has something that it is about")
    func once() {
        for host in ["example.com", nil] {
            var question = Question()
            question.entries = [.init("webcredentials:*.example.com"), .init(""), .init("  ")]
            question.domain = host
            let findings = Checker(question, at: 0).checkEntries(name: "entries").findings
            #expect(findings.count { $0.code == "entitlement-wildcard-root" } == 1)
            #expect(findings.allSatisfy { !$0.subject.allSatisfy(\.isWhitespace) })
        }
    }

    @Test("Every entry and URL that is somewhere else has a remedy")
    func remedies() {
        var question = Question()
        question.entries = [.init("webcredentials:*.example.com")]
        question.domain = "www.example.com"
        let findings = Checker(question, at: 0).checkEntries(name: "entries").findings
        #expect(findings.contains { $0.code == "entitlement-file-elsewhere" })
        #expect(findings.allSatisfy { !$0.remedy.isEmpty })
    }

    @Test("No code is without a sentence, a reason, a source with a date, and a case that leads to it")
    func everyCode() {
        #expect(Set(Rule.all.map(\.code)).count == Rule.all.count)
        let cases = FileCases.all + LinkCases.all + EntitlementCases.all + SiteCases.all + SignatureCases.all
        let covered = cases.reduce(into: Set<String>()) { $0.formUnion($1.codes) }
        for rule in Rule.all {
            #expect(rule.text.hasSuffix(".") && rule.reason.hasSuffix("."), "\(rule.code)")
            #expect(!rule.consequences.readings.isEmpty, "\(rule.code) has no consequence")
            #expect(!rule.source.title.isEmpty && rule.source.date.contains("20"), "\(rule.code) has no source or date")
            #expect(covered.contains(rule.code), "\(rule.code) has no case")
        }
        #expect(covered.isSubset(of: Rule.all.map(\.code)))
    }
}
