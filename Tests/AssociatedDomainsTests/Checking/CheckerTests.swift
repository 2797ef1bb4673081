import Testing

@testable import AssociatedDomains

@Suite("The checker") struct CheckerTests {
    @Test("A file gets the verdicts and findings of a careful reader", arguments: FileCases.all)
    func file(_ check: CheckCase) throws { try check.verify() }

    @Test("An entitlement is held against the host", arguments: EntitlementCases.all)
    func entitlement(_ check: CheckCase) throws { try check.verify() }

    @Test("A site gets its verdict in each reading", arguments: SiteCases.all)
    func site(_ check: CheckCase) throws { try check.verify() }

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
