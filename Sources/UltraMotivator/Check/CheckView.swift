import AssociatedDomains
import AssociationChecker
import HTTPSClient

/// The result of a check, for its template.
struct CheckView: Sendable {
    /// A name with its value.
    struct Line: Sendable {
        let name: String
        let text: String
    }

    /// The verdict of a profile.
    struct Verdict: Sendable {
        let profile: String
        let meaning: String
        let word: String
        /// The CSS class for its color.
        let kind: String
    }

    /// One issue.
    struct Item: Sendable {
        /// Its severity in each profile.
        let rank: String
        /// Its highest severity, for its color.
        let severity: String
        let code: String
        let place: String
        let message: String
        let excerpt: String?
        let fix: String?
        let source: String
        let date: String
        let link: String?
    }

    /// A service with the apps that the file lists for it.
    struct ServiceApps: Sendable {
        let name: String
        let meaning: String
        let apps: [String]
        let moreApps: String?

        init(_ name: String, _ meaning: String, _ apps: [String]) {
            (self.name, self.meaning) = (name, meaning)
            self.apps = apps.prefix(CheckView.maximumApps).map(\.shortened)
            moreApps = apps.count > self.apps.count ? "and \(apps.count - self.apps.count) more" : nil
        }
    }

    /// The target, as displayed.
    var target = ""
    /// The result in one sentence.
    var conclusion: String?
    var verdicts: [Verdict] = []
    /// The verdicts on the entry alone, without a file.
    var entryVerdicts: [Verdict] = []
    var entry: [Line] = []
    var app: [Line] = []
    /// A file that lists the app.
    var appSnippet: String?
    var url: [Line] = []
    /// The requests to a site, with their results.
    var fetches: [Line] = []
    var match: MatchView?
    var services: [ServiceApps] = []
    /// The relations of a file for Android, with the apps and sites that have them.
    var relations: [ServiceApps] = []
    /// The number of issues, as a sentence; nil if nothing was checked.
    var summary: String?
    var issues: [Item] = []
    /// The sentence about the issues that are not shown.
    var moreIssues: String?
    var hints: [String] = []
}

extension CheckView {
    /// The profiles that the page shows.
    static let profiles = [Profile.device, .documented, .ios9]
    /// The maximum number of issues that the page shows. The command shows all issues.
    static let maximumIssues = 200
    /// The maximum number of apps that the page shows for each service.
    static let maximumApps = 50

    /// Returns the profiles of a report. Apple's earlier systems do not matter for a file for Android.
    private static func profiles(of report: Report) -> [Profile] {
        report.assetLinks == nil ? profiles : Profile.ofAndroid
    }

    /// Adds the report of a file or a site.
    mutating func add(_ report: Report) {
        verdicts = Self.profiles(of: report).map { profile in
            let word = report.verdict(profile).rawValue
            let meaning = report.assetLinks == nil ? profile.meaning : profile.androidMeaning
            return Verdict(profile: profile.rawValue, meaning: meaning, word: word, kind: word)
        }
        conclusion = report.conclusion(.device)
        addIssues(of: report)
    }

    /// Adds the report of an entry alone: whether a device accepts it.
    mutating func add(entry report: Report) {
        // A valid entry is denied only if it does not cover the URL's host.
        let refusal =
            entry.isEmpty ? (word: "dropped", kind: "dropped") : (word: "does not cover the URL", kind: "unmatched")
        entryVerdicts = Self.profiles.map { profile in
            let isAccepted = report.verdict(profile) == .associated
            let (word, kind) = isAccepted ? (word: "accepted", kind: "accepted") : refusal
            return Verdict(profile: profile.rawValue, meaning: profile.meaning, word: word, kind: kind)
        }
        addIssues(of: report)
    }

