import Accounts
import MotivatorHTTP
import MotivatorServer

struct Operations: Sendable {
    let all: [Operation]

    init(
        _ api: API, _ passkeys: PasskeyAPI, tutorial: API, _ check: CheckPage, minimum: Int
    ) {
        let (known, token, existing) = (Self.knownName, Self.token, Self.existingPassword)
        let chosen = Self.password("password", "The new password.", minimum: minimum)
        let change = [
            known, Self.password("current_password", "The current password."),
            Self.password("new_password", "The new password.", minimum: minimum),
        ]
        let session: [Operation] = [
            Operation(
                id: "signup", path: "/api/signup", summary: "Create an account",
                description: "The new account is signed in.", request: [Self.newName, chosen], status: 201,
                response: [known, token], errors: Self.signUp + [.notJSON], respond: api.signUp),
            Operation(
                id: "signin", path: "/api/signin", summary: "Sign in", description: "Starts a session.",
                request: [known, existing], response: [known, token], errors: Self.signIn + [.notJSON],
                respond: api.signIn),
            Operation(
                id: "update", path: "/api/update", summary: "Change the password",
                description: "Replaces all sessions of the account with a new session.",
                request: change, response: [known, token], errors: Self.update + [.notJSON], respond: api.update),
            Operation(
                id: "signout", path: "/api/signout", summary: "Sign out", description: "Ends the token's session.",
                needsToken: true, errors: Self.errors(.notSignedIn, .unavailable) + [.crossSite], respond: api.signOut),
            Operation(
                id: "delete", method: .delete, path: "/api/account", summary: "Delete the account",
                description: "Ends all sessions of the account.", needsToken: true,
                request: [existing], errors: Self.content + Self.attempt + Self.errors(.notSignedIn) + [.notJSON],
                respond: api.delete),
            Operation(
                id: "motivation", method: .get, path: "/api/motivation", summary: "Get a quote",
                description: "Never returns the same quote twice in a row.", needsToken: true,
                response: [
                    Operation.Member(name: "quote", meaning: "The quote.", example: Motivation.quotes[0].text),
                    Operation.Member(name: "author", meaning: "The author.", example: Motivation.quotes[0].author),
                ],
                errors: Self.errors(.notSignedIn, .unavailable), respond: api.motivation),
            Operation(
                id: "password", method: .get, path: "/api/password", summary: "Suggest a password",
                description: "The format is that of Apple’s devices: four groups of three characters.",
                response: [Operation.Member(name: "password", meaning: "The password.", example: "kEx-9fT-Qw3-hbZ")],
                errors: [], respond: api.password),
        ]
        all =
            session + Self.passkeys(passkeys) + Self.passkeySignIns(passkeys) + [Self.check(check)]
            + Self.tutorial(tutorial, chosen: chosen, change: change)
    }

    /// The characters that no name contains, for a class in a regular expression.
    private static let controls = #"\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069"#

    private static func name(_ meaning: String, _ pattern: String) -> Operation.Member {
        Operation.Member(
            name: "username", meaning: meaning, example: "antoine", minimum: 1, maximum: UserName.maximumLength,
            pattern: pattern)
    }

    private static let newName = name(
        "The user name. It is unique and case-insensitive.", "^[^\(controls) ]+( [^\(controls) ]+)*$")
    /// Earlier rules permitted names with extra spaces, so they can still sign in.
    static let knownName = name("The user name.", "^[^\(controls)]+$")
    static let token = Operation.Member(
        name: "token", meaning: "The session's token. Send it as Authorization: Bearer.",
        example: "dGhpcy1pcy1hbi1leGFtcGxlLW9mLWEtdG9rZW4tMzI")
    static let existingPassword = password("password", "The password.")

    /// - Parameter minimum: the minimum length of a new password.
    private static func password(_ name: String, _ meaning: String, minimum: Int? = nil) -> Operation.Member {
        Operation.Member(
            name: name, meaning: meaning, example: minimum == nil ? "four small red foxes" : "seven slow grey geese",
            minimum: minimum, maximum: PasswordPolicy.maximumBytes)
    }

