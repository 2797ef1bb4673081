public import AssociatedDomains
import AssociationChecker
public import HTTPSClient
public import MotivatorPlatform

/// The source of a simulated device's association files.
public protocol AssociationNetwork: Sendable {
    /// Fetches the association file for an entry.
    /// - Parameter modes: the modes of the device. An entry with modes needs one of them.
    /// - Returns: the response. The device also denies the app if a returned file does not list it.
    func fetch(
        _ entry: AssociatedDomain, for app: AppIdentifier, modes: AssociatedDomain.Modes, now: UnixTime
    ) async -> SiteResponse

    /// Fetches the origins of other hosts that may use an RP ID, from `/.well-known/webauthn`, as a browser does.
    func relatedOrigins(of rpID: String, now: UnixTime) async -> Result<[WebURL], AssociationFailure>
}

/// A site's response to the request for its association file.
public enum SiteResponse: Sendable, Hashable {
    /// The site has a file that the device accepts.
    case file(SiteFile)
    /// The site has no file that the device accepts.
    case denied(AssociationFailure)
    /// The site could not respond. The next check may succeed.
    case retry(AssociationFailure)
}

/// A site's association file, as a device parses it.
public struct SiteFile: Sendable, Hashable {
    /// The JSON, without a signature envelope.
    public let json: [UInt8]
    /// The apps of each service, as written in the file.
    public let apps: [Service: [String]]

    /// Parses a file.
    /// - Parameter json: the JSON of the file.
    /// - Returns: nil if a device cannot parse it.
    public init?(json: [UInt8]) {
        let file = AssociationFile(json, name: "", at: 0)
        guard file.root != nil else { return nil }
        self.json = json
        apps = file.apps.mapValues { $0.map(\.text) }
    }

    /// Returns whether the file lists an app for a service.
    public func names(_ app: AppIdentifier, for service: Service) -> Bool {
        apps[service]?.contains(where: app.isNamed) ?? false
    }
}
