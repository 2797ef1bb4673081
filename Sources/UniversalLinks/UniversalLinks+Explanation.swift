import SourceJSON

extension UniversalLinks {
    /// What came of one component that was tried.
    public struct Explanation: Sendable, Hashable {
        /// A key of a component that was tried; those behind the first that does not match are not.
        public struct Part: Sendable, Hashable {
            /// `/`, `?` or `#`.
            public let key: String
            /// The name of the query item, for a `?` that is a dictionary.
            public let item: String?
            /// The pattern as written in the file.
            public let pattern: String
            /// The part of the URL as it is compared: the path normalized, and decoded if the component says so.
            public let value: String
            /// Whether the value matches the pattern.
            public let matched: Bool
            /// The number of characters of the value that fitted: all of them when it matches.
            public let furthest: Int
        }

        /// The app, as written in the file.
        public let app: String
        /// The index of the detail, from 0.
        public let detail: Int
        /// The index of the component, or the legacy path, in its detail, from 0.
        public let component: Int
        /// Where the component stands.
        public let location: SourceLocation
        /// `matched` or `blocked` when the component decides; `unmatched` when it does not; `undecided` when the work
        /// was given up there.
        public let outcome: Outcome
        /// What came of it, without the full stop.
        public let sentence: String
        /// The keys that were tried, in the order path, query, fragment.
        public let parts: [Part]
    }
}
