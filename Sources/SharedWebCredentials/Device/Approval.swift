/// What the person, or a site, has decided about an app and a domain.
public enum Approval: String, CaseIterable, Sendable {
    /// Nothing yet.
    case unspecified
    case approved
    case denied
}
