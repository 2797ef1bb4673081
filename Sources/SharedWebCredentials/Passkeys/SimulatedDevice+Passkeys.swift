import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPSClient
package import MotivatorPlatform
import Passkeys

extension SimulatedDevice {
    /// The seconds after the use of a password in which an app or a page may create a passkey without a prompt.
    static let conditionalWindow: Int64 = 300

    /// Creates a passkey as `ASAuthorizationController` and `navigator.credentials.create()` do.
    /// - Parameter isConditional: whether to create the passkey without a prompt after the use of a password.
    /// - Returns: RegistrationResponseJSON.
    package func createPasskey(
        _ request: PasskeyRequest, for caller: PasskeyCaller, isConditional: Bool = false
    ) async throws(PasskeyError) -> JSONNode {
        await beginOperation()
        defer { endOperation() }
        let rp = try await relyingParty(request, caller)
        guard let user = request.user else { throw .malformed("The options have no user") }
        guard request.offersES256 else { throw .unsupported }
        let time = seenTime()
        if isConditional {
            guard state.hasRecentPassword(user.name, at: rp.name, time) else {
                throw .canceled("Sign in with a saved password for \(rp.name) first, at most 5 minutes before")
            }
        } else {
            let prompt = Prompt(.createPasskey, caller, [(user.name, rp.name)])
            guard await prompter.answer(prompt) == .yes else { throw .canceled("Accept the prompt") }
        }
        let present = state.passkeys.filter { $0.rpID == rp.name }
        guard !present.contains(where: { request.credentials.contains($0.id) }) else { throw .excluded }
        guard let new = PasskeyAuthenticator.NewKey() else {
            throw .failed("The device cannot create a key", "Try again")
        }
        let isSynced = state.syncsPasskeys
        var flags: AuthenticatorData.Flags = [.backupEligible]
        if isSynced { flags.insert(.backedUp) }
        if !isConditional { flags.formUnion([.userPresent, .userVerified]) }
        let data = AuthenticatorData(rpIDHash: Digest.sha256(Array(rp.name.utf8)), flags: flags, attested: new.attested)
        let passkey = DevicePasskey(
            id: Base64.encode(new.attested.credential, .urlSafe), rpID: rp.name, userHandle: user.handle,
            userName: user.name, key: String(decoding: new.key.pem, as: UTF8.self), isSynced: isSynced, created: time)
        // A device has one passkey for each account (Web Authentication Level 3, 6.3.2).
        state.passkeys.removeAll { $0.rpID == rp.name && $0.userHandle == user.handle }
        state.passkeys.append(passkey)
        let client = caller.clientData("webauthn.create", request.challenge, rp.name)
        var response: [(key: String, value: JSONNode)] = [
            ("clientDataJSON", .binary(client)), ("attestationObject", .binary(AttestationObject.none(data).encoded)),
        ]
        if case .page = caller {
            response += [
                ("transports", ["internal"]), ("authenticatorData", .binary(data.encoded)),
                ("publicKey", .binary(COSEKey.publicKeyInfo(p256: new.point))), ("publicKeyAlgorithm", -7),
            ]
        }
        let properties: JSONNode = request.requestsProperties ? ["credProps": ["rk": true]] : [:]
        return caller.credential(passkey.id, response, properties)
    }

    /// Signs in with a passkey as `ASAuthorizationController` and `navigator.credentials.get()` do.
    /// - Parameter isImmediate: whether to fail without a prompt if the device has no passkey.
    /// - Returns: AuthenticationResponseJSON.
    package func usePasskey(
        _ request: PasskeyRequest, for caller: PasskeyCaller, isImmediate: Bool = false
    ) async throws(PasskeyError) -> JSONNode {
        await beginOperation()
        defer { endOperation() }
        let rp = try await relyingParty(request, caller)
        let found = state.passkeys.filter { passkey in
            passkey.rpID == rp.name && (request.credentials.isEmpty || request.credentials.contains(passkey.id))
        }
        let missing = "Create a passkey for \(rp.name) first"
        guard !found.isEmpty || !isImmediate else { throw .canceled(missing) }
        let prompt = Prompt(.usePasskey, caller, found.map { ($0.userName, rp.name) })
        guard let picked = prompt.picked(by: await prompter.answer(prompt)) else {
            throw .canceled(found.isEmpty ? missing : "Pick a passkey")
        }
        let passkey = found[picked]
        var flags: AuthenticatorData.Flags = [.userPresent, .userVerified, .backupEligible]
        if passkey.isSynced { flags.insert(.backedUp) }
        let data = AuthenticatorData(rpIDHash: Digest.sha256(Array(rp.name.utf8)), flags: flags).encoded
        let client = caller.clientData("webauthn.get", request.challenge, rp.name)
        guard let key = try? PrivateKey(pem: Array(passkey.key.utf8), source: passkey.id),
            let signature = key.signature(of: data + Digest.sha256(client))
        else { throw .failed("The device cannot use the key of the passkey", "Delete the passkey") }
        let time = seenTime()
        for index in state.passkeys.indices where state.passkeys[index].id == passkey.id {
            state.passkeys[index].used = time
        }
        let response: [(key: String, value: JSONNode)] = [
            ("clientDataJSON", .binary(client)), ("authenticatorData", .binary(data)),
            ("signature", .binary(signature)), ("userHandle", .text(passkey.userHandle)),
        ]
        return caller.credential(passkey.id, response, [:])
    }

