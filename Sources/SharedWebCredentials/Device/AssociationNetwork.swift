public import AssociatedDomains
public import AssociationChecker
public import HTTPSClient
public import MotivatorPlatform

/// The source of a simulated device's association files.
public protocol AssociationNetwork: Sendable {
    /// Fetches the association file for an entry.
    /// - Parameter modes: the modes of the device. The device needs all modes of the entry.
    /// - Returns: the response. The device also denies the app if a returned file does not list it.
    func fetch(
        _ entry: AssociatedDomain, for app: AppIdentifier, modes: AssociatedDomain.Modes, now: UnixTime
    ) async -> SiteResponse

    /// Fetches the origins of other hosts that may use an RP ID, from `/.well-known/webauthn`, as a browser does.
    func relatedOrigins(of rpID: String, now: UnixTime) async -> Result<[WebURL], AssociationFailure>
}

/// A site's response to the request for its association file.
public enum SiteResponse: Sendable {
    /// The site has a file that the device accepts.
    case file(AssociationFile)
    /// The site has no file that the device accepts.
    case denied(AssociationFailure)
    /// The site could not respond. The next check may succeed.
    case retry(AssociationFailure)
}
