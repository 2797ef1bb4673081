import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import SourceJSON
import UniversalLinks

/// A device's decision about a URL, for its template.
struct MatchView: Sendable {
    struct Trial: Sendable {
        /// The app, unless the trial before it has the same app.
        let app: String?
        let location: String
        let outcome: String
        let sentence: String
    }

    /// The work limit for one URL: ten times the work for an ordinary file. This work takes a fraction of a second.
    static let workLimit = 5_000_000
    /// The maximum number of trials shown. The last one decides.
    static let maximumTrials = 200

    /// The CSS class for the color and the symbol.
    let outcome: String
    /// The conclusion, without a full stop.
    let word: String
    /// The reason.
    private(set) var sentence: String?
    private(set) var fix: String?
    private(set) var trials: [Trial] = []
    /// The sentence about the trials that the page omits.
    private(set) var omission: String?
    private(set) var count = 0

    init(_ url: WebURL, app: AppIdentifier?, entry: AssociatedDomain?, in report: Report, of site: SiteTarget?) {
        guard let file = report.file, !report.issues.contains(where: \.voidsFile) else {
            (outcome, word) = ("unmatched", "No rule can be tried because a device cannot parse the file")
            return
        }
        let address = url.description.shortened
        // With an entry, the entry determines the hosts.
        if entry == nil, let reason = site?.foreignSentence(on: url) {
            (outcome, word, sentence) = ("unmatched", "The browser opens \(address)", "\(reason.shortened).")
            return
        }
        let app = app?.description
        let links = file.root?.object?["applinks"].flatMap { member in
            member.object.map { UniversalLinks($0, location: member.location, workLimit: Self.workLimit) }
        }
        let match = links?.match(url, app: app)
        let denial = report.denial(.device).map { (code: String?($0.code), message: String?($0.message)) }
        let obstacle = LinkObstacle.first(for: url, app: app, entries: entry.map { [$0] }, denial: denial, links: links)
        let opener = obstacle == nil ? match?.app?.shortened : nil
        switch match?.outcome ?? .unmatched {
        case .matched:
            // The rules have no effect without an association.
            outcome = opener == nil ? "inactive" : "matched"
            word = opener.map { "\($0) opens \(address)" } ?? "A rule matches, but the browser opens \(address)"
        case .undecided: (outcome, word) = ("undecided", "Undecided")
        case .blocked: (outcome, word) = ("blocked", "The browser opens \(address)")
        case .unmatched: (outcome, word) = ("unmatched", "The browser opens \(address)")
        }
        if let obstacle, obstacle.kind != .notApproved {
            (sentence, fix) = (obstacle.reason.sentence.printable, "\(obstacle.fix.printable).")
            // An exclusion is often intended.
            if obstacle.kind == .excluded { (sentence, fix) = ("\(sentence ?? "") \(fix ?? "")", nil) }
        }
        let tried = links?.explain(url, app: app) ?? []
        if opener != nil { sentence = tried.last?.sentence.sentence.printable }
        if match?.outcome == .undecided {
            sentence = "The rules exceed this page's work limit for one URL."
            fix = "To use a higher limit, run: motivator association match FILE --url URL."
        }
        count = tried.count
        let first = max(count - Self.maximumTrials, 0)
        trials = (first..<count).map { Trial(tried[$0], after: $0 == first ? nil : tried[$0 - 1].app) }
        if first > 0 { omission = "Only the last \(Self.maximumTrials) rules are shown. The last one decides." }
    }

    init(_ url: WebURL, app: AndroidApp?, in assetLinks: AssetLinks, of site: SiteTarget?) {
        let address = url.description.shortened
        let reason = site?.foreignSentence(on: url)
        if reason == nil, let opener = assetLinks.opener(of: [app].compactMap(\.self)) {
            outcome = "matched"
            word = "\(opener.package.shortened) may open \(address), if its intent filters match"
        } else {
            (outcome, word) = ("unmatched", "The browser opens \(address)")
            sentence =
                reason.map { "\($0.shortened)." }
                ?? "The file does not grant handle_all_urls to \(app?.package.shortened ?? "any app")."
        }
    }
}

extension MatchView.Trial {
    fileprivate init(_ explanation: UniversalLinks.Explanation, after previous: String?) {
        app = explanation.app == previous ? nil : explanation.app.shortened
        location = "detail \(explanation.detail + 1), rule \(explanation.component + 1) (\(explanation.location))"
        outcome = explanation.outcome.rawValue
        sentence = explanation.sentence.sentence
    }
}