    /// Deletes a passkey, or returns false if the device does not have it. The server does not learn about it.
    package func deletePasskey(_ id: String) -> Bool {
        let count = state.passkeys.count
        state.passkeys.removeAll { $0.id == id }
        return state.passkeys.count < count
    }

    package func setPasskeySync(_ isOn: Bool) { state.syncsPasskeys = isOn }

    // MARK: - Who may use an RP ID

    private func relyingParty(
        _ request: PasskeyRequest, _ caller: PasskeyCaller
    ) async throws(PasskeyError) -> RelyingPartyID {
        let text: String
        switch (request.rpID, caller) {
        case (let id?, _): text = id
        case (nil, .page(let url)): text = url.host
        case (nil, .app):
            throw .failed("The options have no RP ID", "Add \"rp\": {\"id\": \"example.com\"} to the options")
        }
        let rp: RelyingPartyID
        do throws(ExplainedFailure) { rp = try RelyingPartyID(text) } catch {
            switch caller {
            case .app: throw .failed(error.problem.sentence.clause, error.fix)
            case .page: throw .security(error.problem.sentence.clause, error.fix)
            }
        }
        switch caller {
        case .app(let app): try await approve(app, rp)
        case .page(let url): try await approve(url, rp)
        }
        guard state.autoFill else {
            throw .failed("AutoFill of passwords and passkeys is off on the device", "Turn on AutoFill")
        }
        return rp
    }

    private func approve(_ app: AppIdentifier, _ rp: RelyingPartyID) async throws(PasskeyError) {
        let entries = state.apps.first { $0.identifier == app }?.domains(state.system) ?? []
        guard let entry = rp.coveringEntry(entries) else {
            let missing = AssociatedDomain.accepted("webcredentials:\(rp.name)")
            throw .security(rp.notAssociated(app), "Add the entry \(missing) to the app's entitlement")
        }
        let quoted = "\(entry)".shellQuoted
        let command = "Run: motivator association check \(rp.name) --passkeys --app \(app) --entitlement \(quoted)"
        // As for the credential functions, one approved entry of the site is enough, for example one with a mode.
        let indices = state.records.indices {
            $0.app == app && $0.entry.host == entry.host && rp.coveringEntry([$0.entry]) != nil
        }
        await check(indices.filter { state.records[$0].isCheckedByCall }, at: seenTime(), isByCall: true)
        let records = indices.map { state.records[$0] }
        let approvals = records.map(\.siteApproval)
        if approvals.contains(.approved) { return }
        if approvals.contains(.unspecified) { throw .security(rp.notVerified(app), command) }
        let setting = records.lazy.compactMap { $0.failure?.modeFix($0.entry) }.first
        throw .security(rp.notAssociated(app), setting ?? command)
    }

    private func approve(_ origin: WebURL, _ rp: RelyingPartyID) async throws(PasskeyError) {
        guard !rp.owns(origin) else { return }
        let fix = "Run: motivator association check \(rp.name) --passkeys --origin https://\(origin.authority)"
        switch await network.relatedOrigins(of: rp.name, now: seenTime()) {
        case .failure(let failure): throw .security(failure.message.sentence.clause, fix)
        case .success(let origins):
            guard !RelatedOrigins.contains(origin, in: origins) else { return }
            throw .security("https://\(origin.authority) may not use the RP ID \(rp.name)", fix)
        }
    }
}

extension PasskeyCaller {
    /// Returns the client data. An app's origin has no port.
    fileprivate func clientData(_ type: String, _ challenge: String, _ rpID: String) -> [UInt8] {
        let (origin, rest) =
            switch self {
            case .app: ("https://\(rpID)", "")
            case .page(let url): ("https://\(url.credentialAuthority)", #","crossOrigin":false"#)
            }
        return Array(#"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)"\#(rest)}"#.utf8)
    }

    /// Returns the response of a ceremony. Only a page gets the optional members.
    fileprivate func credential(
        _ id: String, _ response: [(key: String, value: JSONNode)], _ extensions: JSONNode
    ) -> JSONNode {
        var members: [(key: String, value: JSONNode)] = [
            ("id", .text(id)), ("rawId", .text(id)), ("type", "public-key"), ("response", .members(response)),
        ]
        if case .page = self {
            members += [("authenticatorAttachment", "platform"), ("clientExtensionResults", extensions)]
        }
        return .members(members)
    }
}

extension JSONNode {
    fileprivate static func binary(_ bytes: [UInt8]) -> JSONNode { .text(Base64.encode(bytes, .urlSafe)) }
}

extension Prompt {
    fileprivate init(_ kind: Kind, _ caller: PasskeyCaller, _ accounts: [(name: String, rpID: String)]) {
        var app: AppIdentifier?
        if case .app(let caller) = caller { app = caller }
        self.init(kind: kind, app: app, choices: accounts.map { Choice(account: $0.name, server: $0.rpID, port: nil) })
    }
}
