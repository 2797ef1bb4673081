import ArgumentParser
import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

extension DeviceTools {
    struct Passkey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "passkey", abstract: "Create passkeys, and sign in with them, as an app or a page does.",
            discussion: """
                Example: motivator device passkey create --app D3KQX62K1A.com.example.DemoApp --options options.json --yes

                Before each ceremony, the device checks the app's entitlement and association, or the page's origin.
                """,
            subcommands: [Create.self, SignIn.self, List.self, Delete.self, Sync.self])
    }
}

/// The caller of a ceremony, and the options of the server.
struct CeremonyOptions: ParsableArguments {
    @Option("Calling app.", value: "id")
    var app: String?

    @Option("Calling page in the browser, instead of an app.", value: "url")
    var page: String?

    @Option(
        name: .customLong("options"),
        help: ArgumentHelp("The server's publicKey document, or - for standard input.", valueName: "file"))
    var document: String?

    @Option("API server for the whole ceremony, such as example.com:8443.", value: "server")
    var server: String?

    func validate() throws {
        try require((app == nil) != (page == nil), "Use either --app or --page.")
        try require((document == nil) != (server == nil), "Use either --options or --server.")
    }

    func caller() throws -> PasskeyCaller {
        if let app { return .app(try parsing("--app") { try AppIdentifier(app) }) }
        let url = try parsing("--page") { try WebURL.entered(page ?? "") }
        try require(
            url.scheme == "https", "\(url.description.excerpt) is not an https URL", fix: "Use the page's https URL")
        return .page(url)
    }

    /// Returns the options of the server from a file or from standard input.
    func request(_ context: DeviceContext) throws -> [UInt8] {
        guard let document, document != "-" else {
            return Array(try context.input(limit: PasskeyRequest.maximumSize).utf8)
        }
        return try Input.read(document, limit: PasskeyRequest.maximumSize)
    }

    /// Returns the ceremony with the API of a server, or nil with the options of the server.
    func atServer(_ caller: PasskeyCaller, _ context: DeviceContext) async throws -> PasskeyCeremony? {
        guard let server else { return nil }
        let address = try parsing("--server") { try ServerAddress(server) }
        return PasskeyCeremony(caller: caller, api: try await context.api(address), context: context)
    }

    /// Performs a ceremony of the caller, and converts its error to a result.
    func result(
        in context: DeviceContext, _ body: (PasskeyCaller) async throws -> DeviceResult
    ) async throws -> DeviceResult {
        let caller = try caller()
        let system = await context.device.state.system
        try require(
            system == .current, "Passkeys require iOS 16 or later, and the device runs \(system.rawValue)",
            fix: "Use a device with the system current")
        if case .app(let app) = caller, await !context.device.state.apps.contains(where: { $0.identifier == app }) {
            throw ExplainedFailure.notInstalled(app)
        }
        do { return try await body(caller) } catch let error as PasskeyError {
            return DeviceResult(
                lines: [error.line(for: caller)], json: ["error": error.json(for: caller)], exitCode: error.exitCode,
                status: error.code)
        }
    }
}

