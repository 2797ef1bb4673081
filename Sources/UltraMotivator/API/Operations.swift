import Accounts
import HTTP
import Server

/// Every call of the API.
struct Operations: Sendable {
    let all: [Operation]

    /// - Parameter minimum: the fewest characters of a new password.
    init(_ api: API, _ tutorial: TutorialAPI, minimum: Int) {
        let name = Operation.Member(
            name: "username", meaning: "The user name; unique without case.", example: "antoine", minimum: 1,
            maximum: UserName.maximumLength)
        func password(_ name: String, _ meaning: String, isNew: Bool = false) -> Operation.Member {
            Operation.Member(
                name: name, meaning: meaning, example: isNew ? "seven slow grey geese" : "four small red foxes",
                minimum: isNew ? minimum : 0, maximum: PasswordPolicy.maximumBytes)
        }
        let token = Operation.Member(
            name: "token", meaning: "The session's token, for Authorization: Bearer.",
            example: "3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
        let existing = password("password", "The password.")
        let chosen = password("password", "The new password.", isNew: true)
        let change = [
            name, password("current_password", "The password until now."),
            password("new_password", "The new password.", isNew: true),
        ]
        let session: [Operation] = [
            Operation(
                id: "signup", method: .post, path: "/api/signup", summary: "Make an account",
                description: "Makes an account and signs in.", request: [name, chosen], status: 201,
                answer: [name, token], failures: [400, 403, 409, 415, 422, 429, 503], respond: api.signUp),
            Operation(
                id: "signin", method: .post, path: "/api/signin", summary: "Sign in",
                description: "Begins a session.", request: [name, existing], status: 200, answer: [name, token],
                failures: [400, 401, 403, 415, 422, 429, 503], respond: api.signIn),
            Operation(
                id: "update", method: .post, path: "/api/update", summary: "Change the password",
                description: "Changes the password, ends every other session of the account and begins a new one.",
                request: change, status: 200, answer: [name, token],
                failures: [400, 401, 403, 415, 422, 429, 503], respond: api.update),
            Operation(
                id: "signout", method: .post, path: "/api/signout", summary: "Sign out",
                description: "Ends the session of the token.", needsToken: true, status: 200, answer: [],
                failures: [401, 403, 503], respond: api.signOut),
            Operation(
                id: "delete", method: .delete, path: "/api/account", summary: "Delete the account",
                description: "Deletes the account of the token with everything that belongs to it.",
                needsToken: true, request: [existing], status: 200, answer: [],
                failures: [400, 401, 403, 415, 422, 429, 503], respond: api.delete),
            Operation(
                id: "motivation", method: .get, path: "/api/motivation", summary: "Be motivated",
                description: "A quote, never the same twice in a row.", needsToken: true, status: 200,
                answer: [
                    Operation.Member(
                        name: "quote", meaning: "The words.", example: Motivation.quotes[0].text),
                    Operation.Member(
                        name: "author", meaning: "Whose words they are.", example: Motivation.quotes[0].author),
                ],
                failures: [401, 503], respond: api.motivation),
            Operation(
                id: "password", method: .get, path: "/api/password", summary: "Suggest a password",
                description: "A password as Apple’s devices generate them: four groups of three characters.",
                status: 200,
                answer: [
                    Operation.Member(name: "password", meaning: "The password.", example: "kEx-9fT-Qw3-hbZ")
                ],
                failures: [], respond: api.password),
        ]
        all = session + Self.tutorial(tutorial, name: name, existing: existing, chosen: chosen, change: change)
    }

    private static func tutorial(
        _ api: TutorialAPI, name: Operation.Member, existing: Operation.Member, chosen: Operation.Member,
        change: [Operation.Member]
    ) -> [Operation] {
        let folder = "/ultra_motivator/api/"
        let failures = [400, 401, 403, 409, 422, 429, 503]
        return [
            Operation(
                id: "tutorial-signup", method: .post, path: folder + "signup.py", summary: "Make an account (tutorial)",
                description: "Makes an account. Any Content-Type will do.", request: [name, chosen], status: 200,
                answer: [name, chosen], failures: failures, isTutorial: true, respond: api.signUp),
            Operation(
                id: "tutorial-signin", method: .post, path: folder + "signin.py", summary: "Sign in (tutorial)",
                description: "Checks name and password. Any Content-Type will do.", request: [name, existing],
                status: 200, answer: [name, existing], failures: failures, isTutorial: true, respond: api.signIn),
            Operation(
                id: "tutorial-update", method: .post, path: folder + "update.py",
                summary: "Change the password (tutorial)",
                description: "Changes the password and repeats the new one. Any Content-Type will do.",
                request: change, status: 200, answer: [name, chosen], failures: failures, isTutorial: true,
                respond: api.update),
        ]
    }
}
