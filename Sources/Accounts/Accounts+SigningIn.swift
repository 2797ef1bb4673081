import Platform

extension Accounts {
    /// Creates an account and signs in.
    ///
    /// Each sign-up counts for its address, also when the name is taken.
    ///
    /// - Parameters:
    ///   - name: the user name as typed.
    ///   - password: the password as typed.
    ///   - address: the client that sends the request.
    /// - Returns: the name as it will be shown, and the token of a new session.
    /// - Throws: `AccountError`.
    public func signUp(
        name: String, password: String, from address: ClientAddress
    ) async throws(AccountError) -> SignedIn {
        try await visit { () throws(AccountError) in
            let name = try newUserName(name)
            let secret = try newPassword(password, for: name)
            return try await throttled(.signUp, name.key, from: address, as: .signUp) {
                ongoing throws(AccountError) in
                if let holder = try await find(name.key) {
                    events.refused(.signUp, account: holder.id, .nameTaken)
                    throw .nameTaken
                }
                let hash = try await hashed(ongoing) { hasher throws(Scrypt.Failed) in try hasher.hash(secret) }
                let token = try newToken()
                let account: StoredAccount
                do throws(StoreError) {
                    account = try await store.createAccount(
                        name, hash: hash.text, session: token.digest, settling: ongoing.attempt, at: clock.now())
                } catch {
                    guard error == .nameTaken else { throw unavailable(error) }
                    events.refused(.signUp, account: nil, .nameTaken)
                    throw .nameTaken
                }
                events.succeeded(.signUp, account: account.id)
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
            return try await throttled(.signIn, name.key, from: address, as: .password) {
                ongoing throws(AccountError) in
                try await retryIfHashChanged(ongoing) { () throws(AccountError) in
                    let (account, rehash) = try await verify(secret, of: try await find(name.key), ongoing)
                    let token = try newToken()
                    let stayed = try await change { () throws(StoreError) in
                        try await store.beginSession(
                            token.digest, for: account, rehash: rehash, settling: ongoing.attempt, at: clock.now())
                    }
                    guard stayed else { return nil }
                    events.succeeded(.signIn, account: account.id)
                    return SignedIn(name: account.name, token: token)
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
