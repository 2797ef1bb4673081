package import AssociatedDomains
package import AssociationChecker
import HTTPSClient
import MotivatorPlatform

/// The result of a check, for its template.
package struct CheckView: Sendable {
    struct Line: Sendable {
        let name: String
        let text: String
    }

    struct Banner: Sendable {
        /// The CSS class for the color and the symbol.
        let kind: String
        let word: String
        let sentence: String?
        let fix: String?

        init(_ kind: String, _ word: String, _ sentence: String?, fix: String? = nil) {
            self.word = word.sentence.clause
            (self.kind, self.sentence, self.fix) = (kind, sentence, fix)
        }
    }

    struct Verdict: Sendable {
        var profiles: [String]
        var word: String
        /// The CSS class for the color and the symbol.
        let kind: String
        /// The cause; nil if the banner already shows it.
        let cause: String?
    }

    struct Facts: Sendable {
        let title: String
        let lines: [Line]
        var isFolded = false
        /// An example of a file that lists the app.
        var snippet: String?
    }

    struct Item: Sendable {
        /// The severities of the issue. The first one is for the first profile that has the issue.
        let ranks: [(severity: String, profiles: String?)]
        let code: String
        /// The location; nil if the message names it.
        let location: String?
        let message: String
        let excerpt: String?
        /// The line before and after the change that follows the fix.
        let change: (before: String, after: String)?
        let fix: String?
        /// The command at the end of the fix.
        let command: String?
        let source: Source
        /// The locations and messages of further issues with the same code.
        var similar: [Line] = []
    }

    /// A service and the apps that the file lists for it.
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

    /// The ID of the heading, which is unique in its page.
    var id = "result"
    /// Whether the result is in a file without the other pages of the site.
    var isFile = false
    var target = ""
    /// The entry, if the page shows it. Then the messages do not repeat it.
    var entry: String?
    var banner: Banner?
    /// The sentences below the conclusion.
    var remarks: [String] = []
    /// Whether the app and the site are not associated.
    var isDenied = false
    var verdicts: [Verdict] = []
    /// The meaning of each field, and the requests to a site.
    var facts: [Facts] = []
    var match: MatchView?
    /// The services with their apps, or the relations of an Android file with their targets.
    var services: [ServiceApps] = []
    var foldsApps = false
    var summary: String?
    var issues: [Item] = []
    /// The issues that are hidden until the visitor expands them.
    var foldedIssues: [Item] = []
    /// The sentence about the issues that the page omits.
    var moreIssues: String?
    var hints: [String] = []
    /// The query for a link to this check, or nil for a pasted file.
    var permalink: String?
    /// The query for the result as JSON, or nil if no site or entry was checked.
    var data: String?
}

extension CheckView {
    static let profiles = [Profile.device, .documented, .ios9]
    /// The maximum number of issues that the page shows. The command-line tool shows all issues.
    static let maximumIssues = 200
    /// The maximum number of issues that are visible before the visitor expands the list.
    static let openIssues = 10
    package static let signedFile = "Choose the file, or check it with: motivator association check FILE."
    /// The maximum number of apps that the page shows for each service.
    static let maximumApps = 50
    /// The maximum width of an excerpt in columns.
    static let excerptWidth = 64
    /// The maximum number of lines in a list that is not folded.
    static let openLines = 8

    /// Creates the result for a file with several results.
    /// - Parameter profiles: the profiles to show, at least one. The conclusion applies to the first profile.
    package init(_ report: Report, profiles: [Profile], number: Int) {
        self.init()
        (id, isFile, target) = ("result-\(number)", true, report.target.shortened)
        add(report, profiles)
    }

    mutating func add(_ report: Report, _ shown: [Profile]? = nil) {
        // The profiles of earlier Apple systems do not apply to an Android file.
        let profiles = shown ?? (report.assetLinks == nil ? Self.profiles : Profile.ofAndroid)
        let verdict = report.verdict(profiles[0])
        isDenied = verdict != .associated
        let conclusion = report.conclusion(profiles[0], countsIssues: false).printable
        let cause = cause(profiles[0], in: report)
        banner = Banner(verdict.rawValue, verdict.phrase, cause ?? conclusion)
        if cause != nil, isFile || report.isUnproven(profiles[0]) { remarks.append(conclusion) }
        addVerdicts(report, profiles) { (report.verdict($0).phrase, report.verdict($0).rawValue) }
        addIssues(of: report, profiles)
    }

