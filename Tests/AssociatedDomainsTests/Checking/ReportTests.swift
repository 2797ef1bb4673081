import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import SourceJSON

@Suite("Reports") struct ReportTests {
    private static let refused = HTTPIssue.refused(404)
    private static let redirect = HTTPIssue.redirect(status: 301, to: "b")

    private func issue(_ issue: HTTPIssue, _ effects: SeverityByProfile, _ subject: String = "a")
        -> AssociationChecker.Issue
    {
        Issue(issue, in: subject, effects)
    }

    private func report(_ issues: [AssociationChecker.Issue]) -> Report {
        Report(target: "example.com", issues: issues)
    }

    @Test("The most serious effect decides the verdict of a profile")
    func verdicts() {
        let effects: [(Effect?, Verdict)] = [
            (nil, .associated), (.note, .associated), (.warning, .associated), (.retry, .retry), (.denial, .denied),
        ]
        for (first, one) in effects {
            for (second, other) in effects {
                var (mine, yours) = (SeverityByProfile(), SeverityByProfile())
                (mine[.device], yours[.device]) = (first, second)
                let found = report([issue(Self.refused, mine), issue(Self.redirect, yours, "b")]).verdict(.device)
                let order: [Verdict] = [.associated, .retry, .denied]
                let worst = order.last { $0 == one || $0 == other }
                #expect(found == worst, "\(String(describing: first)), \(String(describing: second))")
            }
        }
    }

    @Test("The cause of a verdict is the first issue with the most serious effect")
    func causes() {
        let found = report([
            issue(Self.refused, .all(.warning)), issue(Self.redirect, .all(.denial), "b"),
            issue(.redirectLoop(count: 1, to: "c"), .all(.denial), "c"),
        ])
        #expect(found.causes[.device]?.code == "http-redirect")
        #expect(report([]).causes[.device] == nil)
    }

    @Test("A verdict is unproven if a source confirms neither it nor another error")
    func unproven() {
        let (open, settled) = (SeverityByProfile.all(.denial).unproven(in: .documented), SeverityByProfile.all(.denial))
        #expect(report([issue(Self.refused, open)]).isUnproven(.documented))
        #expect(!report([issue(Self.refused, open)]).isUnproven(.device))
        #expect(!report([issue(Self.refused, settled)]).isUnproven(.documented))
        #expect(!report([issue(Self.refused, open), issue(Self.redirect, settled, "b")]).isUnproven(.documented))
        #expect(!report([issue(Self.refused, open), issue(Self.redirect, .all(.retry), "b")]).isUnproven(.documented))
        #expect(report([issue(Self.refused, open), issue(Self.redirect, .all(.warning), "b")]).isUnproven(.documented))
    }

    @Test("Equal issues of several profiles are merged, and different ones are not")
    func merged() {
        var (device, documented) = (SeverityByProfile(), SeverityByProfile())
        (device[.device], documented[.documented]) = (.denial, .warning)
        let found = report([
            issue(Self.refused, device), issue(Self.refused, documented), issue(Self.redirect, device, "b"),
        ])
        #expect(found.issues.count == 2)
        #expect(found.issues(in: [.documented]).map(\.code) == ["http-status-refused"])
        #expect(found.issues(in: [.ios8]).isEmpty)
    }

    @Test("Issues have the order of their effects, profile by profile, and then of their locations")
    func order() {
        func found(_ offset: Int, _ effects: SeverityByProfile) -> AssociationChecker.Issue {
            let location = SourceJSON.SourceLocation(line: 1, column: offset + 1, offset: offset)
            return AssociationChecker.Issue(Self.refused, in: "a", at: location, effects)
        }
        let issues = [
            found(0, SeverityByProfile(documented: .denial)), found(8, .all(.warning)), found(1, .all(.note)),
            found(2, .all(.warning)), found(9, .all(.denial)), found(7, .all(.retry)),
        ]
        #expect(report(issues).issues.map { $0.location?.offset } == [9, 7, 2, 8, 1, 0])
    }

    @Test("Of two equal issues, the more serious effect counts in each profile")
    func mergedEffects() {
        let warning = issue(Self.refused, .all(.warning))
        let denial = issue(Self.refused, SeverityByProfile(device: .denial, documented: .note))
        let worst = SeverityByProfile(device: .denial, documented: .warning, ios9: .warning, ios8: .warning)
        for issues in [[warning, denial], [denial, warning]] {
            #expect(report(issues).issues.map(\.effects) == [worst])
        }
    }

    @Test("An ignored issue counts for the verdict, but not for the exit code")
    func ignored() {
        let (denial, retry) = (issue(Self.refused, .all(.denial)), issue(Self.redirect, .all(.retry), "b"))
        let found = report([retry, denial]).ignoring { $0.code == denial.code }
        #expect(found.issues.map(\.isIgnored) == [true, false])
        #expect(found.verdict(.device) == .denied && found.verdictForExit(.device) == .retry)
        let all = found.ignoring { _ in true }
        #expect(all.verdict(.device) == .denied && all.verdictForExit(.device) == .associated)
        #expect(all.ignoring { _ in false }.verdictForExit(.device) == .denied)
    }

    @Test("A failed URL test does not change the verdict, but the exit code")
    func failedTest() {
        let found = LinkTestCases.report(LinkTestCases.file, "https://example.com/help → app")
        #expect(found.verdict(.device) == .associated && found.verdictForExit(.device) == .denied)
    }

    @Test("The conclusion has the verdict and the numbers of errors and warnings")
    func conclusion() {
        let (denial, warning) = (issue(Self.refused, .all(.denial)), issue(Self.redirect, .all(.warning), "b"))
        #expect(report([]).conclusion(.device).hasSuffix(" will accept example.com."))
        #expect(report([warning]).conclusion(.device).hasSuffix(" will accept example.com: 1 warning."))
        #expect(
            report([denial, warning]).conclusion(.device).hasSuffix(
                " will not accept example.com: 1 error, 1 warning."))
        let two = report([denial, issue(.redirectLoop(count: 1, to: "c"), .all(.denial), "c")])
        #expect(two.conclusion(.device).hasSuffix(" will not accept example.com: 2 errors."))
        let retry = report([issue(.serverError(503, retryAfter: nil), .all(.retry))]).conclusion(.device)
        #expect(retry.contains(" cannot accept example.com at the moment and will try again: 1 error."))
    }

    /// Both paths have a file that lists only this app.
    private func site(_ wellKnown: String, _ root: String) throws -> Report {
        var request = CheckRequest()
        request.apps = [try AppIdentifier(demoApp)]
        let fetches = [
            FileFetch(path: .wellKnown, steps: [try SiteBuilder.good(SiteBuilder.wellKnown, credentials(wellKnown))]),
            FileFetch(path: .root, steps: [try SiteBuilder.good(SiteBuilder.root, credentials(root))]),
        ]
        return Checker(request, at: 1_700_000_000).check(
            fetches: fetches, site: "example.com", host: "example.com")
    }

    @Test("If only the root's file lists the app, the documented verdict is unproven")
    func twoFiles() throws {
        let other = "D3KQX62K1A.com.example.Other"
        let onlyRoot = try site(other, demoApp)
        #expect(onlyRoot.verdict(.documented) == .denied && onlyRoot.isUnproven(.documented))
        #expect(onlyRoot.verdict(.ios9) == .denied && !onlyRoot.isUnproven(.ios9))
        #expect(try !site(demoApp, other).isUnproven(.documented))
        let neither = try site(other, "D3KQX62K1A.com.example.Third")
        #expect(neither.verdict(.documented) == .denied && !neither.isUnproven(.documented))
    }
}
