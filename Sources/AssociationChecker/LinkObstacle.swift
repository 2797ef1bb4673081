public import AssociatedDomains
public import HTTPSClient
package import MotivatorPlatform
public import SourceJSON
public import UniversalLinks

/// The reason why a tapped URL opens in the browser and not in an app.
public struct LinkObstacle: Sendable, Hashable {
    /// The steps of a device, in its order.
    public enum Kind: String, Sendable {
        /// The URL is neither http nor https.
        case scheme
        case noApp = "no-app"
        /// No `applinks` entry of the app covers the host and port.
        case noEntry = "no-entry"
        case notApproved = "not-approved"
        /// The file has no universal links.
        case noLinks = "no-links"
        case noRule = "no-rule"
        case excluded
        case userChoice = "user-choice"
        case undecided
    }

    public let kind: Kind
    /// The app; nil if the obstacle applies to every app.
    public let app: String?
    /// The obstacle, as a sentence without its full stop.
    public let reason: String
    /// The fix, as a sentence without its full stop.
    public let fix: String
    /// The code of the issue that prevents the approval, if it is known.
    public private(set) var code: String?
    /// The location of the deciding rule in the site's file, or of the rule that nearly matched.
    public private(set) var location: SourceLocation?

    package var line: String { "\(app.map { "\($0): " } ?? "")\(reason). \(fix)." }

    package var json: JSONNode {
        [
            "kind": .text(kind.rawValue), "app": .optional(app), "reason": .text(reason), "fix": .text(fix),
            "code": .optional(code), "line": .optional(location?.line), "column": .optional(location?.column),
        ]
    }
}

extension LinkObstacle {
    /// The obstacle for a URL such as `myapp://open`, or nil if the text is malformed in another way.
    package init?(_ error: WebURL.Malformed) {
        guard case .otherScheme(_, let scheme) = error else { return nil }
        self.init(
            kind: .scheme, app: nil,
            reason: "the scheme is \(scheme.excerpt); only http and https links can be universal links",
            fix: "Use an https link")
    }

    /// Returns the obstacle for a device without apps.
    package static func noApp(_ url: WebURL) -> LinkObstacle {
        LinkObstacle(
            kind: .noApp, app: nil, reason: "no app is installed",
            fix: "Install an app with the entry \(AssociatedDomain.accepted(url.linkEntry))")
    }

    package static func userChoice(_ url: WebURL, app: String) -> LinkObstacle {
        LinkObstacle(
            kind: .userChoice, app: app, reason: "the user opened a link to \(url.host) in the browser",
            fix: "Touch and hold a link, and open it in the app (--choose app)")
    }

