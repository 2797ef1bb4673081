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

                Who has logged in or signed up stays logged in: the app's keychain has the password, and the other \
                commands use it.
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
        let keychain = DeviceKeychain(device: device, app: identifier, keep: context.save)
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
    /// What the server has agreed to is kept before the person is asked anything.
    let keep: DeviceSession.Save

    func credential(for domain: String) async throws(KeychainFailure) -> Credential? {
        await device.keychainItem(of: app, for: domain).map { Credential(account: $0.account, password: $0.password) }
    }

    func save(_ credential: Credential, for domain: String) async throws(KeychainFailure) {
        await device.keep(
            KeychainItem(app: app, domain: domain, account: credential.account, password: credential.password))
        try await keepNow()
    }

    func remove(_ account: String, for domain: String) async throws(KeychainFailure) {
        await device.forget(account, of: app, for: domain)
        try await keepNow()
    }

    private func keepNow() async throws(KeychainFailure) {
        do { try await keep() } catch { throw KeychainFailure(status: -36, reason: "errSecIO: \(error)") }
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
            commandName: "update",
            abstract: "Change the password: at the server, in the keychain, among the shared ones.",
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
            return try await app.withCredential { credential in
                DeviceAnswer(
                    await app.flows.update(account: credential.account, current: credential.password, new: new),
                    tells: !passwordStdin)
            }
        }
    }

    struct SignOut: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out", abstract: "Sign out: the keychain forgets, the shared passwords stay.",
            discussion: """
                Example: motivator device app sign-out --app D3KQX62K1A.com.example.DemoApp --server example.com
                """)

        @OptionGroup var target: AppOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let app = try await target.launched(in: context)
            return try await app.withCredential { credential in
                // Where no session begins any more, there is still something to forget.
                let over = Session(account: credential.account, name: credential.account, token: "over")
                let session = (try? await app.flows.api.signIn(credential)) ?? over
                return DeviceAnswer(await app.flows.signOut(session))
            }
        }
    }

    struct DeleteAccount: AppCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete-account",
            abstract: "Delete the account, at the server and in both stores.",
            discussion: """
                Example: motivator device app delete-account --app D3KQX62K1A.com.example.DemoApp \
                --server example.com --yes
                """)

        @OptionGroup var target: AppOptions
        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let app = try await target.launched(in: context)
            return try await app.withCredential { credential in
                do throws(APIFailure) {
                    let session = try await app.flows.api.signIn(credential)
                    return DeviceAnswer(await app.flows.deleteAccount(session, password: credential.password))
                } catch {
                    return DeviceAnswer(LogInOutcome.notLoggedIn([LogInAttempt(.keychain, .notAccepted(error))]))
                }
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

    /// Goes on with what the keychain has from logging in or signing up.
    func withCredential(_ body: (Credential) async throws -> DeviceAnswer) async throws -> DeviceAnswer {
        if let mismatch = flows.mismatch { return DeviceAnswer(LogInOutcome.domainMismatch(mismatch)) }
        guard let credential = try await keychain.credential(for: flows.domain) else {
            return DeviceAnswer(LogInOutcome.notLoggedIn([LogInAttempt(.keychain, .nothingThere)]))
        }
        return try await body(credential)
    }
}
