import AssociationDiagnostics
public import HTTPSClient
public import SourceJSON

/// The universal links in an association file, compiled to match URLs as a device does.
///
/// The initializer never fails. It skips what a device skips, and lists the problems in `issues`. The rules follow
/// Apple's own tool on current devices. Where the behavior of a device is unknown, these rules apply:
/// - Patterns and URLs are compared by Unicode scalar. Only paths are normalized.
/// - Case folding maps one scalar to one scalar: `É` equals `é`, but `ß` does not equal `ss`. Percent-encoded letters
///   are not folded. If `caseSensitive` is false, `$(upper)` and `$(lower)` match letters of either case.
/// - If `percentEncoded` is false, a part of the URL that does not decode to UTF-8 is compared as written.
/// - A path pattern is normalized before variables are replaced by their values.
/// - A pattern that is not a string counts as `*` and overrides the default for its key, like an invalid `?`
///   dictionary. An `exclude`, `caseSensitive` or `percentEncoded` that is not a boolean counts as missing everywhere.
/// - A built-in substitution variable overrides a custom variable of that name. An unknown variable is literal text.
/// - The names of query items are compared exactly, regardless of `caseSensitive`.
/// - The `defaults` for `caseSensitive`, `percentEncoded` and `exclude` also apply to legacy `paths`. The defaults
///   for `?` and `#` do not.
public struct UniversalLinks: Sendable {
    /// The default work limit for one URL, in units of about one nanosecond.
    ///
    /// Only a malicious file reaches the limit. The outcome is then `undecided`.
    public static let workLimit = 1_000_000_000

    /// The problems in the file, in file order.
    public let issues: [LinkIssue]

    /// The apps that a detail lists again, with the location of the first entry.
    package let repeatedApps: [(identifier: String, first: SourceLocation, location: SourceLocation)]

    private let links: CompiledLinks
    /// The apps that a URL opens, by index, and the first issue with the rules of each other app.
    private let openApps: Set<Int>
    private let obstacles: [Int: LinkIssue]
    private let workLimit: Int

    /// Compiles the rules in a file.
    /// - Parameters:
    ///   - applinks: The object of the `applinks` service.
    ///   - location: The location of the object. Issues about missing parts refer to it.
    ///   - host: The host that serves the file, if known.
    ///   - workLimit: The work limit for one URL, at least 1.
    public init(
        _ applinks: JSONObject, location: SourceLocation = SourceLocation(line: 1, column: 1, offset: 0),
        host: String? = nil, workLimit: Int = UniversalLinks.workLimit
    ) {
        var reader = LinkReader(applinks, location: location, host: host)
        reader.read()
        let reach = reader.reach()
        links = reader.compiler.links
        (openApps, obstacles) = (reach.openApps, reach.obstacles)
        issues = reader.issues(reach)
        repeatedApps = reader.repeatedApps
        self.workLimit = workLimit
    }

    /// The distinct apps that the details list, as written and in file order.
    public var apps: [(identifier: String, location: SourceLocation)] {
        links.apps.map { ($0.identifier, $0.location) }
    }

    /// Returns the issue that prevents every URL from opening an app, or nil if a URL may open it.
    ///
    /// - Parameter app: An application identifier, or nil for all apps in the file.
    public func obstacle(for app: String? = nil) -> LinkIssue? {
        let apps = links.appIndices(for: app)
        guard openApps.isDisjoint(with: apps) else { return nil }
        // Without apps, the first problem explains why there are none.
        if links.apps.isEmpty, app == nil {
            return issues.first { $0.kind.entry.diagnostic.effects.device == .warning }
        }
        let rules = links.rules(of: app)
        guard rules.isEmpty || !rules.allSatisfy(\.excludes) else {
            return LinkIssue(kind: .onlyExclusions, location: rules[0].origin.location)
        }
        return apps.lazy.compactMap { obstacles[$0] }.first
    }

    /// Returns a device's decision for a URL. The scheme, host and port are ignored.
    /// - Parameter app: An application identifier, or nil for all apps in the file.
    /// - Returns: The decision for the app. If `app` is nil, the first matched app decides the outcome, otherwise
    ///   the first blocked app. If no app does, the outcome is `unmatched`.
    public func match(_ url: WebURL, app: String? = nil) -> Match {
        var evaluation = LinkEvaluation(links, url, workLimit: workLimit)
        return evaluation.match(links.appIndices(for: app))
    }

    /// Returns the apps for which each rule matches the same URLs as the rule at its position in another file. Omits
    /// an app if this is undecided.
    package func apps(_ apps: [String], withSameResultsIn other: UniversalLinks) -> [String] {
        // The work limit applies to all apps together.
        var (inclusion, reverse) = (RuleInclusion(innerLinks: links), RuleInclusion(innerLinks: other.links))
        return apps.filter { app in
            let (own, others) = (links.rules(of: app), other.links.rules(of: app))
            guard own.count == others.count, !own.isEmpty else { return false }
            return zip(own, others).allSatisfy { one, another in
                one.excludes == another.excludes && inclusion.contains(one, in: another, other.links)
                    && reverse.contains(another, in: one, links)
            }
        }
    }

    /// Returns the result of each rule that a device tries.
    ///
    /// A detail that several apps share occurs once, for the first of these apps. The last entry is the deciding
    /// rule. If there is none, the outcome of every entry is `unmatched`.
    /// - Parameter app: An application identifier, or nil for all apps in the file.
    /// - Returns: An entry for each rule that was tried, in order.
    public func explain(_ url: WebURL, app: String? = nil) -> [Explanation] {
        var evaluation = LinkEvaluation(links, url, workLimit: workLimit, isTraced: true)
        _ = evaluation.match(links.appIndices(for: app))
        let caseless = LinkEvaluation(links, url, workLimit: workLimit, ignoresCase: true)
        var writer = ExplanationWriter(links, evaluation.trace ?? LinkEvaluation.Trace(), caseless)
        return writer.explanations()
    }

    /// The result of matching a URL.
    public enum Outcome: String, CaseIterable, Sendable, Hashable {
        /// The device opens the app.
        case matched
        /// A rule that excludes the URL keeps it in the browser.
        case blocked
        /// No rule matches, so the URL stays in the browser.
        case unmatched
        /// The evaluation exceeded the work limit.
        case undecided
    }

    /// The decision for a URL, and the deciding rule.
    public struct Match: Sendable, Hashable {
        /// The result for the URL.
        public let outcome: Outcome
        /// The app of the decision, as written in the file, or nil if no rule decides the outcome.
        public let app: String?
        /// The index of the deciding detail, from 0.
        public let detail: Int?
        /// The index of the component or legacy path in its detail, from 0.
        public let component: Int?
        /// The location of that component.
        public let location: SourceLocation?
    }
}
