/// Why an intent about an account was not carried out.
public enum AccountError: Error, Equatable, Sendable {
    /// The user name cannot be used.
    case refusedName(UserName.Fault)
    /// The new password cannot be used.
    case refusedPassword(PasswordPolicy.Fault)
    /// Another account has this name, in whatever case.
    case nameTaken
    /// No account has this name, or its password is another one; which of the two is not told.
    case wrongNameOrPassword
    /// The session is over, or there never was one.
    case notSignedIn
    /// Too many failures with this account or from this address; the next attempt counts after this many seconds.
    case throttled(retryAfter: Int)
    /// Too many passwords are waiting to be hashed; there should be room again after this many seconds.
    case busy(retryAfter: Int)
    /// The store does not work at present; the reason is in the log.
    case unavailable
}
