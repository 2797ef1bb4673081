import Platform

/// An attempt that was counted.
struct OngoingAttempt: Sendable {
    let action: EventLog.Action
    let attempt: Attempt
    /// Its slot in the hashing queue.
    let place: HashingQueue.Place
}

/// The steps that the intents are made of.
extension Accounts {
    func newUserName(_ typed: String) throws(AccountError) -> UserName {
        do {
            return try UserName(typed)
        } catch {
            throw .refusedName(error)
        }
    }

    func userName(_ typed: String) throws(AccountError) -> UserName {
        do {
            return try UserName(existing: typed)
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

    /// Counts an attempt, makes it, and refunds it when it comes to no result.
    func throttled<Result>(
        _ action: EventLog.Action, _ key: String, from address: ClientAddress, as scope: AttemptScope,
        _ body: (OngoingAttempt) async throws(AccountError) -> Result
    ) async throws(AccountError) -> Result {
        let attempt = Attempt(key: key, from: address)
        // First, as it costs nothing: a client that has to come back later is not counted, and the clients that use the
        // queue most do not reach the store.
        let place: HashingQueue.Place
        do {
            place = try hashing.enter(for: attempt.address)
        } catch {
            events.refused(action, account: nil, .busy)
            throw refused(error)
        }
        defer { hashing.leave(place) }
        let wait = try await ask { () throws(StoreError) in
            try await store.count(attempt, scope: scope, rules: rules, at: clock.now())
        }
        if let wait {
            if events.isDue(.throttled) {
                let account = try? await find(key)
                events.refused(action, account: account?.id, .throttled)
            } else {
                events.refused(action, account: nil, .throttled)
            }
            throw .throttled(retryAfter: Int(clamping: wait))
        }
        do {
            return try await body(OngoingAttempt(action: action, attempt: attempt, place: place))
        } catch {
            switch error {
            case .wrongNameOrPassword, .nameTaken: break
            case .refusedName, .refusedPassword, .notSignedIn, .throttled, .busy, .unavailable:
                if case .busy = error { events.refused(action, account: nil, .busy) }
                // When this fails too, the log has the reason already.
                try? await store.giveBack(attempt, scope: scope, at: clock.now())
            }
            throw error
        }
    }

    /// Repeats what was done with a hash that has been replaced meanwhile: the password may be right for the new one.
    func retryIfHashChanged<Result>(
        _ ongoing: OngoingAttempt, _ body: () async throws(AccountError) -> Result?
    ) async throws(AccountError) -> Result {
        for _ in 0..<3 {
            if let result = try await body() { return result }
        }
        throw wrong(nil, ongoing)
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

    /// - Returns: the account, and the hash that replaces its own if that was made with other parameters.
    func verify(
        _ secret: Password, of account: StoredAccount?, _ ongoing: OngoingAttempt
    ) async throws(AccountError) -> (StoredAccount, rehash: String?) {
        let hash = try passwordHash(of: account)
        let inUse = try await parametersInUse()
        let verdict = try await hashed(ongoing) { hasher throws(Scrypt.Failed) in
            try hasher.verify(secret, against: hash, inUse: inUse)
        }
        switch verdict {
        case .wrong: throw wrong(account, ongoing)
        case .right: return (try existing(account, ongoing), nil)
        case .outdated(let renewed): return (try existing(account, ongoing), renewed.text)
        }
    }

    /// - Returns: the account, and the hash of the new password.
    func verify(
        _ secret: Password, of account: StoredAccount?, thenHash new: Password, _ ongoing: OngoingAttempt
    ) async throws(AccountError) -> (StoredAccount, hash: String) {
        let hash = try passwordHash(of: account)
        let inUse = try await parametersInUse()
        // Both in one turn: a request that has waited once does not wait again.
        let newHash = try await hashed(ongoing) { hasher throws(Scrypt.Failed) in
            try hasher.verify(secret, against: hash, inUse: inUse) == .wrong ? nil : try hasher.hash(new).text
        }
        guard let newHash else { throw wrong(account, ongoing) }
        return (try existing(account, ongoing), newHash)
    }

    private func existing(_ account: StoredAccount?, _ ongoing: OngoingAttempt) throws(AccountError) -> StoredAccount {
        guard let account else { throw wrong(nil, ongoing) }
        return account
    }

    private func wrong(_ account: StoredAccount?, _ ongoing: OngoingAttempt) -> AccountError {
        events.refused(ongoing.action, account: account?.id, account == nil ? .unknownName : .wrongPassword)
        return .wrongNameOrPassword
    }

    /// The parameters of the hashes of all accounts, which is one set unless they were changed.
    ///
    /// Each set costs every sign-in a derivation, so that there is a limit.
    private func parametersInUse() async throws(AccountError) -> [ScryptParameters] {
        let prefixes = try await ask { () throws(StoreError) in try await store.hashPrefixes(most: 4) }
        return prefixes.compactMap { PasswordHash.parameters(inPrefix: $0) }
    }

    /// Hashes when its turn comes.
    func hashed<Result: Sendable>(
        _ ongoing: OngoingAttempt, _ work: @escaping @Sendable (PasswordHasher) throws(Scrypt.Failed) -> Result
    ) async throws(AccountError) -> Result {
        let outcome: Swift.Result<Result, Scrypt.Failed>
        do {
            outcome = try await hashing.run(in: ongoing.place) { [hasher] in
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