    /// Returns the first obstacle for an app in the device's order, or nil if the app opens the URL.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - app: The app, or nil for any app in the file.
    ///   - entries: The entries of the app's entitlement, or nil if they are unknown.
    ///   - profile: The profile, which determines the hosts of a wildcard entry.
    ///   - denial: Why the site does not approve the app; nil if it does.
    ///   - denialFix: The fix for the denial; nil to check the URL's site.
    ///   - links: The universal links in the site's file.
    public static func first(
        for url: WebURL, app: String?, entries: [AssociatedDomain]? = nil, in profile: Profile = .device,
        denial: (code: String?, message: String?)? = nil, denialFix: String? = nil, links: UniversalLinks?
    ) -> LinkObstacle? {
        if let entries, !entries.contains(where: { $0.isLinkEntry(for: url, in: profile) }) {
            let nearest = nearestEntry(to: url, entries, profile).map { "; \($0)" } ?? ""
            return LinkObstacle(
                kind: .noEntry, app: app, reason: "the app has no entry \(url.linkEntry)\(nearest)",
                fix: "Add the entry \(AssociatedDomain.accepted(url.linkEntry)) to the app's entitlement")
        }
        if let denial {
            let host = (url.host + (url.port.map { ":\($0)" } ?? "")).shellQuoted
            return LinkObstacle(
                kind: .notApproved, app: app,
                reason: "the site does not approve the app" + (denial.message.map { ": \($0.clause)" } ?? ""),
                fix: denialFix
                    ?? "To find the cause, run: motivator association check \(host) --service applinks"
                    + (app.map { " --app \($0)" } ?? ""), code: denial.code)
        }
        guard let links else {
            return LinkObstacle(
                kind: .noLinks, app: app, reason: "the site's file has no universal links (applinks)",
                fix: "Add applinks with a rule for the URL to the file")
        }
        let match = links.match(url, app: app)
        let tried = [.blocked, .unmatched].contains(match.outcome) ? links.explain(url, app: app) : []
        switch match.outcome {
        case .matched: return nil
        case .blocked:
            let rule = tried.last { $0.outcome == .blocked }
            return LinkObstacle(
                kind: .excluded, app: app ?? match.app,
                reason: (match.location.map { "at \($0), " } ?? "") + (rule?.sentence ?? "a rule excludes the URL"),
                fix: "To open the app, remove this rule, or put a rule that matches the URL before it",
                location: match.location)
        case .unmatched:
            let nearest = nearestRule(tried)
            if let obstacle = routeInFragment(url, app, links) { return obstacle }
            return LinkObstacle(
                kind: .noRule, app: app,
                reason: "no rule in the site's file matches the URL"
                    + (nearest.map { "; the nearest is at \($0.location): \($0.sentence)" } ?? ""),
                fix: nearest?.queryFix(for: url)
                    ?? (nearest?.differsOnlyInCase == true
                        ? "Write the pattern in the letter case of the URL, or set \"caseSensitive\" to false in the component "
                            + "(for \"paths\", in \"defaults\")"
                        : "Add a rule for the URL" + (nearest == nil ? "" : ", or change this rule")),
                location: nearest?.location)
        case .undecided:
            return LinkObstacle(
                kind: .undecided, app: app, reason: "the rules are too complex to evaluate",
                fix: "Use fewer rules and fewer wildcards", location: match.location)
        }
    }

    /// Returns the obstacle for a URL whose fragment is the path that a component matches, as in `/#/orders/5`.
    private static func routeInFragment(_ url: WebURL, _ app: String?, _ links: UniversalLinks) -> LinkObstacle? {
        let mark = url.fragment?.hasPrefix("!") == true ? "!" : ""
        guard let route = url.fragment?.dropFirst(mark.count), route.hasPrefix("/"),
            let moved = try? WebURL("https://\(url.host)\(route)"),
            let rule = links.explain(moved, app: app).last, rule.outcome == .matched, !rule.isLegacy,
            let pattern = rule.parts.first, pattern.key == "/"
        else { return nil }
        // A device does not normalize a fragment, and the route's query is a part of it.
        let slashed = "/" + pattern.pattern.trimming { $0 == "/" }
        let widened = (slashed.hasSuffix("/*") ? String(slashed.dropLast(2)) : slashed) + "*"
        let components = [pattern.pattern, slashed, widened].map { fragment in
            "{\"/\":\(JSONText.quote(url.path)),\"#\":\(JSONText.quote(mark + fragment))}"
        }
        guard let component = components.first(where: { url.outcome(of: $0) == .matched }) else { return nil }
        return LinkObstacle(
            kind: .noRule, app: app,
            reason: "no rule in the site's file matches the URL; the rule at \(rule.location) compares the path, "
                + "which is \(url.path.bare), but \(String(route).bare) is in the fragment",
            fix: "Add \(component) to \"components\"", location: rule.location)
    }

    /// Returns the including rule that differs only in letter case, or that matched the most parts of the URL, and then
    /// the most characters. The first one counts.
    private static func nearestRule(_ tried: [UniversalLinks.Explanation]) -> UniversalLinks.Explanation? {
        let including = tried.filter { !$0.excludes }
        if let rule = including.first(where: \.differsOnlyInCase) { return rule }
        let progress = { (rule: UniversalLinks.Explanation) in
            (rule.parts.count(where: \.matched), rule.parts.last?.furthest ?? 0)
        }
        // Every path matches the first slash.
        return including.filter { progress($0) > (0, 1) }.max { progress($0) < progress($1) }
    }

