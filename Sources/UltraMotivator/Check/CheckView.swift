import AssociatedDomains
import AssociationChecker
import HTTPSClient

/// What a check came to, as its template sees it.
struct CheckView: Sendable {
    /// A name with what is said of it.
    struct Line: Sendable {
        let name: String
        let text: String
    }

    /// The verdict of a reading.
    struct Verdict: Sendable {
        let reading: String
        let meaning: String
        let word: String
        /// One word for its colour.
        let kind: String
    }

    /// One finding.
    struct Item: Sendable {
        /// How much it weighs in which reading.
        let rank: String
        /// The most that it weighs, for its colour.
        let severity: String
        let code: String
        let place: String
        let message: String
        let excerpt: String?
        let remedy: String?
        let source: String
        let date: String
        let link: String?
    }

    /// A service with the apps that the file names for it.
    struct ServiceApps: Sendable {
        let name: String
        let meaning: String
        let apps: [String]
        let moreApps: String?
    }

    /// What is checked, in the words of the page.
    var target = ""
    var verdicts: [Verdict] = []
    /// What the entry alone comes to, where there is no file to judge.
    var entryVerdicts: [Verdict] = []
    var entry: [Line] = []
    var app: [Line] = []
    /// What a file has to hold for the app.
    var appSnippet: String?
    var url: [Line] = []
    /// What was asked of a site, and what came of it.
    var fetches: [Line] = []
    var match: MatchView?
    var services: [ServiceApps] = []
    /// How many findings there are, by severity; nil when nothing was looked for.
    var summary: String?
    var findings: [Item] = []
    /// What is said of the findings that are left out.
    var moreFindings: String?
    /// What is to be known besides.
    var hints: [String] = []
}

extension CheckView {
    /// Findings that are shown. A page with more is read by nobody; the command shows all.
    static let maximumFindings = 200
    /// Apps that are shown of each service.
    static let maximumApps = 50

    /// Takes over what a report of a file or a site says.
    mutating func add(_ report: Report) {
        verdicts = Reading.allCases.map { reading in
            let word = report.verdict(reading).rawValue
            return Verdict(reading: reading.rawValue, meaning: reading.meaning, word: word, kind: word)
        }
        addFindings(of: report)
    }

    /// Takes over what a report of an entry alone says: no more than whether a device takes it.
    mutating func add(entry report: Report) {
        // An entry that means something is denied only for being about other hosts than that of the URL.
        let no = entry.isEmpty ? (word: "dropped", kind: "dropped") : (word: "not about this URL", kind: "unmatched")
        entryVerdicts = Reading.allCases.map { reading in
            let (word, kind) = report.verdict(reading) == .associated ? (word: "taken", kind: "taken") : no
            return Verdict(reading: reading.rawValue, meaning: reading.meaning, word: word, kind: kind)
        }
        addFindings(of: report)
    }

    private mutating func addFindings(of report: Report) {
        summary = "\(report.summary)."
        findings = report.findings.prefix(Self.maximumFindings).map { Item($0, texts: report.texts) }
        let left = report.findings.count - findings.count
        if left > 0 {
            moreFindings =
                "\(left) more \(left == 1 ? "is" : "are") not shown. The gravest come first; the command shows all: "
                + "motivator association check FILE."
        }
        services = (report.outline?.services ?? []).map { service in
            var named: Set<String> = []
            let apps = (report.outline?.apps[service] ?? []).map(\.text).filter { named.insert($0).inserted }
            let shown = apps.prefix(Self.maximumApps).map { $0.shortened }
            return ServiceApps(
                name: service.rawValue, meaning: service.meaning, apps: shown,
                moreApps: apps.count > shown.count ? "and \(apps.count - shown.count) more" : nil)
        }
        fetches = report.visits.flatMap(\.hops).map { Line($0) }
        if report.findings.contains(where: { ["file-pem", "file-smime-text"].contains($0.code) }) {
            hints.append(
                "A signed file is binary and cannot be pasted. Check it where it is, with: motivator association check FILE."
            )
        }
    }
}

extension CheckView.Item {
    fileprivate init(_ finding: Finding, texts: [String: [UInt8]]) {
        let ranks = finding.ranks.map { rank in
            let isEverywhere = rank.readings.count == Reading.allCases.count
            return isEverywhere
                ? rank.severity.rawValue
                : "\(rank.severity.rawValue) (\(rank.readings.map(\.rawValue).joined(separator: ", ")))"
        }
        rank = ranks.joined(separator: ", ")
        severity = finding.severity.rawValue
        code = finding.code
        place = finding.subject.shortened + (finding.place.map { ", \($0)" } ?? "")
        message = finding.message.sentence
        excerpt = finding.place.flatMap { place in texts[finding.subject].map { Excerpt($0, at: place).text } }
        remedy = finding.remedy.isEmpty ? nil : "\(finding.remedy.visible)."
        source = finding.rule.source.title
        date = finding.rule.source.date
        link = finding.rule.source.link
    }
}

extension CheckView.Line {
    fileprivate init(_ hop: Visit.Hop) {
        name = hop.url.description.shortened
        if let response = hop.fetched.response {
            let failure = hop.fetched.failure.map { ", and then \($0.problem.visible)" } ?? ""
            text = "status \(response.status), \(response.content.count) bytes\(failure)"
        } else {
            text = hop.fetched.failure?.problem.visible ?? "no answer"
        }
    }
}

extension String {
    /// The text with what is not seen made visible, cut where nobody reads on.
    var shortened: String {
        let limit = 200
        let shown = String(unicodeScalars.prefix(limit))
        return shown.utf8.count < utf8.count ? "\(shown.visible)…" : shown.visible
    }
}

extension Reading {
    /// Whose rules these are.
    var meaning: String {
        switch self {
        case .documented: "what Apple’s documents say"
        case .device: "what devices do since iOS 14"
        case .legacy: "iOS 8 to 13"
        }
    }
}

extension Service {
    /// What is shared.
    var meaning: String {
        switch self {
        case .webcredentials: "passwords and passkeys"
        case .applinks: "universal links"
        case .appclips: "App Clips"
        case .activitycontinuation: "Handoff"
        }
    }
}
