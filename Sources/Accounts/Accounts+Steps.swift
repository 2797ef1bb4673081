import CoreMetrics
import MotivatorPlatform

/// An attempt during its turn in the hashing queue.
struct Attempt: Sendable {
    let action: EventLog.Action
    let key: String
    let scope: AttemptScope
    let counted: AttemptKeys
    let turn: HashingQueue.Turn
}

/// The steps that account operations share.
extension Accounts {
    /// The maximum number of verifications per request. If the hash changes during a verification, the password may
    /// match the new hash.
    private static let tries = 3

    func newUserName(_ typed: String) throws(AccountError) -> UserName {
        do { return try UserName(typed) } catch { throw .refusedName(error) }
    }

    func userName(_ typed: String) throws(AccountError) -> UserName {
        do { return try UserName(existing: typed) } catch { throw .refusedName(error) }
    }

    func password(_ typed: String) throws(AccountError) -> Password {
        do { return try Password(typed) } catch { throw .refusedPassword(error) }
    }

    func newPassword(_ typed: String, for name: UserName?) throws(AccountError) -> Password {
        do {
            try policy.withLock { $0 }.check(typed, for: name)
            return try Password(typed)
        } catch {
            throw .refusedPassword(error)
        }
    }

    /// Returns the errors of a user name and a new password that do not depend on the store.
    package func refusals(name: String, isNew: Bool, password: String) -> [AccountError] {
        var (errors, known): ([AccountError], UserName?) = ([], nil)
        do throws(AccountError) { known = try isNew ? newUserName(name) : userName(name) } catch { errors = [error] }
        do throws(AccountError) { _ = try newPassword(password, for: known) } catch { errors.append(error) }
        return errors
    }

    func newToken() throws(AccountError) -> SessionToken {
        guard let token = SessionToken.random() else { throw unavailable("OpenSSL could not generate random bytes") }
        return token
    }

    func find(_ key: String) async throws(AccountError) -> StoredAccount? {
        try await stored(await store.account(key: key))
    }

    func findSession(_ token: SessionToken, isRecent: Bool = false) async throws(AccountError) -> StoredSession? {
        let (digest, now) = (token.digest, clock.now())
        let found = try await stored(
            isRecent
                ? await store.recentSession(digest, limits: limits, at: now)
                : await store.session(digest, limits: limits, at: now))
        if let failure = found?.touchFailure { events.unavailable(failure) }
        return found
    }

    /// Performs an operation in the client's turn, and counts the attempt before `body` runs.
    ///
    /// The wait for the turn comes first, so that a flood of attempts waits here and not in the store's queue, which
    /// has no turns. An attempt that the queue refuses is not counted.
    /// - Parameter body: returns nil if the account's hash has changed. It then runs again.
    func attempt<Result>(
        _ action: EventLog.Action, _ key: String, from address: ClientAddress, as scope: AttemptScope = .password,
        _ body: (Attempt) async throws(AccountError) -> Result?
    ) async throws(AccountError) -> Result {
        let attempt = try await begin(action, key, from: address, as: scope)
        defer { hashing.end(attempt.turn) }
        try await throttle(attempt)
        do throws(AccountError) {
            for _ in 0..<Self.tries {
                if let result = try await body(attempt) { return result }
            }
            throw wrong(nil, attempt)
        } catch {
            throw await refunded(attempt, error)
        }
    }

    /// Performs a change of a session's account that requires the password. A wrong password is throttled like a failed
    /// sign-in.
    func attempt(
        _ action: EventLog.Action, of token: SessionToken, password: String, from address: ClientAddress,
        _ change: (StoredAccount, AttemptKeys) async throws(StoreError) -> Void
    ) async throws(AccountError) {
        try inFlight.begin()
        defer { inFlight.end() }
        let secret = try self.password(password)
        guard let owner = try await findSession(token)?.account else { throw .notSignedIn }
        try await attempt(action, owner.key, from: address) { attempt throws(AccountError) -> Void? in
            // Look up the session again, because a concurrent password change may have ended it.
            guard let account = try await findSession(token)?.account else { throw .notSignedIn }
            let (verified, _) = try await verify(secret, of: account, attempt)
            let changed: Void? = try await stored(await change(verified, attempt.counted), unless: .hashChanged)
            guard changed != nil else { return nil }
            return events.succeeded(action, account: verified.id)
        }
    }

    private func begin(
        _ action: EventLog.Action, _ key: String, from address: ClientAddress, as scope: AttemptScope
    ) async throws(AccountError) -> Attempt {
        let attempt = AttemptKeys(key: key, from: address)
        do {
            let turn = try await hashing.turn(for: attempt.address)
            return Attempt(action: action, key: key, scope: scope, counted: attempt, turn: turn)
        } catch {
            events.refused(action, account: nil, .busy)
            if error == .full { refusedHashes.increment() }
            throw .busy
        }
    }

