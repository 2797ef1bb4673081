import CoreMetrics
import MotivatorPlatform

extension Accounts {
    /// Creates an account and signs in.
    ///
    /// Each sign-up counts toward the address's limit, even if the name is taken.
    package func signUp(
        name: String, password: String, from address: ClientAddress
    ) async throws(AccountError) -> SignedIn {
        try inFlight.begin()
        defer { inFlight.end() }
        let name = try newUserName(name)
        let secret = try newPassword(password, for: name)
        return try await attempt(.signUp, name.key, from: address, as: .signUp) { attempt throws(AccountError) in
            if let holder = try await find(name.key) { throw nameTaken(holder) }
            let hash = try await hashed(attempt) { hasher throws(Scrypt.Failed) in try hasher.hash(secret) }
            let token = try newToken()
            let account = try await stored(
                await store.createAccount(
                    name, hash: hash.text, session: token.digest, settling: attempt.counted, at: clock.now()),
                unless: .nameTaken)
            guard let account else { throw nameTaken(nil) }
            events.succeeded(.signUp, account: account.id)
            return SignedIn(name: name.text, token: token)
        }
    }

    /// Signs in with a password.
    /// - Throws: `AccountError`. A wrong password and an unknown name cause the same error after the same amount of
    ///   work.
    package func signIn(
        name: String, password: String, from address: ClientAddress
    ) async throws(AccountError) -> SignedIn {
        try inFlight.begin()
        defer { inFlight.end() }
        let name = try userName(name)
        let secret = try self.password(password)
        return try await attempt(.signIn, name.key, from: address) { attempt throws(AccountError) in
            let (account, rehash) = try await verify(secret, of: try await find(name.key), attempt)
            let token = try newToken()
            let begun: Void? = try await stored(
                await store.beginSession(
                    token.digest, for: account, rehash: rehash, settling: attempt.counted, at: clock.now()),
                unless: .hashChanged)
            guard begun != nil else { return nil }
            events.succeeded(.signIn, account: account.id)
            return SignedIn(name: account.name, token: token)
        }
    }

    /// Replaces the password, ends every session of the account, and starts a new session.
    /// - Throws: `AccountError`. A wrong current password is throttled like a failed sign-in.
    package func update(
        name: String, current: String, new: String, from address: ClientAddress
    ) async throws(AccountError) -> SignedIn {
        try inFlight.begin()
        defer { inFlight.end() }
        let name = try userName(name)
        let currentSecret = try password(current)
        let newSecret = try newPassword(new, for: name)
        return try await attempt(.passwordChange, name.key, from: address) { attempt throws(AccountError) in
            let (account, _) = try await verify(currentSecret, of: try await find(name.key), attempt)
            let hash = try await hashed(attempt) { hasher throws(Scrypt.Failed) in try hasher.hash(newSecret) }
            let token = try newToken()
            let changed: Void? = try await stored(
                await store.replaceHash(
                    of: account, with: hash.text, session: token.digest, settling: attempt.counted, at: clock.now()),
                unless: .hashChanged)
            guard changed != nil else { return nil }
            events.succeeded(.passwordChange, account: account.id)
            return SignedIn(name: account.name, token: token)
        }
    }

    /// Deletes the signed-in account and all its sessions.
    /// - Throws: `AccountError`. A wrong password is throttled like a failed sign-in.
    package func delete(
        _ token: SessionToken, password: String, from address: ClientAddress
    ) async throws(AccountError) {
        try await attempt(.deletion, of: token, password: password, from: address) {
            account, counted throws(StoreError) in
            try await store.deleteAccount(account, settling: counted)
        }
    }

    /// Returns the session that a token identifies, and records its use.
    /// - Returns: the session; nil if it has expired or never existed.
    package func session(_ token: SessionToken) async throws(AccountError) -> Session? {
        try inFlight.begin()
        defer { inFlight.end() }
        let found = try await findSession(token, isRecent: true)
        (found?.isCached == true ? cachedChecks : queriedChecks).increment()
        return found.map { Session($0, token.digest, at: clock.now()) }
    }

    /// Ends a session.
    /// - Throws: `AccountError.notSignedIn` if the session has expired or never existed, or `.unavailable`.
    package func signOut(_ token: SessionToken) async throws(AccountError) {
        let ended = try await inStore(await store.endSession(token.digest, limits: limits, at: clock.now()))
        guard ended else { throw .notSignedIn }
    }
}
