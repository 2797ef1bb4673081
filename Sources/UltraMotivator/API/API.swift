import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorServer

/// The JSON API, with one function for each call.
struct API: Sendable {
    let accounts: Accounts
    let motivator: Motivator
    let suggester: PasswordSuggester

    func signUp(_ request: Request) async -> Response {
        await respond(request, .created) { call throws(APIError) in entered(try await call.signUp(accounts)) }
    }

    func signIn(_ request: Request) async -> Response {
        await respond(request, .ok) { call throws(APIError) in entered(try await call.signIn(accounts)) }
    }

    func update(_ request: Request) async -> Response {
        await respond(request, .ok) { call throws(APIError) in entered(try await call.update(accounts)) }
    }

    func signOut(_ request: Request) async -> Response {
        await respond(request, .ok) { call throws(APIError) in
            let token = try call.token()
            try await APIError.wrapping { () throws(AccountError) in try await accounts.signOut(token) }
            return [:]
        }
    }

    func delete(_ request: Request) async -> Response {
        await respond(request, .ok) { call throws(APIError) in
            let token = try call.token()
            let values = try call.members(.password)
            try await APIError.wrapping { () throws(AccountError) in
                try await accounts.delete(token, password: values[0], from: request.client)
            }
            return [:]
        }
    }

    func motivation(_ request: Request) async -> Response {
        await respond(request, .ok) { call throws(APIError) in
            let token = try call.token()
            let session = try await APIError.wrapping { () throws(AccountError) in try await accounts.session(token) }
            guard session != nil else { throw .account(.notSignedIn) }
            let quote = motivator.next(for: token)
            return ["quote": quote.text, "author": quote.author]
        }
    }

    func password(_ request: Request) async -> Response {
        await respond(request, .ok) { _ in ["password": suggester.next()] }
    }

    private func entered(_ result: APICall.Entered) -> KeyValuePairs<String, String> {
        ["username": result.new.name, "token": result.new.token.text]
    }

    private func respond(
        _ request: Request, _ status: HTTPResponse.Status,
        _ act: (APICall) async throws(APIError) -> KeyValuePairs<String, String>
    ) async -> Response {
        await Self.respond(request) { call throws(APIError) in .object(try await act(call), status) }
    }

    /// Performs a call, or explains its error.
    static func respond(
        _ request: Request, _ act: (APICall) async throws(APIError) -> Response
    ) async -> Response {
        do throws(APIError) {
            guard SameOrigin.allows(request.head) else { throw .crossSite }
            return try await act(APICall(request: request))
        } catch {
            let explanation = error.explanation
            var response = Response.object(
                ["error": explanation.sentence, "code": explanation.code], .registered(explanation.status))
            explanation.complete(&response, challenge: "Bearer realm=\"Ultra Motivator\"")
            return response
        }
    }
}
