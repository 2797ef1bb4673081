import AssociatedDomains
import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

/// The passkeys of the tutorial's app. A passkey is an alternative to the password, which every account keeps.
struct AppPasskeys {
    let app: AppIdentifier
    let api: APIClient
    let context: DeviceContext

    init(_ target: AppOptions, _ launched: LaunchedApp, _ context: DeviceContext) throws {
        app = try parsing("--app") { try AppIdentifier(target.app) }
        (api, self.context) = (launched.flows.api, context)
    }

    /// Signs in with a passkey.
    func signIn() async throws -> APISession {
        let request = try PasskeyRequest(try await api.passkeyRequestOptions(), for: .signIn)
        let response = try await context.device.usePasskey(request, for: .app(app), isImmediate: true)
        return try await api.signIn(passkey: response)
    }

    /// Adds a passkey to the account of a session. The result of the flow then also reports the passkey.
    /// - Parameter isUpgrade: whether to add it without a prompt, right after the password was used.
    func add(to session: APISession, after result: DeviceResult, isUpgrade: Bool) async -> DeviceResult {
        do {
            let content = try await api.passkeyCreationOptions(session.token, isConditional: isUpgrade)
            let response = try await context.device.createPasskey(
                try PasskeyRequest(content, for: .create), for: .app(app), isConditional: isUpgrade)
            try await context.save()
            try await api.register(response, session.token)
            return result.adding("Passkey: created.", ["outcome": "created"])
        } catch {
            return result.adding(
                "Passkey: not created. \(line(error))", ["outcome": "not_created", "error": json(error)])
        }
    }

    /// Returns an error as one line.
    func line(_ error: any Error) -> String { (error as? PasskeyError)?.line(for: .app(app)) ?? "\(error)" }

    func json(_ error: any Error) -> JSONNode {
        (error as? PasskeyError)?.json(for: .app(app)) ?? ["message": .text("\(error)")]
    }
}

extension DeviceResult {
    /// Returns the result with the outcome of a passkey.
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
