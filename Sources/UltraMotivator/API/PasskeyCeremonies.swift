import Accounts
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import Passkeys
import SourceJSON

/// The ceremonies of a host, for the API and the pages.
struct PasskeyCeremonies: Sendable {
    let accounts: Accounts
    let settings: PasskeySettings
    /// The port of the server. With the port of the Host field, a page at another port of `localhost` could relay a
    /// ceremony.
    let port: UInt16
    /// The limiter for calls that finish a ceremony.
    let limiter: RateLimiter<ClientAddress>
    /// The successes of each account that cost its client nothing. Each success adds rows to the database.
    private let successes = RateLimiter<Int64>(burst: 60, interval: .seconds(10))

    /// Returns the relying party of the requested host.
    /// - Throws: `passkeysNotAvailable`.
    func relyingParty(_ request: Request) async throws(APIError) -> RelyingParty {
        let host = Self.host(of: request)
        let secret = try await APIError.wrapping(accounts.passkeySecret)
        guard let rp = settings.relyingParty(host: host, port: port, secret: secret) else {
            throw .passkeysNotAvailable(host)
        }
        return rp
    }

    /// Returns the requested host in lower case, without the trailing dot of a fully qualified name.
    static func host(of request: Request) -> String {
        let host = (request.head.hostText ?? "").lowercased()
        return host.hasSuffix(".") ? String(host.dropLast()) : host
    }

    /// Returns whether the session's account has passkeys for the requested host; nil if the host has no passkeys.
    func hasPasskeys(_ session: Session, _ request: Request) async -> Bool? {
        // If the store fails, it has logged its error.
        guard let rp = try? await relyingParty(request) else { return nil }
        return try? await !passkeys(rp, of: session).isEmpty
    }

    /// Returns the options for `navigator.credentials.create()`.
    /// - Parameter mediation: the mediation as sent by the client; nil if it is missing.
    func creationOptions(
        _ rp: RelyingParty, for session: Session, mediation: String?
    ) async throws(APIError) -> JSONNode {
        guard mediation == nil || mediation == "conditional" else { throw .mediationUnknown }
        let isConditional = mediation != nil
        guard isConditional ? session.isPasswordConfirmed : session.isConfirmed else {
            throw .account(.passkey(.confirmationRequired))
        }
        let known = try await passkeys(rp, of: session)
        guard known.count < PasskeyStatements.mostPerAccount else { throw .account(.passkey(.passkeyLimit)) }
        let purpose = Purpose.create(
            account: session.account, session: session.digest.bytes, isConditional: isConditional)
        return [
            "publicKey": [
                "rp": ["id": .text(rp.id), "name": "Ultra Motivator"],
                "user": [
                    "id": .base64url(rp.challenges.userHandle(ofAccount: session.account)),
                    "name": .text(session.name), "displayName": .text(session.name),
                ],
                "challenge": challenge(rp, for: purpose),
                "pubKeyCredParams": .list(
                    COSEKey.Algorithm.allCases.map { ["type": "public-key", "alg": .number($0.rawValue)] }),
                "timeout": .number(rp.challenges.lifetime * 1000),
                "excludeCredentials": .list(known.map(JSONNode.descriptor)), "attestation": "none",
                "authenticatorSelection": [
                    "residentKey": "required", "requireResidentKey": true,
                    "userVerification": isConditional ? "preferred" : "required",
                ],
                "extensions": ["credProps": true],
            ]
        ]
    }

    /// Verifies a registration, and stores the passkey.
    func register(
        _ credential: JSONObject, name: String?, _ rp: RelyingParty, for session: Session, _ request: Request
    ) async throws(APIError) -> Passkey {
        let name = try name.map { name throws(APIError) in try passkeyName(name) }
        return try await finishing(.addition, session.account, request) { () throws(APIError) in
            let now = accounts.clock.now()
            let pending = try APIError.verifying(.addition) { () throws(CeremonyError) in
                try rp.begin(
                    try RegistrationResponse(credential), account: session.account, session: session.digest.bytes,
                    at: now)
            }
            let used = UsedChallenge(pending.challenge)
            let isUsed = try await APIError.wrapping { () throws(AccountError) in try await accounts.isUsed(used) }
            let passkey = try APIError.verifying(.addition) { () throws(CeremonyError) in
                try rp.finish(pending, isUsed: isUsed, name: name, at: now)
            }
            try await APIError.wrapping { () throws(AccountError) in
                try await accounts.addPasskey(passkey, to: session, using: used)
            }
            return (passkey, session.account)
        }
    }

    /// Returns the options for `navigator.credentials.get()` at sign-in. They never reveal who has an account.
    func signInOptions(_ rp: RelyingParty) -> JSONNode { requestOptions(rp, for: .get, allowed: []) }

    /// Returns the options for `navigator.credentials.get()` in a session.
    func confirmationOptions(_ rp: RelyingParty, for session: Session) async throws(APIError) -> JSONNode {
        requestOptions(rp, for: Self.confirmation(session), allowed: try await passkeys(rp, of: session))
    }

    /// Verifies a signature, and starts a session.
    func signIn(
        _ credential: JSONObject, _ rp: RelyingParty, _ request: Request
    ) async throws(APIError) -> SignedIn {
        try await finishing(.signIn, nil, request) { () throws(APIError) in
            let use = try await use(credential, .signIn, .get, rp)
            let signedIn = try await APIError.wrapping { () throws(AccountError) in
                try await accounts.signIn(with: use, from: request.client)
            }
            return (signedIn, use.passkey.account.id)
        }
    }

