import AssociationDiagnostics
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
            case same
            /// Both match the same URLs, because one component has `*` for a query or a fragment.
            case absent(AbsentPart)
            /// The earlier component matches more URLs, and opens or excludes them like the later component, or not.
            case subset(hasSameResult: Bool)
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
            /// `details` in the older form, with one key for each app.
            case detailsDictionary
            /// The `apps` of iOS 12 and earlier, which must be empty.
            case legacyApps(count: Int)
            /// A detail that lists no app.
            case noApps
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
            /// A component whose URLs an earlier component matches, which a device tries first.
            case repeated(earlier: SourceLocation, Likeness, isLegacy: Bool = false)
            /// Components after a component that matches every URL, and their number.
            case afterCatchAll(SourceLocation, count: Int, isLegacy: Bool = false)
            /// Rules that all exclude URLs.
            case onlyExclusions
            /// A detail without effect, because earlier details decide the outcome for every URL and all its apps.
            case detailAfterCatchAll(SourceLocation)

            /// `*` for a query item, the query or the fragment, although the component should require a value.
            case matchesAbsentItem(String?, AbsentPart, isEverything: Bool, excludes: Bool)

            // Values of a component.

            /// A `/`, `#` or legacy path that is not a string, or a `?` that is neither a string nor a dictionary.
            case patternNotString(key: String, found: JSONValue.Kind)
            /// A `?` dictionary with a value that is not a string.
            case queryVoided(item: String, found: JSONValue.Kind)
            /// A `caseSensitive` or `percentEncoded` that is not a boolean.
            case flagNotBoolean(key: String, found: JSONValue.Kind)
            /// An `exclude` that is not a boolean, and the path pattern of its component, if it has one.
            case excludeNotBoolean(found: JSONValue.Kind, meantTrue: Bool, pattern: String?)

            // Patterns.

            /// `NOT` that is not followed by exactly one space and a path.
            case malformedNot(String)
            /// `NOT ` in a component.
            case notInComponent(String)
            /// A scheme or a host in a path, and the path alone.
            case hostInPath(String, path: String)
            /// A `?` in a path that looks like the beginning of a query.
            case queryInPath(String)
            /// A `#` in a path that looks like the beginning of a fragment.
            case fragmentInPath(String)
            /// Leading or trailing white space.
            case surroundingSpace(String, trimmed: String)
            /// A route parameter or a regular expression, and the patterns that the author probably meant.
            case foreignSyntax(String, construct: String, patterns: [String])
            /// A path without a slash at its start.
            case noLeadingSlash(String)
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

extension [UniversalLinks.LinkIssue] {
    mutating func report(_ kind: UniversalLinks.LinkIssue.Kind, _ location: SourceLocation) {
        append(UniversalLinks.LinkIssue(kind: kind, location: location))
    }
}
