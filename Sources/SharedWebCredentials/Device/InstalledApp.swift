public import AssociatedDomains

/// An app on a simulated device.
public struct InstalledApp: Sendable, Hashable {
    /// The application identifier.
    public let identifier: AppIdentifier
    /// The version, for the records.
    public let version: String
    /// The strings of its entitlement, those that the device drops as well.
    public let entries: [String]
    /// Whether it is an App Clip.
    public let isAppClip: Bool

    /// The entries that a device takes, in their order; such as it cannot tell apart once.
    ///
    /// - Parameter reading: whose device.
    public func domains(_ reading: DeviceReading) -> [AssociatedDomain] {
        var seen: Set<AssociatedDomain> = []
        return entries.compactMap { text in
            guard let domain = try? AssociatedDomain(text), reading.knows(domain.service), seen.insert(domain).inserted
            else { return nil }
            return domain
        }
    }
}
