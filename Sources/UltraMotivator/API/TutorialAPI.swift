import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorServer

/// The API for the unmodified tutorial app. The app casts each response to `[String: String]`, and saves the name and
/// the password from a successful response.
struct TutorialAPI: Sendable {
    let accounts: Accounts

    func signUp(_ request: Request) async -> Response {
        await respond(request) { call throws(APIError) in try await call.signUp(accounts) }
    }

    func signIn(_ request: Request) async -> Response {
        await respond(request) { call throws(APIError) in try await call.signIn(accounts) }
    }

    func update(_ request: Request) async -> Response {
        await respond(request) { call throws(APIError) in try await call.update(accounts) }
    }

    private func respond(
        _ request: Request, _ act: (APICall) async throws(APIError) -> APICall.Entered
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

/// The template data for the index of the tutorial's paths.
struct Tutorial: Sendable {
    struct Row: Sendable {
        let file: String
        let path: String
        /// The path of the same page or call outside the tutorial.
        let other: String
        let isPage: Bool
        /// The ID of the call's section on the page `/docs`.
        let anchor: String
    }

    /// The scripts in each of the tutorial's folders, without their extension.
    static let names = ["signup", "signin", "update"]

    let host: String
    let origin: String
    let rows = ["web", "api"].flatMap { folder in
        names.map { name in
            let isPage = folder == "web"
            return Row(
                file: "\(folder)/\(name).py", path: "/ultra_motivator/\(folder)/\(name).py",
                other: isPage ? "/\(name)" : "/api/\(name)", isPage: isPage, anchor: name)
        }
    }
}