    /// Adds the decision about a URL. It is the conclusion, unless the app and the site are not associated.
    /// - Parameter service: the service of the entry.
    mutating func add(_ match: MatchView, service: Service?) {
        self.match = match
        if isDenied {
            remarks.append(["\(match.word).", match.sentence, match.fix].compactMap(\.self).joined(separator: " "))
        } else {
            banner = Banner(match.outcome, match.word, match.sentence, fix: match.fix)
            guard match.fix != nil else { return }
            // The association works, but it does not make the URL open the app.
            if issues.isEmpty { summary = nil }
            guard let service else { return }
            for line in verdicts.indices { verdicts[line].word += " for \(service.rawValue)" }
        }
    }

    /// Adds the report on an entry without a file or a site.
    /// - Parameter isEntry: Whether the text is a valid entry. A valid entry is denied only if it does not cover the
    ///   URL's host.
    mutating func add(entry report: Report, isEntry: Bool) {
        let refusal = isEntry ? (word: "does not cover the URL", kind: "unmatched") : (word: "dropped", kind: "dropped")
        func verdict(_ profile: Profile) -> (word: String, kind: String) {
            report.verdict(profile) == .associated ? ("accepted", "accepted") : refusal
        }
        let (word, kind) = verdict(.device)
        let sentence =
            switch kind {
            case "accepted": "iPhones will accept the entry."
            case "unmatched": "The entry is valid, but it does not cover the host of the URL."
            case _: cause(.device, in: report)
            }
        banner = Banner(kind, kind == "dropped" ? "dropped by devices" : word, sentence)
        addVerdicts(report, Self.profiles, verdict)
        addIssues(of: report, Self.profiles)
    }

    /// Returns why a profile denies the association.
    private func cause(_ profile: Profile, in report: Report) -> String? {
        report.denial(profile).map { issue in
            (issue.location.map { "\("\($0)".sentence.clause): " } ?? "") + message(issue)
        }
    }

    private func message(_ issue: Issue) -> String {
        let message = issue.text.printable
        return entry.map { message.replacing("The entry \($0) ", with: "The entry ") } ?? message
    }

    /// Adds the verdicts. Profiles with the same verdict share a line.
    private mutating func addVerdicts(
        _ report: Report, _ profiles: [Profile], _ verdict: (Profile) -> (word: String, kind: String)
    ) {
        for profile in profiles {
            let member = profile.meaning(isAndroid: report.assetLinks != nil)
            let (word, kind) = verdict(profile)
            if let line = verdicts.firstIndex(where: { $0.word == word }) {
                verdicts[line].profiles.append(member)
            } else {
                let cause = cause(profile, in: report)
                let isShown = cause == banner?.sentence
                verdicts.append(Verdict(profiles: [member], word: word, kind: kind, cause: isShown ? nil : cause))
            }
        }
    }

    private mutating func addIssues(of report: Report, _ profiles: [Profile]) {
        let found = report.issues(in: profiles)
        let total = found.isEmpty ? "No issues" : found.count == 1 ? "1 issue" : "\(found.count) issues"
        let isMixed = found.isEmpty || found.contains { $0.effects[profiles[0]] == nil }
        let counts = report.counts(in: profiles[0], isMixed ? [] : [.error, .warning, .note])
        summary = isMixed ? [total, counts].filter { !$0.isEmpty }.joined(separator: ", ") : counts
        var items: [Item] = []
        for issue in found.prefix(Self.maximumIssues) {
            let item = Item(issue, profiles, in: report, message: message(issue))
            if let first = items.firstIndex(where: { $0.code == item.code }) {
                let text = [item.message, issue.fix.printable].joined(separator: " ")
                items[first].similar.append(Line(name: item.location ?? issue.subject.shortened, text: text))
            } else {
                items.append(item)
            }
        }
        issues = Array(items.prefix(Self.openIssues))
        foldedIssues = Array(items.dropFirst(Self.openIssues))
        let left = found.count - min(found.count, Self.maximumIssues)
        if left > 0 {
            moreIssues =
                "\(left) more \(left == 1 ? "issue is" : "issues are") not shown. The most severe issues come first. "
                + "To see all issues, run: motivator association check FILE."
        }
        services = (report.file?.services ?? []).map { service in
            ServiceApps(service.rawValue, service.meaning, (report.file?.apps[service] ?? []).map(\.text).distinct)
        }
        services += (report.assetLinks?.relations ?? []).map { relation in
            ServiceApps(relation.rawValue, relation.meaning, report.assetLinks?.targets(of: relation) ?? [])
        }
        foldsApps = isDenied || services.contains { $0.apps.count > Self.openLines }
        let lines = report.fetches.flatMap(\.steps).map { Line($0) }
        if !lines.isEmpty { facts.append(Facts(title: "Requests: \(lines.count)", lines: lines, isFolded: true)) }
        if !isFile, report.issues.contains(where: { [.pem(isSigned: true), .smime].contains($0.kind as? FileIssue) }) {
            hints.append("A signed file is binary and cannot be pasted. \(Self.signedFile)")
        }
    }
}