    /// Verifies a signature, and confirms a session.
    func confirm(
        _ credential: JSONObject, _ rp: RelyingParty, for session: Session, _ request: Request
    ) async throws(APIError) {
        try await finishing(.confirmation, session.account, request) { () throws(APIError) in
            let use = try await use(credential, .confirmation, Self.confirmation(session), rp)
            try await APIError.wrapping { () throws(AccountError) in try await accounts.confirm(session, with: use) }
            return ((), session.account)
        }
    }

    /// Returns the passkeys of a session's account for the RP ID.
    func passkeys(_ rp: RelyingParty, of session: Session) async throws(APIError) -> [Passkey] {
        try await APIError.wrapping { () throws(AccountError) in
            try await accounts.passkeys(ofAccount: session.account, rpID: rp.id)
        }
    }

    /// Renames a passkey of a session's account for the RP ID.
    func rename(
        _ id: String, to name: String, _ rp: RelyingParty, for session: Session
    ) async throws(APIError) -> Passkey {
        let name = try passkeyName(name)
        guard let credential = Base64.decode(id.utf8, .urlSafe),
            var passkey = try await passkeys(rp, of: session).first(where: { $0.credential == credential })
        else { throw .account(.passkey(.passkeyNotFound)) }
        try await APIError.wrapping { () throws(AccountError) in
            try await accounts.renamePasskey(credential, to: name, for: session)
        }
        passkey.name = name
        return passkey
    }

    private func passkeyName(_ name: String) throws(APIError) -> String {
        do throws(AccountError) { return try accounts.passkeyName(name) } catch { throw .account(error) }
    }

    private static func confirmation(_ session: Session) -> Purpose {
        .confirm(account: session.account, session: session.digest.bytes)
    }

    private func challenge(_ rp: RelyingParty, for purpose: Purpose) -> JSONNode {
        .base64url(rp.challenges.issue(for: purpose, rpID: rp.id, at: accounts.clock.now()))
    }

    private func requestOptions(_ rp: RelyingParty, for purpose: Purpose, allowed: [Passkey]) -> JSONNode {
        [
            "publicKey": [
                "challenge": challenge(rp, for: purpose), "timeout": .number(rp.challenges.lifetime * 1000),
                "rpId": .text(rp.id), "allowCredentials": .list(allowed.map(JSONNode.descriptor)),
                "userVerification": "required",
            ]
        ]
    }

    private func use(
        _ credential: JSONObject, _ ceremony: Accounts.Ceremony, _ purpose: Purpose, _ rp: RelyingParty
    ) async throws(APIError) -> PasskeyUse {
        let response = try APIError.verifying(ceremony) { () throws(CeremonyError) in
            try AuthenticationResponse(credential)
        }
        let stored = try await APIError.wrapping { () throws(AccountError) in
            try await accounts.passkey(response.credential, rpID: rp.id)
        }
        let pending = try APIError.verifying(ceremony) { () throws(CeremonyError) in
            try rp.begin(
                response, for: purpose, known: stored.map { KnownPasskey($0.passkey, account: $0.account.id) },
                at: accounts.clock.now())
        }
        // `begin` requires the passkey.
        guard let stored else { throw .ceremony(.unknownPasskey, ceremony) }
        let used = UsedChallenge(pending.challenge)
        let isUsed = try await APIError.wrapping { () throws(AccountError) in try await accounts.isUsed(used) }
        let data = try APIError.verifying(ceremony) { () throws(CeremonyError) in
            try rp.finish(pending, passkey: stored.passkey, isUsed: isUsed)
        }
        return PasskeyUse(
            of: stored, signCount: data.signCount, isBackedUp: data.flags.contains(.backedUp), challenge: used)
    }

    /// Finishes a ceremony with a token of the client, which a success usually returns. Logs a refusal.
    private func finishing<Result>(
        _ ceremony: Accounts.Ceremony, _ account: Int64?, _ request: Request,
        _ finish: () async throws(APIError) -> (Result, account: Int64)
    ) async throws(APIError) -> Result {
        if let seconds = limiter.take(for: request.client) { throw .account(.throttled(retryAfter: seconds)) }
        let (result, owner): (Result, Int64)
        do throws(APIError) { (result, owner) = try await finish() } catch {
            // The accounts log their own refusals.
            if case .ceremony(let refusal, _) = error {
                accounts.ceremonyRefused(ceremony, account: account, code: refusal.code)
            }
            if case .account(.passkey(.challengeUsed)) = error { throw .ceremony(.challengeUsed, ceremony) }
            throw error
        }
        if successes.take(for: owner) == nil { limiter.refund(to: request.client) }
        return result
    }
}

extension APIError {
    /// Verifies a part of a ceremony and wraps its error.
    fileprivate static func verifying<Value>(
        _ ceremony: Accounts.Ceremony, _ body: () throws(CeremonyError) -> Value
    ) throws(APIError) -> Value {
        do throws(CeremonyError) { return try body() } catch { throw .ceremony(error, ceremony) }
    }
}

extension UsedChallenge {
    fileprivate init(_ challenge: Challenge) { self.init(challenge.bytes, expires: challenge.expires) }
}

extension JSONNode {
    static func base64url(_ bytes: [UInt8]) -> JSONNode { .text(Base64.encode(bytes, .urlSafe)) }

    /// A PublicKeyCredentialDescriptorJSON (WebAuthn Level 3 §5.8.3).
    static func descriptor(_ passkey: Passkey) -> JSONNode {
        [
            "type": "public-key", "id": .base64url(passkey.credential),
            "transports": .list(passkey.transports.map { .text($0) }),
        ]
    }
}
