import AssociatedDomains
import SourceJSON

/// What to check of a site or a file.
public struct CheckRequest: Sendable {
    /// An entry of an entitlement, with its origin.
    public struct Entry: Sendable {
        /// The entry as it is written.
        public let text: String
        /// What messages call its origin, such as the file's name.
        public let source: String
        /// Where in that file, if known.
        public let location: SourceLocation?

        /// - Parameters:
        ///   - text: the entry as it is written.
        ///   - source: what messages call its origin.
        ///   - location: where in that file.
        public init(_ text: String, source: String = "--entitlement", location: SourceLocation? = nil) {
            self.text = text
            self.source = source
            self.location = location
        }
    }

    /// The apps to associate; with none, the file as such is checked.
    public var apps: [AppIdentifier] = []
    /// The service; nil for the services of the entries, and without entries for any: it is enough that the apps are
    /// listed for one.
    public var service: Service?
    /// The app's entitlement; empty when it is not checked.
    public var entries: [Entry] = []
    /// Problems of the property list with the entries, found when it was read.
    public var listIssues: [Issue] = []
    /// The domain of a file that does not name it, for the signer's certificate.
    public var domain: String?
    /// Whether a private host or root is evaluated as if it were public.
    public var assumesPublic = false

    /// A request about the file as such.
    public init() {}

    /// Adds the entries of an app's property list, and the problems of the list itself.
    ///
    /// - Parameters:
    ///   - list: the app's entitlements.
    ///   - source: what issues call the list.
    public mutating func add(_ list: Entitlements, from source: String) {
        entries += list.entries.map { Entry($0.text, source: source, location: $0.place) }
        listIssues += list.remarks.map { remark in
            let effects: SeverityByProfile? =
                switch remark.kind {
                case .missingKey, .misspeltKey, .notAnArray, .notAString, .noEntry, .profile, .informationList:
                    .all(.denial)
                case .duplicate, .buildSetting, .identifierNotAString, .malformedIdentifier: nil
                }
            return Issue(
                EntitlementDiagnostic.list, problem: remark.problem, fix: remark.fix, in: source, at: remark.place,
                effects)
        }
        // The list of a built app contains its identifier.
        if apps.isEmpty, let text = list.applicationIdentifier, let app = try? AppIdentifier(text) { apps = [app] }
    }
}