    private mutating func addIssues(of report: Report) {
        let profiles = Self.profiles(of: report)
        let found = report.issues(in: profiles)
        summary = found.isEmpty ? "No issues." : "\(found.count) issue\(found.count == 1 ? "" : "s")."
        issues = found.prefix(Self.maximumIssues).map { Item($0, profiles, texts: report.texts) }
        let left = found.count - issues.count
        if left > 0 {
            moreIssues =
                "\(left) more \(left == 1 ? "is" : "are") not shown. The most severe issues come first. "
                + "To see all of them, run: motivator association check FILE."
        }
        services = (report.association?.services ?? []).map { service in
            var named: Set<String> = []
            let apps = (report.association?.apps[service] ?? []).map(\.text).filter { named.insert($0).inserted }
            return ServiceApps(service.rawValue, service.meaning, apps)
        }
        relations = (report.assetLinks?.relations ?? []).map { relation in
            ServiceApps(relation.rawValue, relation.meaning, report.assetLinks?.targets(of: relation) ?? [])
        }
        fetches = report.fetches.flatMap(\.steps).map { Line($0) }
        if report.issues.contains(where: { ["file-pem", "file-smime-text"].contains($0.code) }) {
            hints.append(
                "A signed file is binary and cannot be pasted. Check it with: motivator association check FILE."
            )
        }
    }
}

extension CheckView.Item {
    fileprivate init(_ issue: Issue, _ shown: [Profile], texts: [String: [UInt8]]) {
        let profiles = shown.filter { issue.effects[$0] != nil }
        let severities = Set(profiles.map { issue.severity(in: $0) })
        severity = (issue.severity(in: profiles) ?? .note).rawValue
        rank =
            profiles.count == shown.count && severities.count == 1
            ? severity
            : profiles.map { "\($0.rawValue): \(issue.severity(in: $0)?.rawValue ?? "")" }.joined(separator: ", ")
        code = issue.code
        place = issue.subject.shortened + (issue.location.map { ", \($0)" } ?? "")
        message = issue.message.visible
        excerpt = issue.location.flatMap { location in
            texts[issue.subject].map { Excerpt($0, at: location).text }
        }
        fix = issue.fix.isEmpty ? nil : issue.fix.visible
        source = issue.diagnostic.source.title
        date = issue.diagnostic.source.date
        link = issue.diagnostic.source.link
    }
}

extension CheckView.Line {
    fileprivate init(_ step: FileFetch.Step) {
        name = step.url.description.shortened
        if let response = step.fetched.response {
            let failure = step.fetched.failure.map { "; then \($0.problem.visible)" } ?? ""
            text = "status \(response.status), \(response.content.count) bytes\(failure)"
        } else {
            text = step.fetched.failure?.problem.visible ?? "no response"
        }
    }
}

extension String {
    /// The first 200 characters, with invisible ones replaced.
    var shortened: String {
        let limit = 200
        let shown = String(unicodeScalars.prefix(limit))
        return shown.utf8.count < utf8.count ? "\(shown.visible)…" : shown.visible
    }
}

extension Profile {
    /// The source of the profile's rules.
    var meaning: String {
        switch self {
        case .device: "devices since iOS 14"
        case .documented: "Apple’s documentation"
        case .ios9: "iOS 9 to 13"
        case .ios8: "iOS 8"
        }
    }

    /// The source of the profile's rules for Android.
    fileprivate var androidMeaning: String {
        switch self {
        case .device: "Android devices"
        case .documented: "Google’s documentation"
        case .ios9, .ios8: meaning
        }
    }
}

extension AssetLinks.Relation {
    /// What the relation grants.
    fileprivate var meaning: String {
        switch self {
        case .credentials: "passwords"
        case .links: "links"
        case .origin: "shows the site as its own content"
        }
    }
}

extension Service {
    /// What the service shares.
    var meaning: String {
        switch self {
        case .webcredentials: "passwords and passkeys"
        case .applinks: "universal links"
        case .appclips: "App Clips"
        case .activitycontinuation: "Handoff"
        }
    }
}
