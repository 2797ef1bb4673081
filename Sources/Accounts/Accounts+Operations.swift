import MotivatorPlatform

extension Accounts {
    /// Creates an account and signs in.
    ///
    /// Each sign-up counts toward the address's limit, even if the name is taken.
    ///
    /// - Parameters:
    ///   - name: the user name as typed.
    ///   - password: the password as typed.
    ///   - address: the client that sends the request.
    /// - Returns: the name as displayed, and the token of a new session.
    /// - Throws: `AccountError`.
    package func signUp(
        name: String, password: String, from address: ClientAddress
    ) async throws(AccountError) -> SignedIn {
        try inFlight.begin()
        defer { inFlight.end() }
        let name = try newUserName(name)
        let secret = try newPassword(password, for: name)
        let attempt = try await begin(.signUp, name.key, from: address, as: .signUp)
        defer { hashing.end(attempt.turn) }
        try await throttle(attempt)
        do throws(AccountError) {
            if let holder = try await find(name.key) { throw nameTaken(holder) }
            let hash = try await hashed(attempt) { hasher throws(Scrypt.Failed) in try hasher.hash(secret) }
            let token = try newToken()
            guard let account = try await create(name, hash, token, attempt) else { throw nameTaken(nil) }
            events.succeeded(.signUp, account: account.id)
            return SignedIn(name: name.text, token: token)
        } catch {
            throw await refunded(attempt, error)
        }
    }

    /// Signs in with a password.
    ///
    /// - Parameters:
    ///   - name: the user name as typed. Case is ignored.
    ///   - password: the password as typed.
    ///   - address: the client that sends the request.
    /// - Returns: the name as typed at sign-up, and the token of a new session.
    /// - Throws: `AccountError`. A wrong password and an unknown name cause the same error after the same amount of
    ///   work.
    package func signIn(
        name: String, password: String, from address: ClientAddress
    ) async throws(AccountError) -> SignedIn {
        try inFlight.begin()
        defer { inFlight.end() }
        let name = try userName(name)
        let secret = try self.password(password)
        let attempt = try await begin(.signIn, name.key, from: address)
        defer { hashing.end(attempt.turn) }
        try await throttle(attempt)
        do throws(AccountError) {
            for _ in 0..<Self.tries {
                let (account, rehash) = try await verify(secret, of: try await find(name.key), attempt)
                let token = try newToken()
                let isCurrent = try await storedIfHashIsCurrent(
                    await store.beginSession(
                        token.digest, for: account, rehash: rehash, settling: attempt.counted, at: clock.now()))
                guard isCurrent else { continue }
                events.succeeded(.signIn, account: account.id)
                return SignedIn(name: account.name, token: token)
            }
            throw wrong(nil, attempt)
        } catch {
            throw await refunded(attempt, error)
        }
    }

    /// Replaces the password, ends every session of the account, and starts a new session.
    ///
    /// - Parameters:
    ///   - name: the user name as typed. Case is ignored.
    ///   - current: the current password as typed.
    ///   - new: the new password as typed.
    ///   - address: the client that sends the request.
    /// - Returns: the name as typed at sign-up, and the token of the new session.
    /// - Throws: `AccountError`. A wrong current password is throttled like a failed sign-in.
    package func update(
        name: String, current: String, new: String, from address: ClientAddress
    ) async throws(AccountError) -> SignedIn {
        try inFlight.begin()
        defer { inFlight.end() }
        let name = try userName(name)
        let currentSecret = try password(current)
        let newSecret = try newPassword(new, for: name)
        let attempt = try await begin(.passwordChange, name.key, from: address)
        defer { hashing.end(attempt.turn) }
        try await throttle(attempt)
        do throws(AccountError) {
            for _ in 0..<Self.tries {
                let (account, hash) = try await verify(
                    currentSecret, of: try await find(name.key), thenHash: newSecret, attempt)
                let token = try newToken()
                let isCurrent = try await storedIfHashIsCurrent(
                    await store.replaceHash(
                        of: account, with: hash, session: token.digest, settling: attempt.counted, at: clock.now()))
                guard isCurrent else { continue }
                events.succeeded(.passwordChange, account: account.id)
                return SignedIn(name: account.name, token: token)
            }
            throw wrong(nil, attempt)
        } catch {
            throw await refunded(attempt, error)
        }
    }

    /// Deletes the signed-in account and all its sessions.
    ///
    /// - Parameters:
    ///   - token: the session's token.
    ///   - password: the account's password as typed.
    ///   - address: the client that sends the request.
    /// - Throws: `AccountError`. A wrong password is throttled like a failed sign-in.
    package func delete(
        _ token: SessionToken, password: String, from address: ClientAddress
    ) async throws(AccountError) {
        try inFlight.begin()
        defer { inFlight.end() }
        let secret = try self.password(password)
        guard let owner = try await findSession(token) else { throw .notSignedIn }
        let attempt = try await begin(.deletion, owner.key, from: address)
        defer { hashing.end(attempt.turn) }
        try await throttle(attempt)
        do throws(AccountError) {
            for _ in 0..<Self.tries {
                // Look up the session again, because a concurrent password change may have ended it.
                guard let account = try await findSession(token) else { throw AccountError.notSignedIn }
                let (verified, _) = try await verify(secret, of: account, attempt)
                let isCurrent = try await storedIfHashIsCurrent(
                    await store.deleteAccount(verified, settling: attempt.counted))
                guard isCurrent else { continue }
                events.succeeded(.deletion, account: verified.id)
                return
            }
            throw wrong(nil, attempt)
        } catch {
            throw await refunded(attempt, error)
        }
    }

    /// Returns the session that a token identifies, and records its use.
    ///
    /// - Parameter token: the token that the client sent.
    /// - Returns: the session; nil if it has expired or never existed.
    /// - Throws: `AccountError.unavailable`.
    package func session(_ token: SessionToken) async throws(AccountError) -> Session? {
        try inFlight.begin()
        defer { inFlight.end() }
        return try await findSession(token).map { Session(name: $0.name) }
    }

    /// Ends a session.
    ///
    /// - Parameter token: the token that the client sent.
    /// - Throws: `AccountError.notSignedIn` if the session has expired or never existed, or `.unavailable`.
    package func signOut(_ token: SessionToken) async throws(AccountError) {
        try inFlight.begin()
        defer { inFlight.end() }
        let ended = try await stored(await store.endSession(token.digest, limits: limits, at: clock.now()))
        guard ended else { throw .notSignedIn }
    }
}
