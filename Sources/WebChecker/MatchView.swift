import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import SourceJSON
import UniversalLinks

/// A device's decision about a URL, for its template.
struct MatchView: Sendable {
    struct Trial: Sendable {
        let app: String
        let location: String
        let outcome: String
        let sentence: String
    }

    /// The work limit for one URL: ten times the work for an ordinary file. This work takes a fraction of a second.
    static let workLimit = 5_000_000
    /// The number of trials shown at the beginning and at the end. The end contains the deciding rule.
    static let shown = (first: 150, last: 50)

    let outcome: String
    /// The text to show instead of the outcome, if a rule has no effect.
    private(set) var word: String?
    let sentence: String
    /// Why the browser opens the URL, and the fix.
    private(set) var obstacle: String?
    private(set) var opening: [Trial] = []
    /// The sentence about the trials that the page omits.
    private(set) var between: String?
    private(set) var closing: [Trial] = []
    private(set) var count = 0
    private(set) var isLong = false

    init(_ url: WebURL, app: AppIdentifier?, entry: AssociatedDomain? = nil, in report: Report) {
        guard let file = report.file, !report.issues.contains(where: \.voidsFile) else {
            outcome = "unmatched"
            sentence = "No rule can be tried because a device cannot parse the file."
            return
        }
        guard let member = file.root?.object?["applinks"], let object = member.object else {
            outcome = "unmatched"
            sentence =
                "The file has no universal links (applinks). The browser opens \(url.description.shortened)."
            return
        }
        let links = UniversalLinks(object, location: member.location, workLimit: Self.workLimit)
        let match = links.match(url, app: app?.description)
        let denial = report.denial(.device).map { (code: String?($0.code), message: String?($0.message)) }
        obstacle =
            LinkObstacle.first(
                for: url, app: app?.description, entries: entry.map { [$0] }, denial: denial, links: links)?.line
            .printable
        if match.outcome == .matched, let cause = report.denial(.device) {
            // The rules have no effect without an association.
            (outcome, word) = ("inactive", "would match, but the app is not associated")
            sentence =
                "A rule matches, but the browser opens \(url.description.shortened), because a device does not accept "
                + "the association (\(cause.code))."
        } else {
            outcome = match.outcome.rawValue
            sentence = MatchView.sentence(match, url, app)
        }
        let trials = links.explain(url, app: app?.description)
        count = trials.count
        isLong = count > CheckView.openLines
        let all = Self.shown.first + Self.shown.last
        if trials.count <= all {
            opening = trials.map { Trial($0) }
        } else {
            opening = trials.prefix(Self.shown.first).map { Trial($0) }
            closing = trials.suffix(Self.shown.last).map { Trial($0) }
            let others = trials.count - all
            between = others == 1 ? "1 rule in between is not shown." : "\(others) rules in between are not shown."
        }
    }

    init(_ url: WebURL, app: AndroidApp?, in assetLinks: AssetLinks, of site: SiteTarget?) {
        let address = url.description.shortened
        if let reason = site?.foreignSentence(on: url) {
            (outcome, sentence) = ("unmatched", "\(reason.shortened).")
        } else if let opener = assetLinks.opener(of: [app].compactMap(\.self)) {
            outcome = "matched"
            sentence = "\(opener.package.shortened) may open \(address), if its intent filters match."
        } else {
            outcome = "unmatched"
            sentence = "The file does not grant handle_all_urls to \(app?.package.shortened ?? "any app")."
        }
    }

    private static func sentence(_ match: UniversalLinks.Match, _ url: WebURL, _ app: AppIdentifier?) -> String {
        let address = url.description.shortened
        let named = match.app?.shortened ?? ""
        switch match.outcome {
        case .matched: return "\(named) opens \(address)."
        case .blocked: return "\(named) does not open \(address): a rule excludes it."
        case .unmatched:
            return app.map { "No rule for \($0) matches \(address). The browser opens it." }
                ?? "No rule matches \(address). The browser opens it."
        case .undecided:
            return "The rules exceed this page's work limit for one URL. To use a higher limit, run: "
                + "motivator association match FILE --url URL."
        }
    }
}

extension MatchView.Trial {
    fileprivate init(_ explanation: UniversalLinks.Explanation) {
        app = explanation.app.shortened
        location = "detail \(explanation.detail + 1), rule \(explanation.component + 1) (\(explanation.location))"
        outcome = explanation.outcome.rawValue
        sentence = explanation.sentence.sentence
    }
}