extension DeviceTools.Passkey {
    struct Create: PromptingCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create a passkey, and print the response for the server.",
            discussion: """
                Example: motivator device passkey create --page https://example.com --options options.json --yes

                With --server, the command requests the options, and registers the passkey for the session of the token.
                """)

        @OptionGroup var ceremony: CeremonyOptions

        @Flag(help: "Read the token of a session from standard input, for --server.")
        var tokenStdin = false

        @Flag(help: "Create the passkey without a prompt, right after a saved password was used.")
        var conditional = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func validate() throws {
            try require(tokenStdin == (ceremony.server != nil), "--server and --token-stdin must be used together.")
        }

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            try await ceremony.result(in: context) { caller in
                guard let server = try await ceremony.atServer(caller, context) else {
                    let request = try PasskeyRequest(try ceremony.request(context), for: .create)
                    let response = try await context.device.createPasskey(
                        request, for: caller, isConditional: conditional)
                    return DeviceResult(response: response)
                }
                let response = try await server.register(try context.input(), isConditional: conditional)
                return DeviceResult(
                    lines: ["Created and registered a passkey at \(server.api.server)."],
                    json: ["credential": response])
            }
        }
    }

    struct SignIn: PromptingCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-in", abstract: "Sign in with a passkey, and print the response for the server.",
            discussion: """
                Example: motivator device passkey sign-in --page https://example.com --options options.json --yes

                With --server, the command performs the whole sign-in, and prints the user name. --json prints the token.
                """)

        @OptionGroup var ceremony: CeremonyOptions

        @Flag(help: "Fail without a prompt if the device has no passkey.")
        var immediate = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            try await ceremony.result(in: context) { caller in
                guard let server = try await ceremony.atServer(caller, context) else {
                    let request = try PasskeyRequest(try ceremony.request(context), for: .signIn)
                    return DeviceResult(
                        response: try await context.device.usePasskey(request, for: caller, isImmediate: immediate))
                }
                let (session, response) = try await server.signIn(isImmediate: immediate)
                return DeviceResult(
                    lines: ["Signed in as \(session.name.quoted)."],
                    json: ["account": .text(session.name), "token": .text(session.token), "credential": response])
            }
        }
    }

    struct List: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the passkeys of the device.",
            discussion: "Example: motivator device passkey list --rp-id example.com")

        @Option("Only passkeys of this RP ID.", value: "name")
        var rpId: String?

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let passkeys = await context.device.state.passkeys.filter { rpId == nil || $0.rpID == rpId }
            return DeviceResult(
                lines: passkeys.isEmpty ? ["No passkey is saved."] : passkeys.map(\.description.printable),
                json: ["passkeys": .list(passkeys.map(\.json))])
        }
    }

    struct Delete: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete", abstract: "Delete a passkey from the device. The server does not learn about it.",
            discussion: "Example: motivator device passkey delete 5c4GnbIZ1eHvWmvF4Fj8MqW5S0rZkqUg3n2M3pJ0d0E")

        @Argument(help: ArgumentHelp("ID of the passkey, as in the list.", valueName: "id"))
        var id: String

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            try require(
                await context.device.deletePasskey(id), "the device has no passkey \(id.excerpt)",
                fix: "List the passkeys: motivator device passkey list", exitCode: .no)
            return DeviceResult(lines: ["Deleted the passkey."], json: ["deleted": .text(id)])
        }
    }

    struct Sync: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "sync", abstract: "Turn the sync of new passkeys to other devices on or off.",
            discussion: "Example: motivator device passkey sync off")

        @Argument(help: "on or off.")
        var wanted: DeviceTools.Switch

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            await context.device.setPasskeySync(wanted == .on)
            return DeviceResult(
                lines: ["The sync of new passkeys is \(wanted.rawValue)."], json: ["sync": .truth(wanted == .on)])
        }
    }
}

/// The ceremonies of an app or a page with the API of a server.
struct PasskeyCeremony {
    let caller: PasskeyCaller
    let api: APIClient
    let context: DeviceContext

    func signIn(isImmediate: Bool) async throws -> (session: APISession, response: JSONNode) {
        let request = try PasskeyRequest(try await api.passkeyRequestOptions(), for: .signIn)
        let response = try await context.device.usePasskey(request, for: caller, isImmediate: isImmediate)
        return (try await api.signIn(passkey: response), response)
    }

    /// Creates a passkey, and registers it for the session of a token.
    func register(_ token: String, isConditional: Bool) async throws -> JSONNode {
        let content = try await api.passkeyCreationOptions(token, isConditional: isConditional)
        let response = try await context.device.createPasskey(
            try PasskeyRequest(content, for: .create), for: caller, isConditional: isConditional)
        try await context.save()
        try await api.register(response, token)
        return response
    }

    /// Adds a passkey to the account of a session. The result of the flow then also reports the passkey.
    /// - Parameter isUpgrade: whether to add it without a prompt, right after the password was used.
    func add(to session: APISession, after result: DeviceResult, isUpgrade: Bool) async -> DeviceResult {
        do {
            _ = try await register(session.token, isConditional: isUpgrade)
            return result.adding("Passkey: created.", ["outcome": "created"])
        } catch {
            return result.adding(
                "Passkey: not created. \(line(error))", ["outcome": "not_created", "error": json(error)])
        }
    }

    func line(_ error: any Error) -> String { (error as? PasskeyError)?.line(for: caller) ?? "\(error)" }

    func json(_ error: any Error) -> JSONNode {
        (error as? PasskeyError)?.json(for: caller) ?? ["message": .text("\(error)")]
    }
}

extension DeviceResult {
    /// Creates the result of a ceremony without a server: the response, without the prompts as JSON.
    fileprivate init(response: JSONNode) {
        let text = String(decoding: response.bytes(), as: UTF8.self).dropLast()
        self.init(lines: [String(text)], json: ["credential": response])
    }

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
