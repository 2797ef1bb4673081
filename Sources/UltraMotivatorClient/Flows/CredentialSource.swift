/// Where a credential comes from, in the order in which they are asked.
public enum CredentialSource: Sendable, Hashable, CaseIterable {
    /// The app's own keychain.
    case keychain
    /// What the domain's website and apps share.
    case sharedWebCredentials
    /// The person, when nothing else is left.
    case person
}
