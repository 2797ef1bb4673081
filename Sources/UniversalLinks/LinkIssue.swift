import AssociatedDomains
package import AssociationDiagnostics
import MotivatorPlatform
public import SourceJSON

extension UniversalLinks {
    /// A part of a file that has no effect or probably not the intended effect.
    public struct LinkIssue: Sendable, Hashable {
        /// The kind, with its values.
        public let kind: Kind
        /// The location in the file.
        public let location: SourceLocation

        /// The problem, with the value that causes it, without a full stop.
        public var problem: String { kind.entry.problem }
        /// The fix, without a full stop.
        public var fix: String { kind.entry.fix }

        /// The reason a component has the same effect as an earlier component.
        public enum Likeness: Sendable, Hashable {
            /// The components are identical, or differ only in conditions that every URL meets.
            case same
            /// One component has `*` for a query or a fragment. The other component has no pattern for it.
            case absent(AbsentPart)
            /// One path has a trailing slash.
            case trailingSlash
            /// The paths differ only in redundant slashes or stars.
            case slashes
        }

        /// A part of a URL that may be absent.
        public enum AbsentPart: String, Sendable, Hashable {
            case query = "?"
            case fragment = "#"
        }

        /// The kinds of issues. Each case has its row of the diagnostic catalog, with its texts, in `entry`.
        public enum Kind: Sendable, Hashable {
            // Structure.

            /// A value of a kind that a device skips, with the nearest enclosing key.
            case wrongKind(key: String, found: JSONValue.Kind, expected: JSONValue.Kind)
            /// `details` is missing or empty.
            case noDetails
            /// The `apps` of iOS 12 and earlier, which must be empty.
            case legacyApps(count: Int)
            /// A detail that lists no app.
            case noApps
            /// An app that a detail lists twice.
            case appTwice(String, first: SourceLocation)
            /// `appID` and `appIDs`. A device uses `appIDs`.
            case appIDBesideAppIDs
            /// `paths` and `components`. iOS 12 and earlier use `paths`; later systems use `components`.
            case bothGenerations
            /// A detail with neither `components` nor `paths`.
            case noPatterns
            /// An empty array of `components` or `paths`.
            case emptyPatterns(key: String)
            /// An unknown key that is similar to a known key.
            case misspeltKey(String, meant: String)
            /// An unknown key.
            case unknownKey(String)
            /// A component with the same conditions as an earlier component, which a device tries first.
            case repeated(earlier: SourceLocation, Likeness, isLegacy: Bool = false)
            /// Components after a component that matches every URL, and their number.
            case afterCatchAll(SourceLocation, count: Int, isLegacy: Bool = false)
            /// Rules that all exclude URLs.
            case onlyExclusions
            /// A detail without effect, because earlier details decide the outcome for every URL and all its apps.
            case detailAfterCatchAll(SourceLocation)

            // Values of a component.

            /// A `/`, `#` or legacy path that is not a string, or a `?` that is neither a string nor a dictionary.
            case patternNotString(key: String, found: JSONValue.Kind)
            /// A `?` dictionary with a value that is not a string.
            case queryVoided(item: String, found: JSONValue.Kind)
            /// An `exclude`, `caseSensitive` or `percentEncoded` that is not a boolean.
            case flagNotBoolean(key: String, found: JSONValue.Kind)

            // Patterns.

            /// `NOT` that is not followed by exactly one space and a path.
            case malformedNot(String)
            /// `NOT ` in a component.
            case notInComponent(String)
            /// A scheme or a host in a path.
            case hostInPath(String)
            /// A `?` in a path that looks like the beginning of a query.
            case queryInPath(String)
            /// A `#` in a path that looks like the beginning of a fragment.
            case fragmentInPath(String)
            /// A character that is percent-encoded in every URL, in a pattern that is compared with the URL as written.
            case neverAsWritten(String, Unicode.Scalar, isLegacy: Bool = false)
            /// A percent escape in a pattern that is compared with the decoded URL.
            case escapeWhenDecoded(String, isLegacy: Bool = false)

            // Substitution variables.

            /// A variable that is neither built in nor defined.
            case unknownVariable(String)
            /// A custom variable with the name of a built-in variable.
            case builtInName(String)
            /// A custom variable that is not an array, or an element that is not a string.
            case variableNotStrings(String, found: JSONValue.Kind)
            /// A custom variable without values.
            case emptyVariable(String)
            /// A value of a custom variable that contains a variable.
            case variableInVariable(String, value: String)
            /// A custom variable that no pattern uses.
            case unusedVariable(String)
        }
    }
}

