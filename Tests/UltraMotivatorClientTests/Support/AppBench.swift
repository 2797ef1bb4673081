import SharedWebCredentials

@testable import UltraMotivatorClient

/// An app with scripted stores and a scripted server. All write to one diary.
struct AppBench: Sendable {
    let diary = Diary()
    var domain = ScriptedServer.host
    var keychain: ScriptedKeychain
    var shared: ScriptedShared
    var user: ScriptedUser

    /// - Parameter kept: The credential in the keychain.
    init(_ kept: Credential? = nil, domain: String = ScriptedServer.host) {
        self.domain = domain
        keychain = ScriptedKeychain(diary, domain: domain.lowercased(), kept)
        shared = ScriptedShared(diary: diary)
        user = ScriptedUser(diary: diary)
    }

    /// Runs `body` with the app and a scripted server.
    func run(_ script: @escaping ScriptedServer.Script, _ body: (MotivatorApp) async throws -> Void) async throws {
        try await ScriptedServer.run(script, diary: diary) { server in
            try await body(app(try server.client()))
        }
    }

    func app(_ api: APIClient) -> MotivatorApp {
        MotivatorApp(domain: domain, api: api, keychain: keychain, shared: shared, user: user)
    }

    static let saved = StoreChanges(keychain: nil, shared: .noErrorReported)

    /// The session that the scripted server starts.
    static func session(_ account: String) -> APISession {
        APISession(account: account, name: account, token: ScriptedServer.token)
    }
}

/// The scripted server's failure for a wrong password.
let wrong = APIFailure.refused(APIRefusal(status: 401, code: "wrong_name_or_password", sentence: "No."))
