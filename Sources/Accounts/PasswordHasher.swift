import COpenSSL

/// Makes and verifies password hashes with the current parameters; each call is the work of a whole hash.
struct PasswordHasher: Sendable {
    /// What becomes of a password that is verified.
    enum Verdict: Sendable, Equatable {
        case wrong
        case right
        /// Right, but hashed with parameters that are not the current ones.
        case outdated
    }

    /// The parameters of new hashes.
    let parameters: ScryptParameters

    /// - Returns: a new hash with a salt of its own.
    /// - Throws: `Scrypt.Failed`.
    func hash(_ password: Password) throws(Scrypt.Failed) -> PasswordHash {
        guard let salt = RandomBytes.make(PasswordHash.saltLength) else { throw Scrypt.Failed() }
        let hash = try Scrypt.derive(password, salt: salt, parameters, length: PasswordHash.length)
        return PasswordHash(parameters: parameters, salt: salt, hash: hash)
    }

    /// - Parameters:
    ///   - password: what was typed.
    ///   - hash: what the account has; nil where there is no such account, which takes the same work and is wrong.
    /// - Throws: `Scrypt.Failed`.
    func verify(_ password: Password, against hash: PasswordHash?) throws(Scrypt.Failed) -> Verdict {
        let expected = hash ?? decoy
        let derived = try Scrypt.derive(
            password, salt: expected.salt, expected.parameters, length: PasswordHash.length)
        // In constant time: the time must not tell how much of a guess was right.
        let equal = CRYPTO_memcmp(derived, expected.hash, PasswordHash.length) == 0
        guard equal, hash != nil else { return .wrong }
        return expected.parameters == parameters ? .right : .outdated
    }

    /// What a password is verified against when there is no such account.
    private var decoy: PasswordHash {
        PasswordHash(
            parameters: parameters, salt: [UInt8](repeating: 0, count: PasswordHash.saltLength),
            hash: [UInt8](repeating: 0, count: PasswordHash.length))
    }
}
