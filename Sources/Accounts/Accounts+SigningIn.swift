import Platform

extension Accounts {
    /// Makes an account and signs in.
    ///
    /// A name that is taken costs the address an attempt, as it tells that there is such an account; others cost
    /// nothing.
    ///
    /// - Parameters:
    ///   - name: the user name as typed.
    ///   - password: the password as typed.
    ///   - address: where the request comes from.
    /// - Returns: the name as it will be shown, and the token of a new session.
    /// - Throws: `AccountError`.
    public func signUp(
        name: String, password: String, from address: ClientAddress
    ) async throws(AccountError) -> SignedIn {
        try await visit { () throws(AccountError) in
            let name = try userName(name)
            let secret = try newPassword(password, for: name)
            let attempt = Attempt(key: name.key, from: address)
            return try await counted(attempt, .address) { () throws(AccountError) in
                guard try await find(name.key) == nil else { throw .nameTaken }
                let hash = try await hashed(attempt) { hasher throws(Scrypt.Failed) in try hasher.hash(secret) }
                let token = try newToken()
                do throws(StoreError) {
                    try await store.createAccount(
                        name, hash: hash.text, session: token.digest, settling: attempt, at: clock.now())
                } catch {
                    guard error == .nameTaken else { throw unavailable(error) }
                    throw .nameTaken
                }
                return SignedIn(name: name.text, token: token)
            }
        }
    }

    /// Begins a session for whoever knows the password.
    ///
    /// - Parameters:
    ///   - name: the user name as typed, in whatever case.
    ///   - password: the password as typed.
    ///   - address: where the request comes from.
    /// - Returns: the name as it was typed at sign-up, and the token of a new session.
    /// - Throws: `AccountError`; one and the same, after the same work, for a wrong password and an unknown name.
    public func signIn(
        name: String, password: String, from address: ClientAddress
    ) async throws(AccountError) -> SignedIn {
        try await visit { () throws(AccountError) in
            let name = try userName(name)
            let secret = try self.password(password)
            let attempt = Attempt(key: name.key, from: address)
            return try await counted(attempt, .accountAndAddress) { () throws(AccountError) in
                try await whileHashStays { () throws(AccountError) in
                    let (account, rehash) = try await verify(secret, of: try await find(name.key), attempt)
                    let token = try newToken()
                    let stayed = try await change { () throws(StoreError) in
                        try await store.beginSession(
                            token.digest, for: account, rehash: rehash, settling: attempt, at: clock.now())
                    }
                    return stayed ? SignedIn(name: account.name, token: token) : nil
                }
            }
        }
    }

    /// Finds whose session a token is, and counts that as a use of it.
    ///
    /// - Parameter token: what the client has shown.
    /// - Returns: the session; nil when it is over or never was.
    /// - Throws: `AccountError.unavailable`.
    public func session(_ token: SessionToken) async throws(AccountError) -> Session? {
        try await visit { () throws(AccountError) in
            try await findSession(token).map { Session(name: $0.name) }
        }
    }

    /// Ends a session.
    ///
    /// - Parameter token: what the client has shown.
    /// - Throws: `AccountError.notSignedIn` when the session is over or never was, or `.unavailable`.
    public func signOut(_ token: SessionToken) async throws(AccountError) {
        try await visit { () throws(AccountError) in
            let ended = try await ask { () throws(StoreError) in
                try await store.endSession(token.digest, limits: limits, at: clock.now())
            }
            guard ended else { throw .notSignedIn }
        }
    }
}
