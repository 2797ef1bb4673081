import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorServer

/// The JSON API, with one function for each call.
struct API: Sendable {
    let accounts: Accounts
    let motivator: Motivator
    let suggester: PasswordSuggester
    /// Whether the client is the unmodified tutorial app. The app sends any Content-Type, and casts each response to
    /// `[String: String]`. It saves the name and the password from a successful response.
    var servesTutorial = false

    func signUp(_ request: Request) async -> Response {
        await enter(request, .created, .username, .password) { values throws(AccountError) in
            try await accounts.signUp(name: values[0], password: values[1], from: request.client)
        }
    }

    func signIn(_ request: Request) async -> Response {
        await enter(request, .ok, .username, .password) { values throws(AccountError) in
            try await accounts.signIn(name: values[0], password: values[1], from: request.client)
        }
    }

    func update(_ request: Request) async -> Response {
        await enter(request, .ok, .username, .currentPassword, .newPassword) { values throws(AccountError) in
            try await accounts.update(name: values[0], current: values[1], new: values[2], from: request.client)
        }
    }

    func signOut(_ request: Request) async -> Response {
        await Self.respond(request) { call throws(Explanation) in
            let token = try call.token()
            try await Explanation.of(await accounts.signOut(token))
            return .object([:], .ok)
        }
    }

    func delete(_ request: Request) async -> Response {
        await Self.respond(request) { call throws(Explanation) in
            let token = try call.token()
            let password = try call.members([.password])[0]
            try await Explanation.of(await accounts.delete(token, password: password, from: request.client))
            return .object([:], .ok)
        }
    }

    func motivation(_ request: Request) async -> Response {
        await Self.respond(request) { call throws(Explanation) in
            let token = try call.token()
            _ = try await call.session(accounts)
            let quote = motivator.next(for: token)
            return .object(["quote": quote.text, "author": quote.author], .ok)
        }
    }

    func password(_ request: Request) async -> Response {
        await Self.respond(request) { _ in .object(["password": suggester.next()], .ok) }
    }

    /// Starts a session with the values of members. The last one is the account's password after the call.
    private func enter(
        _ request: Request, _ status: HTTPResponse.Status, _ names: FieldName...,
        start: ([String]) async throws(AccountError) -> SignedIn
    ) async -> Response {
        await Self.respond(request, servesTutorial: servesTutorial) { call throws(Explanation) in
            let values = try call.members(names)
            let new = try await Explanation.of(await start(values))
            guard servesTutorial else { return .object(["username": new.name, "token": new.token.text], status) }
            // The app does not use sessions, so the new session ends immediately.
            try? await accounts.signOut(new.token)
            return .object(["username": new.name, "password": values[values.count - 1]], .ok)
        }
    }

    /// Performs a call, or explains its error.
    static func respond(
        _ request: Request, servesTutorial: Bool = false,
        _ act: (APICall) async throws(Explanation) -> Response
    ) async -> Response {
        do throws(Explanation) {
            guard SameOrigin.allows(request.head) else { throw .crossSite }
            return try await act(APICall(request: request, takesEveryType: servesTutorial))
        } catch {
            return error.completing(
                servesTutorial ? .object(["error": error.sentence], .registered(error.status)) : .failure(error),
                challenge: "Bearer realm=\"Ultra Motivator\"")
        }
    }
}
