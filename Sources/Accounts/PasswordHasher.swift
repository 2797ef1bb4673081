import COpenSSL

/// Creates and verifies password hashes with the current parameters.
struct PasswordHasher: Sendable {
    enum Verdict: Sendable, Equatable {
        case wrong
        case right
        /// The password is correct, but its hash has outdated parameters. `renewed` has the current parameters.
        case outdated(renewed: PasswordHash)
    }

    typealias Derivation =
        @Sendable (Password, _ salt: [UInt8], ScryptParameters) throws(Scrypt.Failed) -> [UInt8]

    let parameters: ScryptParameters
    /// The function that computes a hash. Tests replace it to count the calls.
    var derive: Derivation = { password, salt, parameters throws(Scrypt.Failed) in
        try Scrypt.derive(password, salt: salt, parameters, length: PasswordHash.length)
    }

    /// Returns a new hash with a random salt.
    func hash(_ password: Password) throws(Scrypt.Failed) -> PasswordHash {
        try hash(password, salt: try randomSalt(), parameters)
    }

    /// Verifies a password.
    ///
    /// The duration does not reveal whether the account exists or has an outdated hash. Each verification computes one
    /// hash for each set of parameters in use, in the same order. The hash with the current parameters can replace an
    /// outdated hash.
    /// - Parameter hash: the account's hash; nil if the account does not exist. The verdict is then `wrong`.
    func verify(
        _ password: Password, against hash: PasswordHash?, inUse: [ScryptParameters] = []
    ) throws(Scrypt.Failed) -> Verdict {
        let expected = hash ?? decoy
        var schedule = inUse.filter { $0 != parameters } + [parameters]
        if !schedule.contains(expected.parameters) { schedule.append(expected.parameters) }
        let salt = try randomSalt()
        var isEqual = false
        var current: PasswordHash?
        for parameters in schedule {
            let isExpected = parameters == expected.parameters
            let made = try self.hash(password, salt: isExpected ? expected.salt : salt, parameters)
            // Compare in constant time. Otherwise, the duration would reveal how many bytes of the hash match.
            if isExpected { isEqual = unsafe CRYPTO_memcmp(made.hash, expected.hash, PasswordHash.length) == 0 }
            if parameters == self.parameters { current = made }
        }
        guard isEqual, hash != nil else { return .wrong }
        guard expected.parameters != parameters, let current else { return .right }
        return .outdated(renewed: current)
    }

    private func hash(
        _ password: Password, salt: [UInt8], _ parameters: ScryptParameters
    ) throws(Scrypt.Failed) -> PasswordHash {
        PasswordHash(parameters: parameters, salt: salt, hash: try derive(password, salt, parameters))
    }

    private func randomSalt() throws(Scrypt.Failed) -> [UInt8] {
        guard let salt = RandomBytes.make(PasswordHash.saltLength) else { throw Scrypt.Failed() }
        return salt
    }

    /// The substitute hash for an account that does not exist.
    private var decoy: PasswordHash {
        PasswordHash(
            parameters: parameters, salt: [UInt8](repeating: 0, count: PasswordHash.saltLength),
            hash: [UInt8](repeating: 0, count: PasswordHash.length))
    }
}