    static func errors(_ errors: AccountError...) -> [Explanation] { errors.map(\.explanation) }

    static let content = [Explanation.malformed(""), .missing("username"), .crossSite]
    /// The errors of each call that verifies or hashes a password.
    private static let hashing = errors(
        .refusedPassword(.tooLong(maximumBytes: 0)), .throttled(retryAfter: 0), .busy, .unavailable)
    static let attempt = hashing + errors(.wrongNameOrPassword)
    static let names = errors(
        .refusedName(.empty), .refusedName(.tooLong(codePoints: 0)), .refusedName(.controlCharacter(at: 0)))
    private static let newPassword = errors(
        .refusedPassword(.tooShort(minimum: 0)), .refusedPassword(.common), .refusedPassword(.isUserName),
        .refusedPassword(.isSiteName(word: "")))
    private static let signIn = content + names + attempt
    private static let update = signIn + newPassword
    private static let signUp =
        content + names + hashing + newPassword
        + errors(
            .nameTaken, .refusedName(.extraSpace), .refusedName(.invisibleCharacter(at: 0)),
            .refusedName(.variantCharacter(at: 0)), .refusedName(.mixedScripts), .refusedName(.looksLatin))

    private static func check(_ page: CheckPage) -> Operation {
        let app = "D3KQX62K1A.com.example.DemoApp"
        return Operation(
            id: "check", method: .get, path: "/api/check", summary: "Check an association",
            description: "Returns the same JSON as motivator association check. Requires a site, file or entitlement. "
                + "Only a server with --allow-fetch accepts a site.",
            query: (page.allowsFetch ? [.init(name: "site", meaning: "A domain or an https URL.", example: "")] : [])
                + [
                    .init(
                        name: "file", meaning: "The content of an association file.",
                        example: "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}"),
                    .init(name: "entitlement", meaning: "An entry of the app's entitlement.", example: ""),
                    .init(name: "app", meaning: "The application identifier.", example: app),
                    .init(name: "url", meaning: "A URL of the site.", example: ""),
                ],
            response: [
                .init(name: "ok", meaning: "Whether all profiles associate the app.", example: "true", type: "boolean"),
                .init(
                    name: "conclusion", meaning: "The result in one sentence.",
                    example: "iPhones will associate \(app) based on the pasted file."),
                .init(
                    name: "verdicts", meaning: "The verdict of each profile.",
                    example: "{\"device\": \"associated\", \"documented\": \"associated\"}", type: "object"),
                .init(name: "issues", meaning: "The issues, most severe first.", example: "[]", type: "array"),
            ],
            errors: [400, 403, 422, 429, 503].map { Explanation($0, ErrorRenderer.code(of: $0), "") },
            respond: page.data)
    }

    private static func tutorial(
        _ api: API, chosen: Operation.Member, change: [Operation.Member]
    ) -> [Operation] {
        let folder = "/ultra_motivator/api/"
        return [
            Operation(
                id: "tutorial-signup", path: folder + "signup.py", summary: "Create an account (tutorial)",
                description: "Accepts any Content-Type.", request: [newName, chosen],
                response: [knownName, chosen], errors: signUp, isTutorial: true, respond: api.signUp),
            Operation(
                id: "tutorial-signin", path: folder + "signin.py", summary: "Sign in (tutorial)",
                description: "Accepts any Content-Type.",
                request: [knownName, existingPassword], response: [knownName, existingPassword], errors: signIn,
                isTutorial: true, respond: api.signIn),
            Operation(
                id: "tutorial-update", path: folder + "update.py", summary: "Change the password (tutorial)",
                description: "Returns the new password. Accepts any Content-Type.",
                request: change, response: [knownName, chosen], errors: update, isTutorial: true, respond: api.update),
        ]
    }
}