// MARK: - Catalog

extension UniversalLinks.LinkIssue.Kind: CatalogIssue {
    package static let title = "Universal links"

    package static let examples: [UniversalLinks.LinkIssue.Kind] = {
        let start = SourceLocation(line: 1, column: 1, offset: 0)
        return [
            .noDetails, .noApps, .appIDBesideAppIDs, .bothGenerations, .noPatterns, .onlyExclusions,
            .patternNotString(key: "/", found: .number), .queryVoided(item: "id", found: .number),
            .unknownVariable("food"), .emptyVariable("food"), .misspeltKey("exlude", meant: "exclude"),
            .unknownKey("owner"), .afterCatchAll(start, count: 1), .malformedNot("NOT/a"),
            .hostInPath("https://example.com/a"), .queryInPath("/a?b=c"), .neverAsWritten("/é", "é"),
            .flagNotBoolean(key: "exclude", found: .string), .legacyApps(count: 1),
        ]
    }()

    package var entry: CatalogEntry {
        switch self {
        case .wrongKind(let key, let found, let expected):
            wrongType(
                "\(key.excerpt) contains \(found.rawValue) instead of \(expected.rawValue); a device skips it",
                "Replace it with \(expected.rawValue), or remove it")
        case .flagNotBoolean(let key, let found):
            wrongType(
                "\(key.excerpt) is \(found.rawValue), not a boolean; a device ignores it",
                "Write true or false without quotes")
        case .noDetails:
            warned(
                "links-without-details", "applinks has an array of details.", "Without details, no URL opens an app.",
                .applinks, "{}", "applinks has no details, so no URL opens an app",
                "Add \"details\" with an object for each group of apps, or remove applinks")
        case .legacyApps(let count):
            .init(
                "links-apps-not-empty", "If applinks.apps is present, it is an empty array.",
                because: "iOS 12 and earlier require an empty array. Current devices ignore this key.",
                SeverityByProfile(device: .note, documented: .warning, ios9: .warning), .appSearch,
                example: #"{"applinks":{"apps":["A.b"],"details":[]}}"#,
                problem: "\"apps\" of applinks has \(count) entr\(count == 1 ? "y" : "ies"), "
                    + "but iOS 12 and earlier require it to be empty",
                fix: "Make \"apps\" an empty array, and list the apps in \"details\"")
        case .noApps:
            warned(
                "links-detail-without-apps", "Each detail lists its apps in appIDs or appID.",
                "The device skips a detail without apps.", .applinks, #"{"components":[{"/":"*"}]}"#,
                "the detail lists no app", "List the apps in \"appIDs\", or remove the detail")
        case .appTwice(let app, let first):
            AppIdentifier.repeated("\(app.excerpt) occurs twice, first at \(first)")
        case .appIDBesideAppIDs:
            warned(
                "links-app-id-ignored", "A detail has appIDs or appID, not both.",
                "appIDs takes precedence, even when it is empty.", .observed, #"{"appID":"A.b","appIDs":[]}"#,
                "the detail has \"appID\" and \"appIDs\"; a device uses only \"appIDs\"", "Remove \"appID\"")
        case .bothGenerations:
            .init(
                "links-both-generations", "The components and the paths of a detail match the same URLs.",
                because: "In iOS 13 and later, components takes precedence. paths is for iOS 12 and earlier.",
                .all(.note), .applinks, example: #"{"appIDs":["A.b"],"components":[],"paths":[]}"#,
                problem: "the detail has \"components\" and \"paths\"; iOS 12 and earlier use \"paths\", "
                    + "and later systems use \"components\"",
                fix: "Keep \"paths\" only if you support iOS 12 and earlier")
        case .noPatterns: noRules("the detail has neither \"components\" nor \"paths\", so it matches no URL")
        case .emptyPatterns(let key): noRules("\(key.excerpt) is empty, so the detail matches no URL")
        case .misspeltKey(let key, let meant):
            warned(
                "links-key-misspelt", "The keys of a component are spelled as in Apple's documentation.",
                "The device ignores other keys.", .applinks, #"{"/":"/a","exlude":true}"#,
                "unknown key \(key.excerpt); a device ignores it", "Rename it to \(meant.excerpt)")
        case .unknownKey(let key):
            .init(
                "links-key-unknown", "A component has only documented keys.", because: "The device ignores other keys.",
                .all(.note), .observed, example: #"{"/":"/a","owner":"me"}"#,
                problem: "unknown key \(key.excerpt); a device ignores it", fix: "Remove the key")
        case .repeated(let earlier, let likeness, let isLegacy):
            unreachable(
                "the \(isLegacy ? "path" : "component") can never take effect: the rule at \(earlier) "
                    + likeness.reason, likeness.fix)
        case .afterCatchAll(let location, let count, let isLegacy):
            unreachable(
                "this \(isLegacy ? "path" : "component")\(count == 1 ? "" : " and the \(count - 1) after it") "
                    + "can never take effect: the rule at \(location) matches every URL",
                "Put the \(isLegacy ? "path" : "component") that matches every URL last, or remove the rules after it")
        case .detailAfterCatchAll(let location):
            unreachable(
                "the detail can never take effect: for all its apps, a rule at or before \(location) "
                    + "matches every URL", "Put the detail first, or remove it")
        case .onlyExclusions:
            .init(
                "links-only-exclusions", "At least one component or path can open the app.",
                because: "A rule with exclude or NOT only blocks URLs, so no URL opens the app.", .all(.denial),
                .applinks, example: #"{"appID":"A.b","paths":["NOT /admin/*"]}"#,
                problem: "All rules of applinks exclude URLs, so no URL opens an app",
                fix: #"Add a component that matches, such as {"/":"*"}, after the exclusions"#)
        case .patternNotString(let key, let found):
            warned(
                "links-pattern-not-a-string", "A pattern is a string.",
                "The device ignores other values, so more URLs match.", .observed, #"{"/":7}"#,
                "the pattern \(key.excerpt) is \(found.rawValue), not a string, so it matches everything",
                "Put the pattern in straight double quotes")
        case .queryVoided(let item, let found):
            warned(
                "links-query-void", "Each value of a query dictionary is a string.",
                "The device ignores a dictionary with any other value, so every query matches.", .observed,
                #"{"?":{"id":7}}"#,
                "the query item \(item.excerpt) is \(found.rawValue), not a string, so a device ignores the whole "
                    + "dictionary and every query matches", "Put the pattern in straight double quotes")
        case .malformedNot(let text):
            misusedNot(
                "the path \(text.excerpt) does not begin with \"NOT\", one space and a path, so it excludes nothing",
                "Write it as \(Self.corrected(text).excerpt)")
        case .notInComponent(let text):
            misusedNot(
                "the pattern \(text.excerpt) begins with \"NOT \", which works only in \"paths\"",
                "Remove \"NOT \" and add \"exclude\": true to the component")
        case .hostInPath(let text):
            warned(
                "links-whole-url", "A path pattern contains only a path.",
                "The device compares only the path, so a pattern with a scheme or host never matches.", .applinks,
                #"{"/":"https://example.com/a"}"#,
                "the path pattern \(text.excerpt) contains a scheme or a host",
                "Write only the path; the rule applies to the host that serves the file")
        case .queryInPath(let text):
            queryInPath(
                "the path pattern \(text.excerpt) contains a query, but \"?\" in a path matches one character",
                "Move the query to the \"?\" key of a component, and keep only the path in \"/\"")
        case .fragmentInPath(let text):
            queryInPath(
                "the path pattern \(text.excerpt) contains \"#\", which no path contains",
                "Move the fragment to the \"#\" key of a component, and keep only the path in \"/\"")
        case .neverAsWritten(let text, let scalar, let isLegacy):
            neverMatches(
                "the pattern \(text.excerpt) contains \(scalar == " " ? "a space" : scalar.shown), "
                    + "which is percent-encoded in every URL, so the pattern never matches",
                "Write the character percent-encoded"
                    + (isLegacy ? "" : ", or add \"percentEncoded\": false to compare with the decoded URL"))
        case .escapeWhenDecoded(let text, let isLegacy):
            neverMatches(
                "the pattern \(text.excerpt) contains a percent escape, but is compared with the decoded URL",
                "Write the character itself"
                    + (isLegacy ? "" : ", or set \"percentEncoded\": true to compare with the URL as it is written"))
        case .unknownVariable(let name):
            warned(
                "links-unknown-variable",
                "A variable is built in or defined in substitutionVariables, with the same letter case.",
                "The device does not replace an unknown variable, so the pattern matches no URL.", .applinks,
                #"{"/":"/$(food)"}"#,
                "the substitution variable \(name.excerpt) is not defined, so a device treats it as literal text",
                "Define it in \"substitutionVariables\", or correct its name, which is case-sensitive")
        case .builtInName(let name):
            variable(
                name, "has the name of a built-in variable, which a device uses instead", "Rename the custom variable")
        case .variableNotStrings(let name, let found):
            variable(
                name, "contains \(found.rawValue), but a device accepts only an array of strings",
                "Write an array of strings")
        case .emptyVariable(let name):
            variable(name, "has no value, so no pattern with it matches", "Add a value, or remove the variable")
        case .variableInVariable(let name, let value):
            variable(
                name, "contains a variable, which a device treats as literal text",
                "Write out the values of the inner variable", "the value \(value.excerpt) of ")
        case .unusedVariable(let name):
            variable(
                name, "", "Remove the variable, or correct its name in the pattern that should use it",
                "no pattern uses ")
        }
    }

    private func warned(
        _ code: String, _ rule: String, _ reason: String, _ source: Source, _ example: String, _ problem: String,
        _ fix: String
    ) -> CatalogEntry {
        .init(code, rule, because: reason, .all(.warning), source, example: example, problem: problem, fix: fix)
    }

    private func wrongType(_ problem: String, _ fix: String) -> CatalogEntry {
        warned(
            "links-value-of-wrong-kind",
            "Each value in applinks has its documented type. For example, appIDs is an array of strings, and "
                + "exclude is true or false.",
            "The device ignores other values.", .observed, #"{"/":"/a","exclude":"true"}"#, problem, fix)
    }

    private func noRules(_ problem: String) -> CatalogEntry {
        warned(
            "links-detail-without-rules", "A detail has components or paths.",
            "Without them, the detail matches no URL.", .applinks, #"{"appIDs":["A.b"]}"#, problem,
            "Add a component, such as {\"/\":\"/buy/*\"}, or remove the detail")
    }

    private func unreachable(_ problem: String, _ fix: String) -> CatalogEntry {
        warned(
            "links-rule-unreachable", "Each component can match a URL.",
            "The first matching component determines the result. The device does not try later components.",
            .applinks, #"[{"/":"*"},{"/":"/a"}]"#, problem, fix)
    }

    private func misusedNot(_ problem: String, _ fix: String) -> CatalogEntry {
        warned(
            "links-not-misused", "NOT is at the start of a legacy path, followed by one space.",
            "Elsewhere, or without the space, the word is part of the pattern.", .appSearch, #""NOT/a""#, problem, fix)
    }

    private func queryInPath(_ problem: String, _ fix: String) -> CatalogEntry {
        warned(
            "links-query-in-path", "The query and the fragment have their own patterns: \"?\" and \"#\".",
            "In a path, ? matches one character. # matches itself, and no path contains it.", .applinks,
            #"{"/":"/a?b=c"}"#, problem, fix)
    }

    private func neverMatches(_ problem: String, _ fix: String) -> CatalogEntry {
        warned(
            "links-never-matches", "A pattern is percent-encoded like the URL, unless percentEncoded is false.",
            "A character that the compared URL cannot contain never matches.", .observed, #"{"/":"/é"}"#, problem, fix)
    }

    private func variable(_ name: String, _ problem: String, _ fix: String, _ lead: String = "") -> CatalogEntry {
        warned(
            "links-variable", "The value of a custom variable is an array of strings without variables.",
            "The device does not replace variables inside values.", .applinks,
            #"{"substitutionVariables":{"food":"soup"}}"#,
            "\(lead)the substitution variable \(name.excerpt)\(problem.isEmpty ? "" : " ")\(problem)", fix)
    }

    /// Returns the path after `NOT` and one space.
    private static func corrected(_ text: String) -> String {
        let path = text.unicodeScalars.dropFirst(3).drop(while: \.properties.isWhitespace)
        return "NOT \(path.isEmpty ? "/path" : String(path))"
    }
}

extension UniversalLinks.LinkIssue.Likeness {
    fileprivate var reason: String {
        switch self {
        case .same: "has the same conditions"
        case .absent(let part):
            "matches the same URLs, because \"*\" in \"\(part.rawValue)\" also matches an absent or empty value"
        case .trailingSlash: "has the same path, because a slash at the end does not count"
        case .slashes:
            "has the same path, because redundant slashes and \"*\" characters do not count"
        }
    }

    fileprivate var fix: String {
        switch self {
        case .same, .trailingSlash, .slashes: "Remove one of the two rules"
        case .absent:
            "To require a value, write \"?*\" and put that component first; otherwise, remove one of the two rules"
        }
    }
}
