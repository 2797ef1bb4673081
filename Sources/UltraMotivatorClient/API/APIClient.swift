package import Certificates
package import HTTPSClient
package import MotivatorPlatform

/// A client for a server's JSON API.
///
/// The client verifies the server's certificates on each connection before it sends a request. It does not follow
/// redirects, so it sends passwords only to the given server.
package struct APIClient: Sendable {
    package let server: ServerAddress
    private let trust: [Certificate]?
    private let fetcher: Fetcher
    private let clock: Clock

    /// - Parameter options: the options for the HTTPS client. The maximum content size is ignored.
    package init(
        server: ServerAddress, trust: [Certificate]? = nil, options: Fetcher.Options = Fetcher.Options(),
        clock: Clock = .system
    ) {
        var options = options
        options.maximumContent = APIResponse.maximumContent
        (self.server, self.trust, self.clock) = (server, trust, clock)
        fetcher = Fetcher(options)
    }

    package func signUp(_ credential: Credential) async throws(APIFailure) -> APISession {
        try await session(of: credential, "/api/signup", success: 201)
    }

    package func signIn(_ credential: Credential) async throws(APIFailure) -> APISession {
        try await session(of: credential, "/api/signin")
    }

    /// Changes a password, ends every session of the account, and starts a new one.
    package func update(_ credential: Credential, to new: String) async throws(APIFailure) -> APISession {
        let (account, current) = (credential.account, credential.password)
        return try await session(
            of: credential, "/api/update",
            [("username", account), ("current_password", current), ("new_password", new)])
    }

    private func session(
        of credential: Credential, _ path: String, success: Int = 200, _ members: [(name: String, value: String)]? = nil
    ) async throws(APIFailure) -> APISession {
        let usual = [(name: "username", value: credential.account), (name: "password", value: credential.password)]
        let request = APIRequest(path: path, success: success, members: members ?? usual)
        return try await response(to: request).session(of: credential.account)
    }

    package func signOut(_ session: APISession) async throws(APIFailure) {
        _ = try await response(to: APIRequest(path: "/api/signout", token: session.token))
    }

    package func deleteAccount(of session: APISession, password: String) async throws(APIFailure) {
        _ = try await response(
            to: APIRequest(
                method: "DELETE", path: "/api/account", members: [("password", password)], token: session.token))
    }

    /// Returns a quote that differs from the previous one.
    package func motivation(for session: APISession) async throws(APIFailure) -> APIQuote {
        let request = APIRequest(method: "GET", path: "/api/motivation", token: session.token)
        let response = try await response(to: request)
        return APIQuote(text: try response.text("quote"), author: try response.text("author"))
    }

    func response(to request: APIRequest) async throws(APIFailure) -> APIResponse {
        try APIResponse(try await Fetcher.blocking { send(request) }.get(), to: request)
    }

    private func send(_ request: APIRequest) -> Result<FetchedResponse, APIFailure> {
        let verifier: ChainVerifier
        do throws(CMSIssue) { verifier = try ChainVerifier(trust: trust, at: clock.now()) } catch {
            return .failure(.noTrustAnchors(error))
        }
        var verdict: ChainVerdict?
        let fetched = fetcher.fetch(request.sent(to: server)) { chain in
            let result = verifier.verdict(on: chain, host: server.host)
            verdict = result
            return result.isAccepted
        }
        if let verdict, !verdict.isAccepted {
            return .failure(.untrusted(host: server.host, issues: verdict.issues.filter { !$0.isNote }))
        }
        if let failure = fetched.failure {
            // The message quotes the start of a malformed response, which may contain a secret from the request.
            let repeats = failure.problem.holds(oneOf: request.secrets)
            return .failure(repeats ? .malformed(.repeatsSecret) : .network(failure))
        }
        guard let response = fetched.response else { return .failure(.malformed(.notAnObject)) }
        return .success(response)
    }

    package func passkeyCreationOptions(_ token: String, isConditional: Bool) async throws(APIFailure) -> [UInt8] {
        let document: JSONNode = isConditional ? ["mediation": "conditional"] : [:]
        return try await response(
            to: APIRequest(path: "/api/passkeys/options", document: document, token: token)
        ).content
    }

    /// - Parameter credential: RegistrationResponseJSON.
    package func register(_ credential: JSONNode, _ token: String) async throws(APIFailure) {
        _ = try await response(
            to: APIRequest(path: "/api/passkeys", success: 201, document: ["credential": credential], token: token))
    }

    package func passkeyRequestOptions() async throws(APIFailure) -> [UInt8] {
        try await response(to: APIRequest(path: "/api/signin/passkey/options", document: [:])).content
    }

    /// - Parameter credential: AuthenticationResponseJSON.
    package func signIn(passkey credential: JSONNode) async throws(APIFailure) -> APISession {
        let response = try await response(
            to: APIRequest(path: "/api/signin/passkey", document: ["credential": credential]))
        return try response.session(of: try response.text("username"))
    }
}
