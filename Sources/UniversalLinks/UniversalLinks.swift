import HTTPSClient
import SourceJSON

/// The universal links of an association file, compiled for matching as a device does it.
///
/// Making it never fails: what a device skips is skipped and remarked. The rules are those observed with Apple's own
/// tool on current devices; where nothing is known, these decisions hold:
/// - The unit of `?` and of all comparing is the Unicode scalar. Nothing is normalized but the path.
/// - Case is folded one scalar for one: `É` is `é`, but `ß` is not `ss`. Percent-encoded letters are not folded. With
///   `caseSensitive` false `$(upper)` and `$(lower)` take letters of either case.
/// - With `percentEncoded` false, a part of the URL that does not decode to UTF-8 is compared as it is written.
/// - A path pattern is normalized as it is written, before the values of variables are put in.
/// - A pattern of another kind than a string, and a voided `?` dictionary, are `*`, and hide the default of their key;
///   an `exclude`, `caseSensitive` or `percentEncoded` that is no boolean is as if it were missing everywhere.
/// - A built-in substitution variable wins over an own one of its name; an unknown one is taken as literal text.
/// - The names of query items are compared exactly, whatever `caseSensitive` says.
/// - The `defaults` for `caseSensitive`, `percentEncoded` and `exclude` hold for legacy `paths` too, those for `?` and
///   `#` do not.
public struct UniversalLinks: Sendable {
    /// The most steps of one match, each a comparison of two characters: about a second, and as many as a file of
    /// 128 KB and a URL of 8,000 bytes have pairs of characters. Only files made for it take more; the outcome is then
    /// `undecided`.
    public static let workLimit = 1_000_000_000

    /// What was found beside the matching, in file order.
    public let remarks: [Remark]

    package let file: LinkFile
    private let workLimit: Int

    /// Compiles the links.
    ///
    /// - Parameters:
    ///   - applinks: the object of the service `applinks`.
    ///   - location: where that object begins, for remarks on what is missing from it.
    ///   - workLimit: the most steps of one match, at least 1.
    public init(
        _ applinks: JSONObject, location: SourceLocation = SourceLocation(line: 1, column: 1, offset: 0),
        workLimit: Int = UniversalLinks.workLimit
    ) {
        var reader = LinkReader(applinks, location: location)
        reader.read()
        file = reader.file
        remarks = reader.sortedRemarks
        self.workLimit = workLimit
    }

    /// The apps that the details name, each once, in the order of the file, as they are written there.
    public var apps: [(identifier: String, location: SourceLocation)] {
        file.apps.map { ($0.identifier, $0.location) }
    }

    /// Finds out what a device does with a URL; scheme, host and port are not looked at.
    ///
    /// - Parameters:
    ///   - url: the URL.
    ///   - app: the application identifier of the only app to look at; nil for all of them.
    /// - Returns: the decision for the app. Without one: that of the first app that matches; else that of the first one
    ///   that is blocked; else that none matches.
    public func match(_ url: WebURL, app: String? = nil) -> Match {
        var run = LinkRun(file, url, workLimit: workLimit)
        return run.match(file.appIndices(for: app))
    }

    /// Tells of each component that a device tries what came of it.
    ///
    /// A detail that several apps share is told of once, for the first of them. The entry that decides is the last one;
    /// when nothing decides, the outcome of the last one is `unmatched`, or there is none.
    ///
    /// - Parameters:
    ///   - url: the URL.
    ///   - app: the application identifier of the only app to look at; nil for all of them.
    /// - Returns: an entry for each component that was tried, in order.
    public func explain(_ url: WebURL, app: String? = nil) -> [Explanation] {
        var explainer = LinkExplainer(LinkRun(file, url, workLimit: workLimit, isExplained: true))
        return explainer.explain(file.appIndices(for: app))
    }
}
