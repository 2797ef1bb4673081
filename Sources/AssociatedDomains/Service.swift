/// A service that an app and a domain can share (Apple, "Associated Domains Entitlement").
///
/// The raw value is the key in the association file and the word before the colon of an entitlement entry.
public enum Service: String, CaseIterable, Sendable {
    /// Shared web credentials: passwords and passkeys.
    case webcredentials
    /// Universal links.
    case applinks
    /// App Clips.
    case appclips
    /// Handoff between devices.
    case activitycontinuation
}
