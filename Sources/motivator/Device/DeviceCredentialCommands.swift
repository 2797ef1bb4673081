import ArgumentParser
import AssociatedDomains
import HTTPSClient
import Platform
import SharedWebCredentials
import UltraMotivatorClient

extension DeviceTools {
    struct Save: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "save",
            abstract: "Save, change or delete a shared password, as an app does or as the browser does.",
            discussion: """
                Example: motivator device save --app D3KQX62K1A.com.example.DemoApp --domain example.com --account ray \
                --password-stdin < password

                With --app this is SecAddSharedWebCredential, and no error is no proof that the password was saved. \
                Without --app the browser saves what was typed into a form of the site.
                """)

        @Option(help: ArgumentHelp("App that calls; without it, the browser.", valueName: "id"))
        var app: String?

        @Option(help: ArgumentHelp("Domain, with a port where the site has one.", valueName: "name"))
        var domain: String

        @Option(help: ArgumentHelp("User name.", valueName: "name"))
        var account: String

        @Flag(help: "Read the password from standard input.")
        var passwordStdin = false

        @Flag(help: "Delete the password: the app passes none.")
        var delete = false

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        var policy: PromptPolicy? { prompts.policy }

        func validate() throws {
            guard passwordStdin != delete else {
                throw ValidationError("Give either --password-stdin or --delete.")
            }
        }

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let password = delete ? nil : try context.input()
            guard password != "" else {
                throw UsageError("there is no password on standard input", remedy: "Write one to it, or give --delete")
            }
            guard let app else { return try await saveInBrowser(context.device, password) }
            let identifier = try UsageError.of("--app") { try AppIdentifier(app) }
            let error = await context.device.credentials(of: identifier).add(
                domain: domain, account: account, password: password)
            if let error { return .refused(error) }
            return DeviceAnswer(
                lines: ["No error, which is no proof that anything was saved."], json: ["error": .null])
        }

        private func saveInBrowser(_ device: SimulatedDevice, _ password: String?) async throws -> DeviceAnswer {
            guard let password else {
                throw UsageError("the browser deletes no password here", remedy: "Give the app with --app")
            }
            let site = try UsageError.of("--domain") { try ServerAddress(domain) }
            let url = try WebURL("https://\(site)/")
            let isSaved = await device.saveInBrowser(url, account: account, password: password)
            return DeviceAnswer(
                lines: [isSaved ? "Saved." : "Not saved."], json: ["saved": .truth(isSaved)],
                exitCode: isSaved ? .yes : .no)
        }
    }

    struct Request: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "request",
            abstract: "Ask for a shared password, as an app does; somebody picks one of the accounts.",
            discussion: """
                Example: motivator device request --app D3KQX62K1A.com.example.DemoApp --domain example.com --yes

                This is SecRequestSharedWebCredential. Cancelled, it gives an empty list and exits with 1. The password \
                itself is printed with --json only.
                """)

        @Option(help: ArgumentHelp("App that calls.", valueName: "id"))
        var app: String

        @Option(help: ArgumentHelp("Domain; without it, those of the entitlement.", valueName: "name"))
        var domain: String?

        @Option(help: ArgumentHelp("User name; without it, any.", valueName: "name"))
        var account: String?

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        var policy: PromptPolicy? { prompts.policy }

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let identifier = try UsageError.of("--app") { try AppIdentifier(app) }
            switch await context.device.credentials(of: identifier).request(domain: domain, account: account) {
            case .failure(let error): return .refused(error)
            case .success(let found):
                return DeviceAnswer(
                    lines: found.isEmpty ? ["Cancelled."] : found.map(\.description),
                    json: ["error": .null, "credentials": .list(found.map(\.json))],
                    exitCode: found.isEmpty ? .no : .yes)
            }
        }
    }

    struct Passwords: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "passwords",
            abstract: "List the accounts whose passwords are saved; the passwords themselves with --json only.",
            discussion: "Example: motivator device passwords --json")

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let saved = await context.device.passwords()
            return DeviceAnswer(
                lines: saved.isEmpty ? ["No password is saved."] : saved.map(\.description),
                json: ["credentials": .list(saved.map(\.json))])
        }
    }
}

extension DeviceAnswer {
    /// One of Apple's functions said no.
    static func refused(_ error: SharedCredentialError) -> DeviceAnswer {
        DeviceAnswer(
            lines: ["\(error.description)"],
            json: [
                "error": [
                    "code": .number(Int(error.code)), "name": .text(error.name), "message": .text(error.message),
                    "remedy": .text(error.remedy),
                ]
            ], exitCode: error.exitCode, status: error.code)
    }
}
