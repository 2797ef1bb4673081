public import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import SourceJSON

/// The result for an app and a domain, according to the rules of one profile.
public enum Verdict: String, Sendable, Hashable {
    /// The app and the domain are associated.
    case associated
    /// The app and the domain are not associated until the app or the site changes.
    case denied
    /// The app and the domain are not associated at the moment, but the device tries again automatically.
    case retry

    init(_ worst: Effect?) {
        switch worst {
        case .denial: self = .denied
        case .retry: self = .retry
        case .warning, .note, nil: self = .associated
        }
    }
}

/// The result of a check.
public struct Report: Sendable {
    /// The target, as entered by the user.
    public let target: String
    /// The verdict of each profile.
    public private(set) var verdicts: [Profile: Verdict] = [:]
    /// The issues, sorted by severity and then by location.
    public private(set) var issues: [Issue]
    /// Whether a URL test failed. Failed tests do not change the verdicts.
    package private(set) var hasFailedTests = false
    private var passedTests = 0
    /// The requests to the site. Empty for a file.
    public let fetches: [FileFetch]
    /// The file that the first profile reads. Nil if no profile reads a file with JSON.
    public let file: AssociationFile?
    /// The texts that issue locations refer to, by subject.
    public private(set) var texts: [String: [UInt8]]
    /// The cause of each profile's verdict: the first issue, in the order of the checks, with the most serious effect.
    package private(set) var causes: [Profile: Issue] = [:]
    /// The statements of an assetlinks.json file, or nil if the check treated the file as Apple's.
    package let assetLinks: AssetLinks?
    private let apps: [String]
    /// The conclusions about passkeys; empty for other checks.
    var conclusions: [Profile: String] = [:]
    /// What a device does with a page, after "will" or "will not"; nil for other targets.
    private let pageAction: String?

    /// Returns the verdict of a profile.
    public func verdict(_ profile: Profile) -> Verdict { verdicts[profile] ?? .denied }

    package func denial(_ profile: Profile) -> Issue? { verdict(profile) == .associated ? nil : causes[profile] }

    /// Creates a report. `issues` may contain the same issue for several profiles.
    package init(
        target: String, issues: [Issue], apps: [AppIdentifier] = [], androidApps: [AndroidApp] = [],
        fetches: [FileFetch] = [], file: AssociationFile? = nil, assetLinks: AssetLinks? = nil,
        texts: [String: [UInt8]] = [:], pageAction: String? = nil
    ) {
        let merged = Report.merged(issues)
        (self.target, self.fetches, self.assetLinks, self.texts) = (target, fetches, assetLinks, texts)
        self.issues = merged.sorted(by: Report.isBefore)
        self.apps = apps.map(\.description) + androidApps.map(\.package)
        self.file = file?.root == nil ? nil : file
        self.pageAction = pageAction
        for profile in Profile.allCases {
            let worst = merged.compactMap { $0.effects[profile] }.max()
            causes[profile] = merged.first { worst != nil && $0.effects[profile] == worst }
            verdicts[profile] = Verdict(worst)
        }
    }

    /// Returns the report with the results of the request's URL tests.
    /// - Parameter site: The site that serves the file, or nil if it is unknown.
    func testingLinks(for request: CheckRequest, site: SiteTarget?) -> Report {
        // If a device cannot read the file, every test has the same cause.
        guard let tests = request.linkTests, assetLinks == nil, !issues.contains(where: \.voidsFile) else {
            return self
        }
        let (found, passed) = tests.run(on: self, for: request, site: site)
        var report = self
        (report.hasFailedTests, report.passedTests) = (!found.isEmpty, passed)
        report.issues = (issues + found).sorted(by: Report.isBefore)
        report.texts[tests.name] = tests.bytes
        return report
    }

    /// The report without the texts of responses that are not association files. Otherwise, the excerpts of a public
    /// checker would show parts of other pages.
    package var withoutOtherPages: Report {
        let names = Service.allCases.map { "\"\($0.rawValue)\"" } + ["\"relation\""]
        var report = self
        report.texts = texts.filter { subject, bytes in
            guard subject.contains("https://") else { return true }
            let text = String(decoding: bytes, as: UTF8.self)
            return text.first { !$0.isWhitespace } != "<" && names.contains { text.contains($0) }
        }
        for (index, issue) in issues.enumerated() where texts[issue.subject] != nil {
            if report.texts[issue.subject] == nil { report.issues[index].replacement = nil }
        }
        return report
    }

    /// Returns the report on the CDN's copy. If the origin is correct, only time changes the copy.
    package func asCopy(of origin: Report) -> Report {
        guard origin.verdict(.device) == .associated, verdict(.device) != .associated else { return self }
        let response = fetches.last?.steps.last?.fetched.response
        let fields = ["Age", "Cache-Control"].compactMap { name in
            response?.first(name).map { "\(name): \($0)".excerpt }
        }
        let age = fields.isEmpty ? "" : " (\(fields.joined(separator: ", ")))"
        let fix =
            "The origin is correct. Apple's CDN still sends an older response\(age), and requests the file again "
            + "within 24 hours. Until then, test with ?mode=developer."
        var report = self
        for (index, issue) in issues.enumerated() where issue.effects.device ?? .note >= .retry {
            report.issues[index].fix = issue.isOfCDN ? "\(issue.fix) \(fix)" : fix
            report.issues[index].replacement = nil
        }
        return report
    }

