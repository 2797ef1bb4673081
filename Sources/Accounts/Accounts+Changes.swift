import Platform

extension Accounts {
    /// Replaces the password, ends every session of the account, and begins a new one.
    ///
    /// - Parameters:
    ///   - name: the user name as typed, in whatever case.
    ///   - current: the current password as typed.
    ///   - new: the new password as typed.
    ///   - address: where the request comes from.
    /// - Returns: the name as it was typed at sign-up, and the token of the new session.
    /// - Throws: `AccountError`; a wrong current password is throttled as at sign-in.
    public func update(
        name: String, current: String, new: String, from address: ClientAddress
    ) async throws(AccountError) -> SignedIn {
        try await visit { () throws(AccountError) in
            let name = try userName(name)
            let currentSecret = try password(current)
            let newSecret = try newPassword(new, for: name)
            return try await throttled(.passwordChange, name.key, from: address, as: .password) {
                ongoing throws(AccountError) in
                try await retryIfHashChanged(ongoing) { () throws(AccountError) in
                    let (account, hash) = try await verify(
                        currentSecret, of: try await find(name.key), thenHash: newSecret, ongoing)
                    let token = try newToken()
                    let stayed = try await change { () throws(StoreError) in
                        try await store.replaceHash(
                            of: account, with: hash, session: token.digest, settling: ongoing.attempt, at: clock.now())
                    }
                    guard stayed else { return nil }
                    events.succeeded(.passwordChange, account: account.id)
                    return SignedIn(name: account.name, token: token)
                }
            }
        }
    }

    /// Deletes the account that is signed in, with all its sessions.
    ///
    /// - Parameters:
    ///   - token: what the client has shown.
    ///   - password: the account's password as typed.
    ///   - address: where the request comes from.
    /// - Throws: `AccountError`; a wrong password is throttled as at sign-in.
    public func delete(
        _ token: SessionToken, password: String, from address: ClientAddress
    ) async throws(AccountError) {
        try await visit { () throws(AccountError) in
            let secret = try self.password(password)
            guard let owner = try await findSession(token) else { throw .notSignedIn }
            try await throttled(.deletion, owner.key, from: address, as: .password) {
                ongoing throws(AccountError) in
                try await retryIfHashChanged(ongoing) { () throws(AccountError) -> Void? in
                    // Again, as a password change in between has ended the session.
                    guard let account = try await findSession(token) else { throw .notSignedIn }
                    let (verified, _) = try await verify(secret, of: account, ongoing)
                    let stayed = try await change { () throws(StoreError) in
                        try await store.deleteAccount(verified, settling: ongoing.attempt)
                    }
                    guard stayed else { return nil }
                    events.succeeded(.deletion, account: verified.id)
                    return ()
                }
            }
        }
    }
}
