import ArgumentParser
import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

extension DeviceTools {
    struct Save: PromptingCommand {
        static let configuration = CommandConfiguration(
            commandName: "save", abstract: "Save, change or delete a shared password as an app or the browser does.",
            discussion: """
                Example: motivator device save --app D3KQX62K1A.com.example.DemoApp --domain example.com --account ray \
                --password-stdin < password

                With --app, the command simulates SecAddSharedWebCredential. iOS accepts the request and does not \
                report whether the password was saved. With --data-manager, it simulates the replacement of this \
                function in iOS 26.2. Without --app, the browser saves a password from the site's form.
                """)

        @Option("Calling app (default: the browser).", value: "id")
        var app: String?

        @Option("Domain, with a port if it is not 443.", value: "name")
        var domain: String

        @Option("User name.", value: "name")
        var account: String

        @Flag(help: "Read the password from standard input.")
        var passwordStdin = false

        @Flag(help: "Delete the password.")
        var delete = false

        @Flag(help: "Use ASCredentialDataManager (iOS 26.2), which reports whether the password was saved.")
        var dataManager = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func validate() throws {
            try require(passwordStdin != delete, "Use either --password-stdin or --delete.")
            try require(
                !dataManager || (app != nil && !delete),
                "--data-manager requires --app, and cannot be combined with --delete: "
                    + "ASCredentialDataManager cannot delete a password.")
        }

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let password = delete ? nil : try context.input()
            try require(
                password != "", "standard input contains no password",
                fix: "Pipe a password into the command, or use --delete")
            guard let app else { return try await saveInBrowser(context.device, password) }
            let identifier = try parsing("--app") { try AppIdentifier(app) }
            if dataManager, let password { return try await save(password, identifier, context.device) }
            let error = await context.device.credentials(of: identifier).add(
                domain: domain, account: account, password: password)
            if let error { return .refused(error) }
            return DeviceResult(
                lines: [
                    "iOS accepted the request. It does not report whether the password was "
                        + "\(delete ? "deleted" : "saved")."
                ], json: ["error": .null])
        }

        private func save(
            _ password: String, _ app: AppIdentifier, _ device: SimulatedDevice
        ) async throws -> DeviceResult {
            let system = await device.state.system
            try require(
                system == .current, "--data-manager requires iOS 26.2, and the device runs \(system.rawValue)",
                fix: "Omit --data-manager, or use a device with the system current")
            let error = await device.saveWithDataManager(app, domain: domain, account: account, password: password)
            if let error { return .refused(error) }
            return DeviceResult(lines: ["Saved."], json: ["error": .null, "saved": true])
        }

        private func saveInBrowser(_ device: SimulatedDevice, _ password: String?) async throws -> DeviceResult {
            let password = try require(password, "the browser cannot delete a password", fix: "Pass the app with --app")
            let site = try parsing("--domain") { try ServerAddress(domain) }
            let url = try WebURL("https://\(site)/")
            let isSaved = await device.saveInBrowser(url, account: account, password: password)
            return DeviceResult(
                lines: [isSaved ? "Saved." : "Not saved."], json: ["saved": .truth(isSaved)],
                exitCode: isSaved ? .yes : .no)
        }
    }

    struct Request: PromptingCommand {
        static let configuration = CommandConfiguration(
            commandName: "request", abstract: "Request a shared password as an app does. The user picks an account.",
            discussion: """
                Example: motivator device request --app D3KQX62K1A.com.example.DemoApp --domain example.com --yes

                The command simulates SecRequestSharedWebCredential. If the user cancels, the list is empty and the \
                error is -25300. Only --json prints the password.
                """)

        @Option("Calling app.", value: "id")
        var app: String

        @Option("Domain (default: the domains of the entitlement).", value: "name")
        var domain: String?

        @Option("User name (default: any).", value: "name")
        var account: String?

        @Flag(
            help: """
                Without --domain, search every domain of the entitlement, as Apple documents. Since iOS 14, devices \
                search only the first domain. Earlier systems always search all domains.
                """)
        var allDomains = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let identifier = try parsing("--app") { try AppIdentifier(app) }
            let functions = context.device.credentials(of: identifier, searchesAllDomains: allDomains)
            switch await functions.request(domain: domain, account: account) {
            case .failure(let error): return .refused(error, credentials: [])
            case .success(let found):
                return DeviceResult(
                    lines: found.map(\.description), json: ["error": .null, "credentials": .list(found.map(\.json))])
            }
        }
    }

    struct Passwords: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "passwords",
            abstract: "List the accounts with saved passwords. Only --json prints the passwords.",
            discussion: "Example: motivator device passwords --json")

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let saved = await context.device.state.credentials
            return DeviceResult(
                lines: saved.isEmpty ? ["No password is saved."] : saved.map(\.description),
                json: ["credentials": .list(saved.map(\.json))])
        }
    }
}

/// An error with Apple's code and name.
private protocol AppleError: ExplainedError {
    var code: Int32 { get }
    var name: String { get }
    var message: String { get }
}

extension SharedCredentialError: AppleError {}
extension DataManagerError: AppleError {}

extension DeviceResult {
    fileprivate static func refused(_ error: some AppleError, credentials: JSONNode? = nil) -> DeviceResult {
        let document: JSONNode = [
            "code": .number(Int(error.code)), "name": .text(error.name), "message": .text(error.message),
            "fix": .text(error.fix),
        ]
        let hosts = (error as? SharedCredentialError)?.relatedHosts ?? []
        let json: JSONNode = ["error": document.adding("related_hosts", hosts.isEmpty ? nil : .texts(hosts))]
        return DeviceResult(
            lines: [error.description], json: json.adding("credentials", credentials), exitCode: error.exitCode,
            status: error.code)
    }
}
