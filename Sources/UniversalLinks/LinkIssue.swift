import AssociationDiagnostics
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

        /// The relation of a component to an earlier component that matches all its URLs.
        public enum Likeness: Sendable, Hashable {
            /// Both components match the same URLs.
            case same(hasSameResult: Bool)
            /// Both match the same URLs, because one component has `*` for a query or a fragment.
            case absent(AbsentPart)
            /// The earlier component matches more URLs, and opens or excludes them like the later component, or not.
            case subset(hasSameResult: Bool)
        }

        /// A path with a URL that opens the app up to iOS 12, but not in later systems.
        public struct LostPath: Sendable, Hashable {
            let path: String
            /// Whether an earlier path excludes some of its URLs.
            let isRestricted: Bool
            /// Whether a component excludes the URL.
            let isExcluded: Bool
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
            case noDetails, detailsDictionary
            case legacyApps(count: Int)
            case noApps, appIDBesideAppIDs
            /// Components and paths in one detail, and a path that opens URLs that the components do not open.
            case bothGenerations(lost: LostPath? = nil)
            case noPatterns
            case emptyPatterns(key: String)
            case misspeltKey(String, meant: String)
            case unknownKey(String)
            /// A component whose URLs an earlier component matches, which a device tries first.
            case repeated(earlier: SourceLocation, Likeness, isLegacy: Bool = false)
            /// Components after a component that matches every URL, their number, and whether all have its result.
            case afterCatchAll(SourceLocation, count: Int, hasSameResult: Bool, isLegacy: Bool = false)
            case onlyExclusions
            /// An exclusion of URLs that a rule in an earlier detail opens for an app, and for more apps.
            case exclusionTooLate(earlier: SourceLocation, String, more: Int)
            /// A detail without effect, because earlier details decide the outcome for every URL and all its apps, or one
            /// of them.
            case detailAfterCatchAll(SourceLocation, app: String? = nil)

            /// `*` for a query item, the query or the fragment, although the component should require a value.
            case matchesAbsentItem(String?, AbsentPart, isEverything: Bool, excludes: Bool)

            // Values of a component.

            /// A `/`, `#` or legacy path that is not a string, or a `?` that is neither a string nor a dictionary.
            case patternNotString(key: String, found: JSONValue.Kind)
            case queryVoided(item: String, found: JSONValue.Kind)
            case flagNotBoolean(key: String, found: JSONValue.Kind)
            /// An `exclude` that is not a boolean. `pattern` is the path pattern of its component. `path` is the value of
            /// `exclude` if it looks like a path.
            case excludeNotBoolean(found: JSONValue.Kind, meantTrue: Bool, pattern: String?, path: String? = nil)

            // Patterns.

            case malformedNot(String)
            case notInComponent(String)
            /// A scheme or a host in a path, the path alone, and the name that may be a host or a folder.
            case hostInPath(String, path: String, folder: String? = nil)
            case queryInPath(String, isLegacy: Bool = false)
            case fragmentInPath(String, isLegacy: Bool = false)
            /// A pattern that begins with its key, `?` or `#`, and the pattern that the author probably meant.
            case leadingDelimiter(String, key: String, meant: String)
            case surroundingSpace(String, trimmed: String)
            /// A route parameter or a regular expression, and the patterns that the author probably meant.
            case foreignSyntax(String, construct: String, patterns: [String])
            case noLeadingSlash(String)
            /// A character that is percent-encoded in every URL, in a pattern that is compared with the URL as written.
            case neverAsWritten(String, Unicode.Scalar, isLegacy: Bool = false)
            case escapeWhenDecoded(String, isLegacy: Bool = false)

            // Substitution variables.

            /// A variable that is not defined, and the location of its definition in a detail, which has no effect.
            case unknownVariable(String, inDetail: SourceLocation? = nil)
            case builtInName(String)
            case variableNotStrings(String, found: JSONValue.Kind)
            case emptyVariable(String)
            case variableInVariable(String, value: String)
            case unusedVariable(String)
        }
    }
}

extension [UniversalLinks.LinkIssue] {
    mutating func report(_ kind: UniversalLinks.LinkIssue.Kind, _ location: SourceLocation) {
        append(UniversalLinks.LinkIssue(kind: kind, location: location))
    }
}

extension UniversalLinks.LinkIssue.LostPath {
    var fix: String {
        (isRestricted
            ? "Add the \"paths\" to \"components\" in their order, each as {\"/\": PATH}, after NOT also with "
                + "\"exclude\": true"
            : "Add {\"/\": \(path.excerpt)} to \"components\"") + (isExcluded ? ", before the exclusion" : "")
    }
}

extension UniversalLinks.LinkIssue.Likeness {
    var reason: String {
        switch self {
        case .same: "matches the same URLs"
        case .absent(let part):
            "matches the same URLs, because \"*\" in \"\(part.rawValue)\" also matches an absent or empty value"
        case .subset: "matches all its URLs"
        }
    }

    var fix: String {
        switch self {
        case .same(hasSameResult: true): "Remove one of the two rules"
        case .same(hasSameResult: false): "Remove this rule to keep the outcome, or the earlier rule to reverse it"
        case .absent:
            "To require a value, write \"?*\" and put that component first; otherwise, remove one of the two rules"
        case .subset(hasSameResult: true): "Remove it: both rules have the same result"
        case .subset(hasSameResult: false): "Move it before that rule"
        }
    }
}
