public import AssociatedDomains
public import Platform

/// What a device knows of one entry of an app's entitlement: the fields of `swcutil show`.
public struct AssociationRecord: Sendable, Hashable {
    /// The app.
    public let app: AppIdentifier
    /// Its version.
    public let appVersion: String
    /// The entry, with the service and the domain.
    public let entry: AssociatedDomain
    /// Whether the person accepted or declined the last prompt that saves.
    public internal(set) var userApproval = Approval.unspecified
    /// Whether the site names the app; it alone decides what the credential functions may do.
    public internal(set) var siteApproval = Approval.unspecified
    /// When the site was asked last; nil before the first time.
    public internal(set) var lastChecked: UnixTime?
    /// When it is asked again; nil for never.
    public internal(set) var nextCheck: UnixTime?
    /// What went wrong the last time.
    public internal(set) var failure: AssociationFailure?
    /// How many checks in a row the site could not answer; those that an app causes by a call do not count.
    public internal(set) var retries = 0
    /// The universal links of the site; empty for other services, and where the site is not approved.
    public internal(set) var links: [UInt8] = []

    /// The service.
    public var service: Service { entry.service }

    /// The domain as the entry writes it, such as `*.example.com` or `example.com:8443`.
    public var domain: String { (entry.isWildcard ? "*." : "") + entry.fileAuthority }

    init(app: AppIdentifier, version: String, entry: AssociatedDomain) {
        self.app = app
        appVersion = version
        self.entry = entry
    }
}
