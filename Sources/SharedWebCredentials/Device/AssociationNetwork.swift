public import AssociatedDomains
import AssociationChecker
public import Platform

/// The source of a simulated device's association files.
public protocol AssociationNetwork: Sendable {
    /// Fetches the file of an entry.
    ///
    /// - Parameters:
    ///   - entry: the entry of the app's entitlement.
    ///   - developerMode: whether the device fetches the files of entries with the mode `developer` from the host itself.
    ///   - now: the device's time.
    /// - Returns: the response. The device determines whether the file names the app.
    func fetch(_ entry: AssociatedDomain, developerMode: Bool, now: UnixTime) async -> SiteResponse
}

/// A site's response to the request for its association file.
public enum SiteResponse: Sendable, Hashable {
    /// The site has a file that the device accepts.
    case file(SiteFile)
    /// The site has no such file.
    case denied(AssociationFailure)
    /// The site could not respond, and may do so the next time.
    case retry(AssociationFailure)
}

/// An association file that a site delivered, and what a device reads from it.
public struct SiteFile: Sendable, Hashable {
    /// The JSON, without a signature's envelope.
    public let json: [UInt8]
    /// The apps of each service in the file, as written.
    public let apps: [Service: [String]]

    /// Reads a file.
    ///
    /// - Parameter json: the JSON of the file.
    /// - Returns: nil if a device cannot read it.
    public init?(json: [UInt8]) {
        guard json.count <= SiteAssociation.maximumSize,
            let association = Checker(CheckRequest(), at: 0).check(file: json, name: "").association
        else { return nil }
        self.json = json
        apps = association.apps.mapValues { $0.map(\.text) }
    }

    /// Whether the file names an app for a service.
    public func names(_ app: AppIdentifier, for service: Service) -> Bool {
        apps[service]?.contains(where: app.isNamed) ?? false
    }
}
