public import AssociatedDomains

/// Whose device is simulated, where old and current systems differ.
public enum DeviceReading: String, CaseIterable, Sendable, Hashable {
    /// iOS 8 as the archived reference describes it, and what stayed so up to iOS 13.
    case iOS8 = "ios8"
    /// Systems since iOS 14, as they have been observed.
    case current

    /// The reading of the rules for sites that goes with it.
    public var ofSites: Profile {
        switch self {
        case .iOS8: .ios8
        case .current: .device
        }
    }

    /// Whether the system has a service; entries of others are dropped (Apple: App Clips came with iOS 14).
    func knows(_ service: Service) -> Bool {
        switch self {
        case .iOS8: service != .appclips
        case .current: true
        }
    }
}
