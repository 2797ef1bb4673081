import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorServer

/// The API for the unmodified tutorial app. The app casts each response to `[String: String]`, and saves the name and
/// the password from a successful response.
struct TutorialAPI: Sendable {
    let accounts: Accounts

    func signUp(_ request: Request) async -> Response {
        await respond(request) { call throws(APIError) in
            let values = try call.members(.username, .password)
            let new = try await APIError.wrapping { () throws(AccountError) in
                try await accounts.signUp(name: values[0], password: values[1], from: request.client)
            }
            return (new, values[1])
        }
    }

    func signIn(_ request: Request) async -> Response {
        await respond(request) { call throws(APIError) in
            let values = try call.members(.username, .password)
            let new = try await APIError.wrapping { () throws(AccountError) in
                try await accounts.signIn(name: values[0], password: values[1], from: request.client)
            }
            return (new, values[1])
        }
    }

    func update(_ request: Request) async -> Response {
        await respond(request) { call throws(APIError) in
            let values = try call.members(.username, .currentPassword, .newPassword)
            let new = try await APIError.wrapping { () throws(AccountError) in
                try await accounts.update(
                    name: values[0], current: values[1], new: values[2], from: request.client)
            }
            return (new, values[2])
        }
    }

    private func respond(
        _ request: Request, _ act: (APICall) async throws(APIError) -> (new: SignedIn, password: String)
    ) async -> Response {
        do throws(APIError) {
            guard SameOrigin.allows(request.head) else { throw .crossSite }
            let (new, password) = try await act(APICall(request: request, takesEveryType: true))
            // The app does not use sessions, so the new session ends immediately.
            try? await accounts.signOut(new.token)
            return .object(["username": new.name, "password": password], .ok)
        } catch {
            let explanation = error.explanation
            var response = Response.object(["error": explanation.sentence], .registered(explanation.status))
            explanation.complete(&response, challenge: "Bearer realm=\"Ultra Motivator\"")
            return response
        }
    }
}