    /// Returns the report with some issues marked as ignored. The verdicts stay, because a device ignores no issue.
    package func ignoring(_ isIgnored: (Issue) -> Bool) -> Report {
        var report = self
        for index in issues.indices { report.issues[index].isIgnored = isIgnored(issues[index]) }
        return report
    }

    /// Returns the verdict of a profile without the ignored issues. A failed URL test counts as a denial.
    package func verdictForExit(_ profile: Profile) -> Verdict {
        Verdict(issues.filter { !$0.isIgnored }.compactMap { $0.effects[profile] }.max())
    }

    /// Returns the JSON of the file at a URL, without its signature, or nil if no profile reads the file.
    public func content(of url: String) -> [UInt8]? { texts[url] ?? texts[AssociationFile.contentSubject(url)] }

    /// Returns the issues that have an effect in at least one of the given profiles.
    public func issues(in profiles: [Profile]) -> [Issue] {
        issues.filter { $0.severity(in: profiles) != nil }
    }

    /// Returns whether no source confirms the verdict of a profile.
    public func isUnproven(_ profile: Profile) -> Bool {
        let isSettled = issues.contains { issue in
            [.denial, .retry].contains(issue.effects[profile]) && !issue.effects.unproven.contains(profile)
        }
        return !isSettled && issues.contains { $0.effects.unproven.contains(profile) }
    }

    /// Returns the conclusion of the check for a profile, as one sentence.
    /// - Parameter countsIssues: Whether the sentence has the number of issues.
    public func conclusion(_ profile: Profile, countsIssues: Bool = true) -> String {
        if let conclusion = conclusions[profile] { return conclusion }
        let isSite = !fetches.isEmpty
        let names = apps.joined(separator: " and ")
        let file = assetLinks == nil ? "the association file" : "assetlinks.json"
        let action =
            pageAction
            ?? (apps.isEmpty
                ? (isSite ? "accept \(file) of \(target)" : "accept \(target)")
                : (isSite ? "associate \(target) with \(names)" : "associate \(names) based on \(target)"))
        let counts = countsIssues ? counts(in: profile) : ""
        let reason = (counts.isEmpty ? "" : ": \(counts)") + (isUnproven(profile) ? " (unproven)." : ".")
        let actor = assetLinks == nil ? profile.actor : profile.androidActor
        return switch verdict(profile) {
        case .associated: "\(actor) will \(action)\(reason)\(assetLinks.map(relations) ?? "")"
        case .denied: "\(actor) will not \(action)\(reason)"
        case .retry where assetLinks != nil: "\(actor) cannot \(action) at the moment\(reason)"
        case .retry: "\(actor) cannot \(action) at the moment and will try again\(reason)"
        }
    }

    /// The result for each relation of an Android file, as sentences.
    private func relations(_ statements: AssetLinks) -> String {
        AssetLinks.Relation.shared.map { relation in
            let isGranted = statements.statements.contains { statement in
                statement.relations.contains(relation) && statement.package != nil
                    && (apps.isEmpty || statement.package.map(apps.contains) == true)
            }
            return " \(relation.meaning): \(isGranted ? "yes" : "no, \(relation.name) is missing")."
        }.joined()
    }

    /// Returns the number of issues for each severity, and of passed tests, such as "2 errors, 1 warning".
    package func counts(in profile: Profile, _ severities: [Severity] = [.error, .warning]) -> String {
        let counts = severities.compactMap { severity -> String? in
            let count = issues.count { $0.severity(in: profile) == severity }
            return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        let tests = passedTests == 0 ? [] : ["\(passedTests) URL test\(passedTests == 1 ? "" : "s") passed"]
        return (counts + tests).joined(separator: ", ")
    }

    /// Joins the effects of issues with the same code, message and location, and drops issues without effects.
    static func merged(_ issues: [Issue]) -> [Issue] {
        var merged: [Issue] = []
        var known: [IssueKey: Int] = [:]
        for issue in issues where !issue.effects.profiles.isEmpty {
            let key = IssueKey(code: issue.code, message: issue.message, location: issue.location)
            if let same = known[key] {
                merged[same].effects = merged[same].effects.joined(with: issue.effects)
                continue
            }
            known[key] = merged.count
            merged.append(issue)
        }
        return merged
    }

    /// The values that equal issues share. The key is hashable because a malicious file can cause tens of thousands of
    /// issues.
    private struct IssueKey: Hashable {
        let code: String
        let message: String
        let location: SourceLocation?
    }

    private static func isBefore(_ one: Issue, _ other: Issue) -> Bool {
        for profile in Profile.allCases {
            let (mine, theirs) = (one.effects[profile], other.effects[profile])
            guard mine != theirs else { continue }
            guard let mine, let theirs else { return mine != nil }
            return mine > theirs
        }
        guard one.subject == other.subject, let location = one.location, let next = other.location else { return false }
        return location < next
    }
}

extension Profile {
    /// The subject of a sentence about the profile.
    fileprivate var actor: String {
        switch self {
        case .device: "iPhones"
        case .documented: "According to Apple's documentation, iPhones"
        case .ios9: "Devices with iOS 9 to 13"
        case .ios8: "Devices with iOS 8"
        }
    }

    fileprivate var androidActor: String {
        switch self {
        case .device: "Android devices"
        case .documented: "According to Google's documentation, Android devices"
        case .ios9, .ios8: actor
        }
    }
}
