import SourceJSON

extension UniversalLinks {
    /// Something in a file that has no effect, or another one than its author will have meant.
    public struct Remark: Sendable, Hashable {
        /// What it is.
        public let kind: Kind
        /// Where it stands.
        public let location: SourceLocation

        /// What is wrong, with the value that shows it; a sentence without the full stop.
        public var problem: String { kind.problem }
        /// What to do about it; a sentence without the full stop.
        public var remedy: String { kind.remedy }

        /// What makes a component the same as an earlier one.
        public enum Likeness: Sendable, Hashable {
            /// They are written alike, or differ in what is always fulfilled.
            case same
            /// One has `*` for a query or a fragment where the other has nothing.
            case absent(AbsentPart)
            /// One path has a slash at its end.
            case trailingSlash
            /// The paths differ in slashes or stars that do not count.
            case slashes
        }

        /// A part of a URL that may be absent.
        public enum AbsentPart: String, Sendable, Hashable {
            case query = "?"
            case fragment = "#"
        }

        /// The kinds of remarks.
        public enum Kind: Sendable, Hashable {
            // Structure.

            /// A value of a kind that a device skips; the key is the nearest one around it.
            case wrongKind(key: String, found: JSONValue.Kind, expected: JSONValue.Kind)
            /// No `details`, or none in it.
            case noDetails
            /// The `apps` of iOS 12 and before, which has to be empty.
            case legacyApps(count: Int)
            /// A detail that names no app.
            case noApps
            /// An app that the array of a detail has already.
            case appTwice(String, first: SourceLocation)
            /// `appID` beside `appIDs`, which wins.
            case appIDBesideAppIDs
            /// `paths` beside `components`: the one is for iOS 12 and before, the other for what came after it.
            case bothGenerations
            /// A detail with neither `components` nor `paths`.
            case noPatterns
            /// An empty array of `components` or `paths`.
            case emptyPatterns(key: String)
            /// A key that differs little from one that means something.
            case misspeltKey(String, meant: String)
            /// A key that means nothing.
            case unknownKey(String)
            /// A component that is tried only when one with the same conditions has failed.
            case repeated(earlier: SourceLocation, Likeness, isLegacy: Bool = false)
            /// Components, or the rest of a detail, behind one that matches every URL; the count is theirs.
            case afterCatchAll(SourceLocation, count: Int, isLegacy: Bool = false)
            /// A detail all of whose apps have an earlier detail that decides every URL.
            case detailAfterCatchAll(SourceLocation)

            // Values of a component.

            /// `/` or `#`, or a legacy path, that is no string, or `?` that is neither a string nor a dictionary.
            case patternNotString(key: String, found: JSONValue.Kind)
            /// A dictionary of query items in which one value is no string.
            case queryVoided(item: String, found: JSONValue.Kind)
            /// `exclude`, `caseSensitive` or `percentEncoded` that is no boolean.
            case flagNotBoolean(key: String, found: JSONValue.Kind)

            // Patterns.

            /// `NOT` with nothing, or not exactly one space, after it.
            case malformedNot(String)
            /// `NOT ` in a component.
            case notInComponent(String)
            /// A scheme or a host in a path.
            case hostInPath(String)
            /// A `?` in a path, as if it began the query.
            case queryInPath(String)
            /// A `#` in a path, as if it began the fragment.
            case fragmentInPath(String)
            /// A character that stands percent-encoded in every URL, in a pattern that is compared with it as written.
            case neverAsWritten(String, Unicode.Scalar, isLegacy: Bool = false)
            /// A percent escape in a pattern that is compared with the decoded URL.
            case escapeWhenDecoded(String, isLegacy: Bool = false)

            // Substitution variables.

            /// A variable that is neither built in nor defined.
            case unknownVariable(String)
            /// An own variable with the name of a built-in one.
            case builtInName(String)
            /// An own variable that is no array, or an element of it that is no string.
            case variableNotStrings(String, found: JSONValue.Kind)
            /// An own variable without values.
            case emptyVariable(String)
            /// A value of an own variable with a variable inside.
            case variableInVariable(String, value: String)
            /// An own variable that no pattern uses.
            case unusedVariable(String)
        }
    }
}
