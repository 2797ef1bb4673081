package import MotivatorPlatform

extension APIClient {
    package func passkeyCreationOptions(_ token: String, isConditional: Bool) async throws(APIFailure) -> [UInt8] {
        let document: JSONNode = isConditional ? ["mediation": "conditional"] : [:]
        return try await response(
            to: APIRequest(path: "/api/passkeys/options", document: document, token: token)
        ).content
    }

    /// - Parameter credential: RegistrationResponseJSON.
    package func register(_ credential: JSONNode, _ token: String) async throws(APIFailure) {
        let document: JSONNode = ["credential": credential]
        _ = try await response(
            to: APIRequest(path: "/api/passkeys", success: 201, document: document, token: token))
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
