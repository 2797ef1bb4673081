public import AssociatedDomains
public import Platform

/// Where a simulated device gets association files.
public protocol AssociationNetwork: Sendable {
    /// Asks for the file of an entry.
    ///
    /// - Parameters:
    ///   - entry: the entry of the app's entitlement.
    ///   - developerMode: whether the device lets entries with the mode `developer` ask the host itself.
    ///   - now: the device's time.
    /// - Returns: what came of it; whether the app is named in the file is for the device to see.
    func fetch(_ entry: AssociatedDomain, developerMode: Bool, now: UnixTime) async -> SiteAnswer
}
