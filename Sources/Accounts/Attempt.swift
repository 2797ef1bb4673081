/// Something that may fail and is throttled, by whom it concerns; names and addresses stay out of the store's counts.
public struct Attempt: Sendable, Equatable {
    /// The account whose password is tried, whether or not there is such an account.
    public let account: Digest
    /// Where the attempt comes from.
    public let address: Digest
    /// The account at this address.
    public let pair: Digest

    /// - Parameters:
    ///   - key: the account's folded name.
    ///   - address: where the attempt comes from.
    public init(key: String, from address: ClientAddress) {
        account = Digest(of: Array("account:\(key)".utf8))
        self.address = Digest(of: Array("address:".utf8) + address.bytes)
        pair = Digest(of: Array("pair:".utf8) + address.bytes + Array(":\(key)".utf8))
    }
}
