public import SourceJSON

/// The universal links in an association file, with `components` or legacy `paths`.
///
/// Only the apps and the structure are validated. Patterns remain JSON, because the matcher and the checker decide how
/// a device handles an invalid pattern.
public struct AppLinks: Sendable {
    /// One entry of `details`: apps and the URLs that they open.
    public struct Detail: Sendable {
        /// The apps in `appIDs`, otherwise in `appID` or the legacy key. Even an empty `appIDs` takes precedence.
        ///
        /// If the array is empty, a device ignores the entry.
        public let apps: [SiteAssociation.App]
        /// The JSON object of the entry, with `components`, `paths`, `defaults` and other members.
        public let object: JSONObject
        /// The location of the entry.
        public let location: SourceLocation
    }

    /// The forms of `details`.
    public enum Form: Sendable {
        /// An array of entries.
        case array
        /// The oldest form, an object with application identifiers as keys.
        case dictionary
    }

    /// The JSON object of the service.
    public let object: JSONObject
    /// The form of `details`, or nil if the service has no details.
    public let form: Form?
    /// The entries in file order.
    public let details: [Detail]
    /// The apps in the legacy key `apps`. iOS 12 and earlier require an empty array there.
    public let legacyApps: [SiteAssociation.App]?

    /// The defaults for all patterns, as written in the file.
    public var defaults: JSONValue? { object["defaults"] }
    /// The substitution variables, as written in the file.
    public var substitutionVariables: JSONValue? { object["substitutionVariables"] }
}
