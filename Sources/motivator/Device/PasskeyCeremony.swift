import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

/// The ceremonies of an app or a page with the API of a server.
struct PasskeyCeremony {
    let caller: PasskeyCaller
    let api: APIClient
    let context: DeviceContext

    func signIn(isImmediate: Bool) async throws -> (session: APISession, response: JSONNode) {
        let request = try PasskeyRequest(try await api.passkeyRequestOptions(), for: .signIn)
        let response = try await context.device.usePasskey(request, for: caller, isImmediate: isImmediate)
        return (try await api.signIn(passkey: response), response)
    }

    /// Creates a passkey, and registers it for the session of a token.
    func register(_ token: String, isConditional: Bool) async throws -> JSONNode {
        let content = try await api.passkeyCreationOptions(token, isConditional: isConditional)
        let response = try await context.device.createPasskey(
            try PasskeyRequest(content, for: .create), for: caller, isConditional: isConditional)
        try await context.save()
        try await api.register(response, token)
        return response
    }

    /// Adds a passkey to the account of a session. The result of the flow then also reports the passkey.
    /// - Parameter isUpgrade: whether to add it without a prompt, right after the password was used.
    func add(to session: APISession, after result: DeviceResult, isUpgrade: Bool) async -> DeviceResult {
        do {
            _ = try await register(session.token, isConditional: isUpgrade)
            return result.adding("Passkey: created.", ["outcome": "created"])
        } catch {
            return result.adding(
                "Passkey: not created. \(line(error))", ["outcome": "not_created", "error": json(error)])
        }
    }

    func line(_ error: any Error) -> String { (error as? PasskeyError)?.line(for: caller) ?? "\(error)" }

    func json(_ error: any Error) -> JSONNode {
        (error as? PasskeyError)?.json(for: caller) ?? ["message": .text("\(error)")]
    }
}

extension DeviceResult {
    func adding(_ line: String, _ passkey: JSONNode) -> DeviceResult {
        guard case .members(let members) = json else { return self }
        return DeviceResult(
            lines: lines + [line], json: .members(members + [("passkey", passkey)]), exitCode: exitCode, status: status,
            mustBePrinted: mustBePrinted)
    }

    /// Creates the result of a sign-in with a passkey.
    init(passkeyOf session: APISession) {
        self.init(
            lines: ["Logged in as \(session.account.quoted) with a passkey."],
            json: ["outcome": "logged_in", "account": .text(session.account), "source": "passkey", "attempts": []])
    }
}