    /// Counts an attempt.
    /// - Throws: `AccountError.throttled` if a limit refuses the attempt. A refused attempt is not counted.
    private func throttle(_ attempt: Attempt) async throws(AccountError) {
        let wait = try await stored(
            await store.count(attempt.counted, scope: attempt.scope, rules: rules, at: clock.now()))
        guard let wait else { return }
        let account = events.isDue(.throttled) ? try? await find(attempt.key) : nil
        events.refused(attempt.action, account: account?.id, .throttled)
        throw .throttled(retryAfter: Int(clamping: wait))
    }

    /// Refunds an attempt, unless it failed because of a wrong password or a taken name.
    private func refunded(_ attempt: Attempt, _ error: AccountError) async -> AccountError {
        switch error {
        case .wrongNameOrPassword, .nameTaken: break
        case .refusedName, .refusedPassword, .notSignedIn, .throttled, .busy, .passkey,
            .unavailable:
            // If the refund also fails, the log already contains the reason.
            try? await store.refund(attempt.counted, scope: attempt.scope, at: clock.now())
        }
        return error
    }

    /// Runs a store operation that fails only if the store is unavailable.
    func stored<Result>(
        _ operation: @autoclosure () async throws(StoreError) -> Result
    ) async throws(AccountError) -> Result {
        do {
            return try await operation()
        } catch {
            throw unavailable(error)
        }
    }

    /// Runs a store operation as an operation of its own, which `close` waits for.
    func inStore<Result>(
        _ operation: @autoclosure () async throws(StoreError) -> Result
    ) async throws(AccountError) -> Result {
        try inFlight.begin()
        defer { inFlight.end() }
        return try await stored(try await operation())
    }

    /// Runs a store operation that may fail with one expected error.
    /// - Returns: nil if it fails with that error.
    func stored<Result>(
        _ operation: @autoclosure () async throws(StoreError) -> Result, unless expected: StoreError
    ) async throws(AccountError) -> Result? {
        do {
            return try await operation()
        } catch {
            guard error == expected else { throw unavailable(error) }
            return nil
        }
    }

    /// Verifies a password. Returns the account, and a new hash if the old hash has outdated parameters.
    func verify(
        _ secret: Password, of account: StoredAccount?, _ attempt: Attempt
    ) async throws(AccountError) -> (StoredAccount, rehash: String?) {
        let hash = try passwordHash(of: account)
        // There is only one set of parameters unless the settings have changed. Every sign-in computes a hash per set.
        let prefixes = try await stored(await store.hashPrefixes(most: 4))
        let inUse = prefixes.compactMap { PasswordHash.parameters(inPrefix: $0) }
        let verdict = try await hashed(attempt) { hasher throws(Scrypt.Failed) in
            try hasher.verify(secret, against: hash, inUse: inUse)
        }
        guard verdict != .wrong, let account else { throw wrong(account, attempt) }
        guard case .outdated(let renewed) = verdict else { return (account, nil) }
        return (account, renewed.text)
    }

    func wrong(_ account: StoredAccount?, _ attempt: Attempt) -> AccountError {
        events.refused(attempt.action, account: account?.id, account == nil ? .unknownName : .wrongPassword)
        return .wrongNameOrPassword
    }

    func nameTaken(_ holder: StoredAccount?) -> AccountError {
        events.refused(.signUp, account: holder?.id, .nameTaken)
        return .nameTaken
    }

    /// Computes hashes on the worker thread of the attempt's turn.
    func hashed<Result: Sendable>(
        _ attempt: Attempt, _ work: @escaping @Sendable (PasswordHasher) throws(Scrypt.Failed) -> Result
    ) async throws(AccountError) -> Result {
        let outcome = await hashing.run(in: attempt.turn) { [hasher] () -> Swift.Result<Result, Scrypt.Failed> in
            do throws(Scrypt.Failed) {
                return .success(try work(hasher))
            } catch {
                return .failure(error)
            }
        }
        guard case .success(let result) = outcome else {
            throw unavailable("scrypt failed, probably due to lack of memory")
        }
        return result
    }

    private func passwordHash(of account: StoredAccount?) throws(AccountError) -> PasswordHash? {
        guard let account else { return nil }
        do {
            return try PasswordHash(account.hash)
        } catch {
            throw unavailable("the password hash of account \(account.id) is malformed (\(error))")
        }
    }

    /// Counts and logs a store error.
    func unavailable(_ error: StoreError) -> AccountError {
        storeErrors.increment()
        return switch error {
        case .unavailable(let reason): unavailable(reason)
        case .nameTaken, .hashChanged, .passkey: unavailable("unexpected store error: \(error)")
        }
    }

    private func unavailable(_ reason: String) -> AccountError {
        events.unavailable(reason)
        return .unavailable
    }
}
