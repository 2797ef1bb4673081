import SourceJSON

/// The universal links of an association file, both generations, for a matcher to read.
///
/// Apps and structure are proven; patterns are kept as the JSON of the file, because what a device does with a wrong
/// one is for the matcher and the checker to say.
public struct AppLinks: Sendable {
    /// One entry of `details`: apps and the URLs that they open.
    public struct Detail: Sendable {
        /// The apps: those of `appIDs`, which wins even when empty; otherwise of `appID`, or the legacy key.
        /// Empty when the entry names none, and a device then ignores it.
        public let apps: [SiteAssociation.App]
        /// The entry: `components`, `paths`, `defaults` and what else it has.
        public let object: JSONObject
        /// Where the entry begins.
        public let place: SourceLocation
    }

    /// The forms of `details`.
    public enum Form: Sendable {
        /// An array of entries.
        case array
        /// The oldest form, an object with application identifiers as keys.
        case dictionary
    }

    /// The whole service.
    public let object: JSONObject
    /// The form of `details`, or nil when the service has none.
    public let form: Form?
    /// The entries in the order of the file.
    public let details: [Detail]
    /// The apps of the legacy `apps`, which has to be there and empty on iOS 12 and before.
    public let legacyApps: [SiteAssociation.App]?

    /// The defaults of all patterns, as they stand in the file.
    public var defaults: JSONValue? { object["defaults"] }
    /// The substitution variables, as they stand in the file.
    public var substitutionVariables: JSONValue? { object["substitutionVariables"] }
}
