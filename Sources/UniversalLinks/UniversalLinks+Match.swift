import SourceJSON

extension UniversalLinks {
    /// What a device does with a URL.
    public enum Outcome: String, CaseIterable, Sendable, Hashable {
        /// It opens the app.
        case matched
        /// A component with `exclude` keeps it in the browser.
        case blocked
        /// No component decides, so that it stays in the browser.
        case unmatched
        /// The comparison took more than the limit of work and was given up.
        case undecided
    }

    /// The decision on a URL, and what in the file decides.
    public struct Match: Sendable, Hashable {
        /// What a device does.
        public let outcome: Outcome
        /// The app that the decision is for, as written in the file; nil when no component decides.
        public let app: String?
        /// The index of the detail that decides, from 0.
        public let detail: Int?
        /// The index of the component, or the legacy path, in its detail, from 0.
        public let component: Int?
        /// Where that component stands.
        public let location: SourceLocation?
    }
}
