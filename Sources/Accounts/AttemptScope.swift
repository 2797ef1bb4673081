/// What an attempt is counted as.
public enum AttemptScope: Sendable {
    /// A password is tried: a failure of the address, and of the address with the account.
    case password
    /// An account is made: a sign-up of the address.
    case signUp
}