    /// Returns a clause about the entry that the author may have considered sufficient.
    private static func nearestEntry(to url: WebURL, _ entries: [AssociatedDomain], _ profile: Profile) -> String? {
        if let other = entries.first(where: { $0.service != .applinks && $0.covers(url.host, in: profile) }) {
            return "the entry \(other) is for another service"
        }
        let links = entries.filter { $0.service == .applinks }
        if let other = links.first(where: { $0.covers(url.host, in: profile) }) {
            return "the entry \(other) is for port \(other.port ?? 443)"
        }
        let isTwin = { (entry: AssociatedDomain) in url.host == "www.\(entry.host)" || entry.host == "www.\(url.host)" }
        if let other = links.first(where: isTwin) { return "the entry \(other) is for another host" }
        if let other = links.first(where: { $0.isWildcard && $0.isRelated(to: url.host) }) {
            return "the wildcard \(other) does not cover \(url.host)"
        }
        return links.first { $0.isRelated(to: url.host) }.map { "the entry \($0) covers only its own host" }
    }
}

extension UniversalLinks.Explanation {
    /// Returns the fix if only the order, the number or the letter case of the query items differs.
    fileprivate func queryFix(for url: WebURL) -> String? {
        guard let part = parts.last, part.key == "?", !part.matched, let query = url.query else { return nil }
        if let item = part.item {
            let names = query.split(separator: "&").map { String($0.prefix { $0 != "=" }) }
            let other = names.contains(item) ? nil : names.first { $0.lowercased() == item.lowercased() }
            return other.map { "Write \($0.excerpt), or remove \(item.excerpt): the names are case-sensitive" }
        }
        let items = part.pattern.split(separator: "&").map { item in
            (name: String(item.prefix { $0 != "=" }), value: String(item.drop { $0 != "=" }.dropFirst()))
        }
        let members = items.map { "\(JSONText.quote($0.name)):\(JSONText.quote($0.value))" }
        let rule = "\"?\":{\(members.joined(separator: ","))}"
        // A dictionary cannot contain a name twice.
        guard Set(items.map(\.name)).count == items.count, url.outcome(of: "{\(rule)}") == .matched else { return nil }
        return "To ignore the order and other items, write the query as a dictionary: \(rule)"
    }
}

extension AssociatedDomain {
    fileprivate func isLinkEntry(for url: WebURL, in profile: Profile) -> Bool {
        service == .applinks && covers(url.host, in: profile) && port ?? 443 == url.port ?? 443
    }

    /// Whether one of two hosts is the other one, or below it, or both are below the same domain.
    fileprivate func isRelated(to other: String) -> Bool {
        let parent = host.split(separator: ".").dropFirst().joined(separator: ".")
        return other == host || other.hasSuffix(".\(host)") || host.hasSuffix(".\(other)")
            || parent.contains(".") && other.hasSuffix(".\(parent)")
    }
}

extension WebURL {
    /// The entry that an app needs to open the URL.
    fileprivate var linkEntry: String { "applinks:" + host.bracketed + (port.map { $0 == 443 ? "" : ":\($0)" } ?? "") }

    /// Returns the outcome for the URL in a file with only this component. One component needs little work.
    func outcome(of component: String) -> UniversalLinks.Outcome? {
        let file = "{\"applinks\":{\"details\":[{\"appID\":\"\",\"components\":[\(component)]}]}}"
        let applinks = AssociationFile(Array(file.utf8), name: "", at: 0).root?.object?["applinks"]?.object
        return applinks.map { UniversalLinks($0, workLimit: 1_000_000).match(self).outcome }
    }
}
