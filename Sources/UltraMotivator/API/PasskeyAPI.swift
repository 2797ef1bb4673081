import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import Passkeys
import SourceJSON

struct PasskeyAPI: Sendable {
    static let contentLimit = 32 << 10

    let ceremonies: PasskeyCeremonies

    func options(_ request: Request) async -> Response {
        await respondInSession(request) { call, rp, session throws(Explanation) in
            let mediation = try call.object()["mediation"].map { $0.string ?? $0.kind.rawValue }
            return try await ceremonies.creationOptions(rp, for: session, mediation: mediation)
        }
    }

    func add(_ request: Request) async -> Response {
        await respondInSession(request, .created) { call, rp, session throws(Explanation) in
            let object = try call.object()
            if let name = object["name"], name.string == nil { throw .missing("name") }
            let passkey = try await ceremonies.register(
                try call.credential(), name: object["name"]?.string, rp, for: session, request)
            return .passkey(passkey)
        }
    }

    func list(_ request: Request) async -> Response {
        await respondInSession(request) { _, rp, session throws(Explanation) in
            let passkeys = try await ceremonies.passkeys(rp, of: session)
            return [
                "rp_id": .text(rp.id),
                "user_id": .base64url(rp.challenges.userHandle(ofAccount: session.account)),
                "passkeys": .list(passkeys.map(JSONNode.passkey)),
            ]
        }
    }

    func rename(_ request: Request) async -> Response {
        await respondInSession(request) { call, _, session throws(Explanation) in
            let values = try call.members([.id, .name])
            return .passkey(try await ceremonies.rename(values[0], to: values[1], for: session))
        }
    }

    func remove(_ request: Request) async -> Response {
        await respondInSession(request) { call, _, session throws(Explanation) in
            try await ceremonies.remove(try call.members([.id])[0], for: session)
            return .object([:])
        }
    }

    func signInOptions(_ request: Request) async -> Response {
        await respond(request) { call, rp throws(Explanation) in
            _ = try call.object()
            return ceremonies.signInOptions(rp)
        }
    }

    func signIn(_ request: Request) async -> Response {
        await respond(request) { call, rp throws(Explanation) in
            let signedIn = try await ceremonies.signIn(try call.credential(), rp, request)
            return ["username": .text(signedIn.name), "token": .text(signedIn.token.text)]
        }
    }

    /// Confirms a session with the password. Every host supports this call.
    func confirmPassword(_ request: Request) async -> Response {
        await API.respond(request) { call throws(Explanation) in
            let token = try call.token()
            let password = try call.members([.password])[0]
            try await Explanation.of(await ceremonies.accounts.confirm(token, password: password, from: request.client))
            return .object([:], .ok)
        }
    }

    func confirmationOptions(_ request: Request) async -> Response {
        await respondInSession(request) { call, rp, session throws(Explanation) in
            _ = try call.object()
            return try await ceremonies.confirmationOptions(rp, for: session)
        }
    }

    func confirm(_ request: Request) async -> Response {
        await respondInSession(request) { call, rp, session throws(Explanation) in
            try await ceremonies.confirm(try call.credential(), rp, for: session, request)
            return .object([:])
        }
    }

    private func respond(
        _ request: Request, _ act: (APICall, RelyingParty) async throws(Explanation) -> JSONNode
    ) async -> Response {
        await API.respond(request) { call throws(Explanation) in
            .json(try await act(call, try await ceremonies.relyingParty(request)).bytes())
        }
    }

    private func respondInSession(
        _ request: Request, _ status: HTTPResponse.Status = .ok,
        _ act: (APICall, RelyingParty, Session) async throws(Explanation) -> JSONNode
    ) async -> Response {
        await API.respond(request) { call throws(Explanation) in
            let session = try await call.session(ceremonies.accounts)
            return .json(try await act(call, try await ceremonies.relyingParty(request), session).bytes(), status)
        }
    }
}

extension APICall {
    fileprivate func credential() throws(Explanation) -> JSONObject {
        guard let credential = try object()["credential"]?.object else { throw .missing("credential", "an object") }
        return credential
    }
}

extension JSONNode {
    fileprivate static func passkey(_ passkey: Passkey) -> JSONNode {
        let algorithm = (try? COSEKey(bytes: passkey.publicKey))?.algorithm.rawValue
        let digits = passkey.aaguid.hexadecimal
        var aaguid = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { aaguid += "-" }
            aaguid.append(digit)
        }
        return [
            "id": .base64url(passkey.credential), "name": .text(passkey.name), "rp_id": .text(passkey.rpID),
            "algorithm": .optional(algorithm), "created": .number(Int(passkey.created)),
            "last_used": .optional(passkey.used.map { Int($0) }),
            "backup_eligible": .truth(passkey.isBackupEligible), "backed_up": .truth(passkey.isBackedUp),
            "transports": .list(passkey.transports.map { .text($0) }), "aaguid": .text(aaguid),
        ]
    }
}
