public import Platform

/// What can be chosen about accounts.
public struct AccountOptions: Sendable {
    /// The fewest code points of a new password, in `PasswordPolicy.minimumLengths`.
    public var minimumPasswordLength = 8
    /// How much work a password hash is; accounts with others are re-hashed when they sign in.
    public var scrypt = ScryptParameters.default
    /// How many failures one address may have at once, at least 1; as many are given back steadily over an hour.
    public var failuresPerAddress = 100
    /// How many sign-ups one address may have at once, at least 1; as many are given back steadily over an hour. A
    /// class or an office behind one address can sign up together, and a flood is left with one hash in three minutes.
    public var signUpsPerAddress = 20
    /// The names of the site: a password must not be one of them or one of their words.
    public var siteNames = ["Ultra Motivator"]
    /// How many requests may wait for a hash, besides those whose hashes are computed.
    public var waitingLine = 128
    /// The seconds after which a session is over that is not used: half an hour (OWASP ASVS 5.0, 7.3.1).
    public var sessionIdle: UnixTime = 1800
    /// The seconds after which a session is over, used or not: 12 hours (OWASP ASVS 5.0, 7.3.2; NIST SP 800-63B-4
    /// §2.2.3).
    public var sessionLifetime: UnixTime = 43200

    public init() {}
}
