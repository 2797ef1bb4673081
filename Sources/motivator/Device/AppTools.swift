import ArgumentParser
import AssociatedDomains
import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

extension DeviceTools {
    struct AppTools: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "app",
            abstract: "Use the tutorial's app on the device: log in, sign up, change the password, sign out.",
            discussion: """
                Example: motivator device app log-in --app D3KQX62K1A.com.example.DemoApp --server example.com

                The log-in and sign-up commands save the password in the app's keychain. The other commands use this \
                password.
                """,
            subcommands: [LogIn.self, SignUp.self, Update.self, SignOut.self, DeleteAccount.self])
    }
}

struct AppOptions: ParsableArguments {
    @Option("Identifier of the installed app.", value: "id")
    var app: String

    @Option("API server, such as example.com or example.com:8443.", value: "server")
    var server: String

    @Option("Domain of the app's shared passwords (default: the server).", value: "name")
    var domain: String?

    func launched(in context: DeviceContext, typed: Credential? = nil) async throws -> LaunchedApp {
        let identifier = try parsing("--app") { try AppIdentifier(app) }
        let address = try parsing("--server") { try ServerAddress(server) }
        let device = context.device
        guard await device.state.apps.contains(where: { $0.identifier == identifier }) else {
            throw ExplainedFailure.notInstalled(identifier)
        }
        let keychain = DeviceKeychain(device: device, app: identifier, keep: context.save)
        return LaunchedApp(
            flows: MotivatorApp(
                domain: domain ?? address.description, api: try await context.api(address), keychain: keychain,
                shared: device.credentials(of: identifier), user: ScriptedUser(credential: typed)),
            keychain: keychain)
    }

    /// Launches the app, and calls `body` with the credential that the last log-in or sign-up saved in the keychain.
    func withCredential(
        in context: DeviceContext, _ body: (LaunchedApp, Credential) async throws -> DeviceResult
    ) async throws -> DeviceResult {
        let app = try await launched(in: context)
        if let mismatch = app.flows.mismatch { return DeviceResult(.domainMismatch(mismatch)) }
        guard let credential = try await app.keychain.credential(for: app.flows.domain) else {
            return DeviceResult(.notLoggedIn([LogInAttempt(.keychain, .nothingThere)]))
        }
        return try await body(app, credential)
    }
}

/// A user who types a credential, or declines if none is given.
private struct ScriptedUser: User {
    let credential: Credential?
    func credential(after attempts: [LogInAttempt]) async -> Credential? { credential }
}

struct DeviceKeychain: Keychain {
    let device: SimulatedDevice
    let app: AppIdentifier
    let keep: DeviceContext.Save

    func credential(for domain: String) async throws(ExplainedFailure) -> Credential? {
        await device.keychainItem(of: app, for: domain).map { Credential(account: $0.account, password: $0.password) }
    }

    func save(_ credential: Credential, for domain: String) async throws(ExplainedFailure) {
        await device.keep(
            KeychainItem(app: app, domain: domain, account: credential.account, password: credential.password))
        try await keepNow()
    }

    func remove(_ account: String, for domain: String) async throws(ExplainedFailure) {
        await device.forget(account, of: app, for: domain)
        try await keepNow()
    }

    private func keepNow() async throws(ExplainedFailure) {
        do { try await keep() } catch { throw ExplainedFailure.keychain(-36, "errSecIO: \(error)") }
    }
}

extension DeviceTools.AppTools {
    struct LogIn: PromptingCommand {
        static let configuration = CommandConfiguration(
            commandName: "log-in",
            abstract: "Launch the app and log in with the keychain, a shared password, or a typed password.",
            discussion: """
                Example: motivator device app log-in --app D3KQX62K1A.com.example.DemoApp --server example.com --yes
                """)

        @OptionGroup var target: AppOptions

        @Option("User name to type if the other sources fail.", value: "name")
        var account: String?

        @Flag(help: "Read the password to type from standard input.")
        var passwordStdin = false

