/// An attempt that is throttled, by the keys of its counts: the store learns neither names nor addresses from them.
public struct Attempt: Sendable, Equatable {
    /// The account whose password is tried, whether or not there is such an account.
    public let account: Digest
    /// The client that makes the attempt.
    public let address: Digest
    /// The account at this address.
    public let pair: Digest
    /// The client that signs up.
    public let signUps: Digest

    /// - Parameters:
    ///   - key: the account's folded name.
    ///   - address: the client that makes the attempt.
    public init(key: String, from address: ClientAddress) {
        // Version 1 of the schema counted failures in a row under "account:".
        account = Digest(of: Array("level:\(key)".utf8))
        self.address = Digest(of: Array("address:".utf8) + address.bytes)
        pair = Digest(of: Array("pair:".utf8) + address.bytes + Array(":\(key)".utf8))
        signUps = Digest(of: Array("sign-ups:".utf8) + address.bytes)
    }
}
