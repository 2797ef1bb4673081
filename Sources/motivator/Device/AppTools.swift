import ArgumentParser
import AssociatedDomains
import Platform
import SharedWebCredentials
import UltraMotivatorClient

extension DeviceTools {
    /// `motivator device app`: the tutorial's app on the device, without its screens.
    struct AppTools: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "app",
            abstract: "Use the tutorial's app on the device: log in, sign up, change the password, leave.",
            discussion: """
                Example: motivator device app log-in --app D3KQX62K1A.com.example.DemoApp --server example.com

                Each command launches the app. All but sign-up log in first: with the app's keychain, else with a \
                shared password, else with what is typed.
                """,
            subcommands: [LogIn.self, SignUp.self, Update.self, SignOut.self, DeleteAccount.self])
    }
}

/// Which app, and which server it talks to.
struct AppOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The app, which has to be installed.", valueName: "id"))
    var app: String

    @Option(help: ArgumentHelp("The server of its API, such as example.com or example.com:8443.", valueName: "server"))
    var server: String

    @Option(help: ArgumentHelp("Domain of its shared passwords; without it, the server's.", valueName: "name"))
    var domain: String?

    /// The app as it is launched.
    ///
    /// - Parameter typed: what the person types when nothing else is left.
    func launched(in context: DeviceContext, typed: Credential? = nil) async throws -> LaunchedApp {
        let identifier = try UsageError.of("--app") { try AppIdentifier(app) }
        let address = try UsageError.of("--server") { try ServerAddress(server) }
        let device = context.device
        guard await device.state.apps.contains(where: { $0.identifier == identifier }) else {
            throw DeviceError.notInstalled(identifier)
        }
        let ahead = await device.state.ahead
        let api = APIClient(
            server: address, trust: try context.sites.anchors(), options: try context.sites.fetcherOptions(),
            clock: Clock { Clock.system.now() + ahead })
        let keychain = DeviceKeychain(device: device, app: identifier)
        return LaunchedApp(
            flows: MotivatorApp(
                domain: domain ?? address.description, api: api, keychain: keychain,
                shared: device.credentials(of: identifier), person: Typist(credential: typed)),
            keychain: keychain)
    }
}

/// What the person types; nothing stands for declining.
private struct Typist: UltraMotivatorClient.Person {
    let credential: Credential?
    func credential(after attempts: [LogInAttempt]) async -> Credential? { credential }
}

/// The keychain of one app, kept by the device.
struct DeviceKeychain: Keychain {
    let device: SimulatedDevice
    let app: AppIdentifier

    func credential(for domain: String) async throws(KeychainFailure) -> Credential? {
        await device.keychainItem(of: app, for: domain).map { Credential(account: $0.account, password: $0.password) }
    }

    func save(_ credential: Credential, for domain: String) async throws(KeychainFailure) {
        await device.keep(
            KeychainItem(app: app, domain: domain, account: credential.account, password: credential.password))
    }

    func remove(_ account: String, for domain: String) async throws(KeychainFailure) {
        await device.forget(account, of: app, for: domain)
    }
}

/// A command of the app.
protocol AppCommand: DeviceCommand {
    var prompts: PromptOptions { get }
}

extension AppCommand {
    var policy: PromptPolicy? { prompts.policy }
}

extension DeviceTools.AppTools {
    struct LogIn: AppCommand {
        static let configuration = CommandConfiguration(
            commandName: "log-in",
            abstract: "Launch the app and log in: keychain, then shared passwords, then what is typed.",
            discussion: """
                Example: motivator device app log-in --app D3KQX62K1A.com.example.DemoApp --server example.com --yes
                """)

        @OptionGroup var target: AppOptions

        @Option(help: ArgumentHelp("User name to type when nothing else is left.", valueName: "name"))
        var account: String?

        @Flag(help: "Read the password to type from standard input.")
        var passwordStdin = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func validate() throws {
            guard (account != nil) == passwordStdin else {
                throw ValidationError("--account and --password-stdin go together.")
            }
        }

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let typed = try account.map { Credential(account: $0, password: try context.input()) }
            return DeviceAnswer(try await target.launched(in: context, typed: typed).flows.launchAndLogIn())
        }
    }

    struct SignUp: AppCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-up", abstract: "Make an account in the app, and save its password to both stores.",
            discussion: """
                Example: motivator device app sign-up --app D3KQX62K1A.com.example.DemoApp --server example.com \
                --account antoine --yes

                Without --password-stdin the device generates the password.
                """)

        @OptionGroup var target: AppOptions

        @Option(help: ArgumentHelp("User name.", valueName: "name"))
        var account: String

        @Flag(help: "Read the password from standard input.")
        var passwordStdin = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let password = passwordStdin ? NewPassword(typed: try context.input()) : .generated
            return DeviceAnswer(
                try await target.launched(in: context).flows.signUp(account: account, password: password),
                tells: !passwordStdin)
        }
    }

    struct Update: AppCommand {
        static let configuration = CommandConfiguration(
            abstract: "Log in, and change the password: at the server, in the keychain, among the shared ones.",
            discussion: """
                Example: motivator device app update --app D3KQX62K1A.com.example.DemoApp --server example.com --yes

                Without --password-stdin the device generates the new password.
                """)

        @OptionGroup var target: AppOptions

        @Flag(help: "Read the new password from standard input.")
        var passwordStdin = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let app = try await target.launched(in: context)
            let new = passwordStdin ? NewPassword(typed: try context.input()) : .generated
            return try await app.loggedIn { _, credential in
                DeviceAnswer(
                    await app.flows.update(account: credential.account, current: credential.password, new: new),
                    tells: !passwordStdin)
            }
        }
    }

    struct SignOut: AppCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out", abstract: "Log in, and sign out: the keychain forgets, the shared passwords stay.",
            discussion: """
                Example: motivator device app sign-out --app D3KQX62K1A.com.example.DemoApp --server example.com
                """)

        @OptionGroup var target: AppOptions
        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let app = try await target.launched(in: context)
            return try await app.loggedIn { session, _ in DeviceAnswer(await app.flows.signOut(session)) }
        }
    }

    struct DeleteAccount: AppCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete-account",
            abstract: "Log in, and delete the account, at the server and in both stores.",
            discussion: """
                Example: motivator device app delete-account --app D3KQX62K1A.com.example.DemoApp \
                --server example.com --yes
                """)

        @OptionGroup var target: AppOptions
        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let app = try await target.launched(in: context)
            return try await app.loggedIn { session, credential in
                DeviceAnswer(await app.flows.deleteAccount(session, password: credential.password))
            }
        }
    }
}

extension NewPassword {
    /// Typed once is typed twice here: nobody misreads a pipe.
    fileprivate init(typed password: String) { self = .typed(password, confirmation: password) }
}

/// The app, once it is launched.
struct LaunchedApp {
    let flows: MotivatorApp
    let keychain: DeviceKeychain

    /// Logs in, and goes on with what the keychain then has.
    func loggedIn(_ body: (Session, Credential) async throws -> DeviceAnswer) async throws -> DeviceAnswer {
        let outcome = await flows.launchAndLogIn()
        guard case .loggedIn(let session, _, _, _) = outcome,
            let credential = try await keychain.credential(for: flows.domain)
        else { return DeviceAnswer(outcome) }
        return try await body(session, credential)
    }
}
