import MotivatorPlatform
package import Passkeys

/// The operations on passkeys. The caller verifies signatures, origins and challenges.
extension Accounts {
    /// Returns the secret that all servers share: 32 bytes.
    package func passkeySecret() async throws(AccountError) -> [UInt8] {
        if let known = secret.withLock({ $0 }) { return known }
        let found = try await inStore(await store.secret())
        secret.withLock { $0 = found }
        return found
    }

    /// Returns an account's passkeys in the order of their creation.
    /// - Parameter rpID: the RP ID; nil for all.
    package func passkeys(ofAccount account: Int64, rpID: String?) async throws(AccountError) -> [Passkey] {
        try await inStore(await store.passkeys(PasskeyStatements.ofAccount(account, rpID: rpID)).map(\.passkey))
    }

    /// Returns the passkey with a credential ID and its account; nil if the RP ID has no such passkey.
    package func passkey(_ credential: [UInt8], rpID: String) async throws(AccountError) -> StoredPasskey? {
        try await inStore(await store.passkeys(PasskeyStatements.find(credential, rpID: rpID)).first)
    }

    /// Returns whether a ceremony with this challenge has succeeded. The operations below check this again.
    package func isUsed(_ challenge: UsedChallenge) async throws(AccountError) -> Bool {
        try await inStore(await store.isUsed(challenge))
    }

    /// Adds a passkey to the account of a session, and uses up the challenge.
    /// - Throws: `AccountError.passkey` with `passkeyExists`, `passkeyLimit` or `challengeUsed`.
    package func addPasskey(
        _ passkey: Passkey, to session: Session, using challenge: UsedChallenge
    ) async throws(AccountError) {
        try await apply(
            PasskeyStatements.add(passkey, challenge, for: session), .passkeyAddition, account: session.account)
    }

    /// Signs in with a verified passkey, and marks the address as known to the account.
    /// - Throws: `AccountError.passkey` with `unknownPasskey`, `challengeUsed` or `counterRegression`.
    package func signIn(with use: PasskeyUse, from address: ClientAddress) async throws(AccountError) -> SignedIn {
        let token = try newToken()
        let account = use.passkey.account
        let attempt = AttemptKeys(key: account.key, from: address)
        try await apply(
            PasskeyStatements.signIn(use, session: token.digest, attempt, at: clock.now()), .passkeySignIn,
            account: account.id)
        return SignedIn(name: account.name, token: token)
    }

    /// Confirms a session with a verified passkey of its account.
    /// - Throws: `AccountError.passkey` with `unknownPasskey`, `challengeUsed` or `counterRegression`.
    package func confirm(_ session: Session, with use: PasskeyUse) async throws(AccountError) {
        try await apply(
            PasskeyStatements.confirm(session, with: use, at: clock.now()), .confirmation, account: session.account)
    }

    /// Confirms a session with the password. A wrong password is throttled like a failed sign-in.
    package func confirm(
        _ token: SessionToken, password: String, from address: ClientAddress
    ) async throws(AccountError) {
        try await attempt(.confirmation, of: token, password: password, from: address) {
            account, counted throws(StoreError) in
            try await store.apply(
                PasskeyStatements.confirm(token.digest, of: account, settling: counted, at: clock.now()))
        }
    }

    /// Renames a passkey of the session's account.
    /// - Throws: `AccountError.refusedName`, or `AccountError.passkey(.passkeyNotFound)`.
    package func renamePasskey(
        _ credential: [UInt8], to name: String, for session: Session
    ) async throws(AccountError) {
        let name = try userName(name).text
        try await apply(PasskeyStatements.rename(credential, to: name, for: session), nil, account: session.account)
    }

    /// Removes a passkey of the session's account.
    /// - Throws: `AccountError.passkey` with `confirmationRequired` or `passkeyNotFound`.
    package func removePasskey(_ credential: [UInt8], for session: Session) async throws(AccountError) {
        guard session.isConfirmed else {
            throw refused(.passkeyRemoval, account: session.account, .confirmationRequired)
        }
        try await apply(PasskeyStatements.remove(credential, for: session), .passkeyRemoval, account: session.account)
    }

    /// Logs that a ceremony was refused.
    /// - Parameters:
    ///   - account: the account's number; nil if the passkey is unknown.
    ///   - code: the code of the API.
    package func ceremonyRefused(_ ceremony: Ceremony, account: Int64?, code: String) {
        events.refused(ceremony.action, account: account, code: code)
    }

    /// A kind of ceremony, for the log.
    package enum Ceremony: Sendable {
        case addition, signIn, confirmation

        fileprivate var action: EventLog.Action {
            switch self {
            case .addition: .passkeyAddition
            case .signIn: .passkeySignIn
            case .confirmation: .confirmation
            }
        }
    }

    /// Runs the steps of a change, and logs the result.
    /// - Parameter action: the action in the log; nil to log nothing.
    private func apply(_ steps: [Step], _ action: EventLog.Action?, account: Int64) async throws(AccountError) {
        try inFlight.begin()
        defer { inFlight.end() }
        do throws(StoreError) {
            try await store.apply(steps)
        } catch {
            switch error {
            case .passkey(let refusal): throw refused(action, account: account, refusal)
            case .hashChanged: throw .notSignedIn
            case .nameTaken, .unavailable: throw unavailable(error)
            }
        }
        if let action { events.succeeded(action, account: account) }
    }

    private func refused(_ action: EventLog.Action?, account: Int64, _ refusal: PasskeyRefusal) -> AccountError {
        if let action { events.refused(action, account: account, code: refusal.rawValue) }
        return .passkey(refusal)
    }
}
