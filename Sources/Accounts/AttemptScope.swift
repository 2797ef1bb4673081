/// Whose count an attempt is added to.
public enum AttemptScope: Sendable {
    /// A password is tried: the account's and the address's.
    case accountAndAddress
    /// A name is tried: the address's.
    case address
}
