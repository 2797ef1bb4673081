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

    func relyingParty(_ request: Request) async throws(Explanation) -> RelyingParty {
        let host = Self.host(of: request)
        let secret = try await Explanation.of(await accounts.passkeySecret())
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
    ) async throws(Explanation) -> JSONNode {
        guard mediation == nil || mediation == "conditional" else { throw .mediationUnknown }
        let isConditional = mediation != nil
        guard isConditional ? session.isPasswordConfirmed : session.isConfirmed else {
            throw PasskeyRefusal.confirmationRequired.explanation
        }
        let all = try await passkeys(of: session)
        guard all.count < PasskeyStatements.mostPerAccount else { throw PasskeyRefusal.passkeyLimit.explanation }
        let known = all.filter { $0.rpID == rp.id }
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

    func register(
        _ credential: JSONObject, name: String?, _ rp: RelyingParty, for session: Session, _ request: Request
    ) async throws(Explanation) -> Passkey {
        let name: String? = if let name { try Self.passkeyName(name) } else { nil }
        return try await finishing(.addition, request) { () throws(Explanation) in
            let now = accounts.clock.now()
            let pending = try verified(
                .addition, session.account,
                rp.begin(
                    RegistrationResponse(credential), account: session.account, session: session.digest.bytes, at: now))
            let used = UsedChallenge(pending.challenge)
            let isUsed = try await Explanation.of(await accounts.isUsed(used))
            let passkey = try verified(
                .addition, session.account, rp.finish(pending, isUsed: isUsed, name: name, at: now))
            try await Explanation.of(await accounts.addPasskey(passkey, to: session, using: used))
            return (passkey, session.account)
        }
    }

    /// Returns the options for `navigator.credentials.get()` at sign-in. They never reveal who has an account.
    func signInOptions(_ rp: RelyingParty) -> JSONNode { requestOptions(rp, for: .get, allowed: []) }

    func confirmationOptions(_ rp: RelyingParty, for session: Session) async throws(Explanation) -> JSONNode {
        requestOptions(rp, for: Self.confirmation(session), allowed: try await passkeys(rp, of: session))
    }

    func signIn(
        _ credential: JSONObject, _ rp: RelyingParty, _ request: Request
    ) async throws(Explanation) -> SignedIn {
        try await finishing(.signIn, request) { () throws(Explanation) in
            let use = try await use(credential, .signIn, .get, rp)
            let signedIn = try await Explanation.of(await accounts.signIn(with: use, from: request.client))
            return (signedIn, use.passkey.account.id)
        }
    }

    func confirm(
        _ credential: JSONObject, _ rp: RelyingParty, for session: Session, _ request: Request
    ) async throws(Explanation) {
        try await finishing(.confirmation, request) { () throws(Explanation) in
            let use = try await use(credential, .confirmation, Self.confirmation(session), rp, session.account)
            try await Explanation.of(await accounts.confirm(session, with: use))
            return ((), session.account)
        }
    }

    func passkeys(_ rp: RelyingParty? = nil, of session: Session) async throws(Explanation) -> [Passkey] {
        try await Explanation.of(await accounts.passkeys(ofAccount: session.account, rpID: rp?.id))
    }

    func rename(_ id: String, to name: String, for session: Session) async throws(Explanation) -> Passkey {
        let name = try Self.passkeyName(name)
        guard let credential = Base64.decode(id.utf8, .urlSafe),
            var passkey = try await passkeys(of: session).first(where: { $0.credential == credential })
        else { throw PasskeyRefusal.passkeyNotFound.explanation }
        try await Explanation.of(await accounts.renamePasskey(credential, to: name, for: session))
        passkey.name = name
        return passkey
    }

    func remove(_ id: String, for session: Session) async throws(Explanation) {
        guard let credential = Base64.decode(id.utf8, .urlSafe) else {
            throw PasskeyRefusal.passkeyNotFound.explanation
        }
        try await Explanation.of(await accounts.removePasskey(credential, for: session))
    }

    /// Returns the normalized name of a passkey. The rules are those of a user name; other passkeys may have the name.
    private static func passkeyName(_ typed: String) throws(Explanation) -> String {
        do { return try UserName(existing: typed).text } catch { throw error.explanation(of: "passkey name") }
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
        _ credential: JSONObject, _ ceremony: Accounts.Ceremony, _ purpose: Purpose, _ rp: RelyingParty,
        _ account: Int64? = nil
    ) async throws(Explanation) -> PasskeyUse {
        let response = try verified(ceremony, account, AuthenticationResponse(credential))
        let stored = try await Explanation.of(await accounts.passkey(response.credential, rpID: rp.id))
        let pending = try verified(
            ceremony, account,
            rp.begin(response, for: purpose, owner: stored?.account.id, at: accounts.clock.now()))
        // `begin` requires the passkey.
        guard let stored else { throw .ceremony(.unknownPasskey, ceremony) }
        let used = UsedChallenge(pending.challenge)
        let isUsed = try await Explanation.of(await accounts.isUsed(used))
        let data = try verified(ceremony, account, rp.finish(pending, passkey: stored.passkey, isUsed: isUsed))
        return PasskeyUse(
            of: stored, signCount: data.signCount, isBackedUp: data.flags.contains(.backedUp), challenge: used)
    }

    /// Verifies a part of a ceremony. Logs and explains a refusal.
    private func verified<Value>(
        _ ceremony: Accounts.Ceremony, _ account: Int64?, _ body: @autoclosure () throws(CeremonyError) -> Value
    ) throws(Explanation) -> Value {
        do throws(CeremonyError) { return try body() } catch {
            accounts.ceremonyRefused(ceremony, account: account, code: error.code)
            throw .ceremony(error, ceremony)
        }
    }

    /// Finishes a ceremony with a token of the client, which a success usually returns.
    private func finishing<Result>(
        _ ceremony: Accounts.Ceremony, _ request: Request,
        _ finish: () async throws(Explanation) -> (Result, account: Int64)
    ) async throws(Explanation) -> Result {
        if let seconds = limiter.take(for: request.client) {
            throw AccountError.throttled(retryAfter: seconds).explanation
        }
        let (result, owner): (Result, Int64)
        do throws(Explanation) { (result, owner) = try await finish() } catch {
            // Another request may use the challenge between the check and the change.
            throw error.code == CeremonyError.challengeUsed.code ? .ceremony(.challengeUsed, ceremony) : error
        }
        if successes.take(for: owner) == nil { limiter.refund(to: request.client) }
        return result
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
