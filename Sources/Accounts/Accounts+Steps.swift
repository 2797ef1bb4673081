import Platform

/// The steps that the intents are made of.
extension Accounts {
    func userName(_ typed: String) throws(AccountError) -> UserName {
        do {
            return try UserName(typed)
        } catch {
            throw .refusedName(error)
        }
    }

    func password(_ typed: String) throws(AccountError) -> Password {
        do {
            return try Password(typed)
        } catch {
            throw .refusedPassword(error)
        }
    }

    func newPassword(_ typed: String, for name: UserName) throws(AccountError) -> Password {
        do {
            try policy.check(typed, for: name)
            return try Password(typed)
        } catch {
            throw .refusedPassword(error)
        }
    }

    func newToken() throws(AccountError) -> SessionToken {
        guard let token = SessionToken.random() else {
            faults.report("OpenSSL has no random bytes")
            throw .unavailable
        }
        return token
    }

    func find(_ key: String) async throws(AccountError) -> StoredAccount? {
        try await ask { () throws(StoreError) in try await store.account(key: key) }
    }

    func findSession(_ token: SessionToken) async throws(AccountError) -> StoredAccount? {
        let found = try await ask { () throws(StoreError) in
            try await store.session(token.digest, limits: limits, at: clock.now())
        }
        if let failure = found?.touchFailure { faults.report(failure) }
        return found?.account
    }

    /// Counts an attempt, makes it, and takes the counting back when it came to no answer.
    func counted<Result>(
        _ attempt: Attempt, _ scope: AttemptScope, _ body: () async throws(AccountError) -> Result
    ) async throws(AccountError) -> Result {
        // First, as it costs nothing: whoever would be told to come back need not be written down.
        do {
            try hashing.checkRoom()
        } catch {
            throw refused(error)
        }
        let wait = try await ask { () throws(StoreError) in
            try await store.count(attempt, scope: scope, rules: rules, at: clock.now())
        }
        if let wait { throw .throttled(retryAfter: Int(clamping: wait)) }
        do {
            return try await body()
        } catch {
            switch error {
            case .wrongNameOrPassword, .nameTaken: break
            case .refusedName, .refusedPassword, .notSignedIn, .throttled, .busy, .unavailable:
                // When this fails too, the log has the reason already.
                try? await store.giveBack(attempt, scope: scope)
            }
            throw error
        }
    }

    /// Repeats what was done with a hash that has been replaced meanwhile: the password may be right for the new one.
    func whileHashStays<Result>(
        _ body: () async throws(AccountError) -> Result?
    ) async throws(AccountError) -> Result {
        for _ in 0..<3 {
            if let result = try await body() { return result }
        }
        throw .wrongNameOrPassword
    }

    /// Asks the store for what depends on a hash.
    ///
    /// - Returns: false when the hash is no longer the one that was verified.
    func change(_ body: () async throws(StoreError) -> Void) async throws(AccountError) -> Bool {
        do {
            try await body()
            return true
        } catch {
            guard error == .hashChanged else { throw unavailable(error) }
            return false
        }
    }

    /// - Returns: the account, and what its hash is to be replaced by, if it was made with other parameters.
    func verify(
        _ secret: Password, of account: StoredAccount?, _ attempt: Attempt
    ) async throws(AccountError) -> (StoredAccount, rehash: String?) {
        let hash = try passwordHash(of: account)
        let (right, rehash) = try await hashed(attempt) { hasher throws(Scrypt.Failed) in
            let verdict = try hasher.verify(secret, against: hash)
            return (verdict != .wrong, verdict == .outdated ? try hasher.hash(secret).text : nil)
        }
        guard let account, right else { throw .wrongNameOrPassword }
        return (account, rehash)
    }

    /// - Returns: the account, and the hash of the new password.
    func verify(
        _ secret: Password, of account: StoredAccount?, thenHash new: Password, _ attempt: Attempt
    ) async throws(AccountError) -> (StoredAccount, hash: String) {
        let hash = try passwordHash(of: account)
        // Both in one turn: who has waited once is not to wait again.
        let newHash = try await hashed(attempt) { hasher throws(Scrypt.Failed) in
            try hasher.verify(secret, against: hash) == .wrong ? nil : try hasher.hash(new).text
        }
        guard let account, let newHash else { throw .wrongNameOrPassword }
        return (account, newHash)
    }

    /// Hashes when its turn comes.
    func hashed<Result: Sendable>(
        _ attempt: Attempt, _ work: @escaping @Sendable (PasswordHasher) throws(Scrypt.Failed) -> Result
    ) async throws(AccountError) -> Result {
        let outcome: Swift.Result<Result, Scrypt.Failed>
        do {
            outcome = try await hashing.run(for: attempt.address) { [hasher] in
                do throws(Scrypt.Failed) {
                    return .success(try work(hasher))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw refused(error)
        }
        do {
            return try outcome.get()
        } catch {
            faults.report("scrypt failed, probably for want of memory")
            throw .unavailable
        }
    }

    private func refused(_ refusal: HashingQueue.Refusal) -> AccountError {
        switch refusal {
        case .full(let wait): .busy(retryAfter: wait)
        // Nobody waits for this answer.
        case .cancelled: .busy(retryAfter: 1)
        case .closed: .busy(retryAfter: 1)
        }
    }

    private func passwordHash(of account: StoredAccount?) throws(AccountError) -> PasswordHash? {
        guard let account else { return nil }
        do {
            return try PasswordHash(account.hash)
        } catch {
            faults.report("the password hash of account \(account.id) cannot be read: its \(error) is wrong")
            throw .unavailable
        }
    }
}