        @Flag(
            help: """
                First try a passkey. After a log-in with a password, add a passkey without a prompt, if the device \
                permits it.
                """)
        var passkey = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func validate() throws {
            try require((account != nil) == passwordStdin, "--account and --password-stdin must be used together.")
        }

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let typed = try account.map { Credential(account: $0, password: try context.input()) }
            let app = try await target.launched(in: context, typed: typed)
            guard passkey, app.flows.mismatch == nil else { return DeviceResult(await app.flows.launchAndLogIn()) }
            let passkeys = app.passkeys(context)
            do { return DeviceResult(passkeyOf: try await passkeys.signIn(isImmediate: true).session) } catch {
                let flow = await app.flows.launchAndLogIn()
                let result = DeviceResult(flow)
                if case .loggedIn(let session, _, _, _) = flow {
                    return await passkeys.add(to: session, after: result, isUpgrade: true)
                }
                return result.adding(
                    "Passkey: \(passkeys.line(error))", ["outcome": "not_used", "error": passkeys.json(error)])
            }
        }
    }

    struct SignUp: PromptingCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-up",
            abstract: "Create an account, and save its password in the keychain and in the shared passwords.",
            discussion: """
                Example: motivator device app sign-up --app D3KQX62K1A.com.example.DemoApp --server example.com \
                --account antoine --yes

                Without --password-stdin, the device generates the password.
                """)

        @OptionGroup var target: AppOptions

        @Option("User name.", value: "name")
        var account: String

        @Flag(help: "Read the password from standard input.")
        var passwordStdin = false

        @Flag(help: "Then add a passkey.")
        var passkey = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let password = passwordStdin ? NewPassword(typed: try context.input()) : .generated
            let app = try await target.launched(in: context)
            let flow = await app.flows.signUp(account: account, password: password)
            let result = DeviceResult(flow, showsPassword: !passwordStdin)
            guard passkey, case .signedUp(let session, _, _) = flow else { return result }
            return await app.passkeys(context).add(to: session, after: result, isUpgrade: false)
        }
    }

    struct Update: PromptingCommand {
        static let configuration = CommandConfiguration(
            commandName: "update",
            abstract: "Change the password on the server, in the keychain, and in the shared passwords.",
            discussion: """
                Example: motivator device app update --app D3KQX62K1A.com.example.DemoApp --server example.com --yes

                Without --password-stdin, the device generates the new password.
                """)

        @OptionGroup var target: AppOptions

        @Flag(help: "Read the new password from standard input.")
        var passwordStdin = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let new = passwordStdin ? NewPassword(typed: try context.input()) : .generated
            return try await target.withCredential(in: context) { app, credential in
                DeviceResult(
                    await app.flows.update(account: credential.account, current: credential.password, new: new),
                    showsPassword: !passwordStdin)
            }
        }
    }

    struct SignOut: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out", abstract: "Sign out, clear the keychain, and keep the shared passwords.",
            discussion: """
                Example: motivator device app sign-out --app D3KQX62K1A.com.example.DemoApp --server example.com
                """)

        @OptionGroup var target: AppOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            try await target.withCredential(in: context) { app, credential in
                // Clear the keychain even if no session can be started.
                let over = APISession(account: credential.account, name: credential.account, token: "over")
                let session = (try? await app.flows.api.signIn(credential)) ?? over
                return DeviceResult(await app.flows.signOut(session))
            }
        }
    }

    struct DeleteAccount: PromptingCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete-account",
            abstract: "Delete the account on the server, in the keychain, and in the shared passwords.",
            discussion: """
                Example: motivator device app delete-account --app D3KQX62K1A.com.example.DemoApp \
                --server example.com --yes
                """)

        @OptionGroup var target: AppOptions
        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            try await target.withCredential(in: context) { app, credential in
                do throws(APIFailure) {
                    let session = try await app.flows.api.signIn(credential)
                    return DeviceResult(await app.flows.deleteAccount(session, password: credential.password))
                } catch {
                    return DeviceResult(.notLoggedIn([LogInAttempt(.keychain, .notAccepted(error))]))
                }
            }
        }
    }
}

extension NewPassword {
    /// Creates a typed password from standard input. Piped input needs no confirmation.
    fileprivate init(typed password: String) { self = .typed(password, confirmation: password) }
}

struct LaunchedApp {
    let flows: MotivatorApp
    let keychain: DeviceKeychain

    /// Returns the passkeys of the app, an alternative to the password, which every account keeps.
    func passkeys(_ context: DeviceContext) -> PasskeyCeremony {
        PasskeyCeremony(caller: .app(keychain.app), api: flows.api, context: context)
    }
}