extension CheckView.Item {
    fileprivate init(_ issue: Issue, _ shown: [Profile], in report: Report, message: String) {
        let profiles = shown.filter { issue.effects[$0] != nil }
        // The first rank belongs to the profile of the conclusion.
        let first = profiles.first.flatMap { issue.severity(in: $0) }
        let others = Severity.allCases.sorted(by: >).filter { $0 != first }
        ranks = ([first].compactMap(\.self) + others).compactMap { severity -> (severity: String, profiles: String?)? in
            let concerned = profiles.filter { issue.severity(in: $0) == severity }
            guard !concerned.isEmpty else { return nil }
            let names = concerned.map { $0.meaning(isAndroid: shown == Profile.ofAndroid) }.joined(separator: ", ")
            return (severity.rawValue, concerned.count == shown.count ? nil : names)
        }
        code = issue.code
        self.message = message
        let subject = issue.subject.shortened
        let isNamed = issue.subject == report.target || issue.text.printable.contains(subject)
        let parts = [isNamed ? nil : subject, issue.location.map { "\($0)" }].compactMap(\.self)
        location = parts.isEmpty ? nil : parts.joined(separator: ", ")
        change = issue.replacement?.before.map { ($0.printable, (issue.replacement?.after ?? "").printable) }
        // More characters before the location would push the caret off a phone's screen.
        excerpt = issue.location.flatMap { location in
            report.texts[issue.subject].map { text in
                ReportText.excerpt(of: text, at: location, width: CheckView.excerptWidth, front: 12)
            }
        }?.joined(separator: "\n")
        let advice = issue.fix.printable.split(separator: " run: ", maxSplits: 1)
        fix = advice.first.map { advice.count > 1 ? "\($0) run:" : String($0) }
        command = advice.count > 1 ? String(advice[1]).clause : nil
        source = issue.diagnostic.source
    }
}

extension CheckView.Line {
    fileprivate init(_ step: FileFetch.Step) {
        let response = step.fetched.response.map { "status \($0.status), \($0.content.count.byteCount)" }
        let events = [response, step.fetched.failure?.problem.printable].compactMap(\.self)
        name = (events.isEmpty ? "no response" : events.joined(separator: "; then ")).sentence.clause
        text = step.url.description.shortened
    }
}

extension String {
    /// The first 200 characters, with invisible characters escaped.
    var shortened: String {
        let limit = 200
        let shown = String(unicodeScalars.prefix(limit))
        return shown.utf8.count < utf8.count ? "\(shown.printable)…" : shown.printable
    }
}

extension Verdict {
    fileprivate var phrase: String { self == .retry ? "tries again later" : rawValue }
}

extension Profile {
    /// Returns the source of the profile's rules.
    func meaning(isAndroid: Bool) -> String {
        switch self {
        case .device: isAndroid ? "Android devices" : "iOS 14 and later"
        case .documented: isAndroid ? "Google's documentation" : "Apple's documentation"
        case .ios9: "iOS 9 to 13"
        case .ios8: "iOS 8"
        }
    }
}

extension Service {
    var meaning: String {
        switch self {
        case .webcredentials: "passwords and passkeys"
        case .applinks: "universal links"
        case .appclips: "App Clips"
        case .activitycontinuation: "Handoff"
        case .messagefilter: "message filters"
        case .classificationreport: "call and message reports"
        case .authsrv: "single sign-on"
        }
    }
}
