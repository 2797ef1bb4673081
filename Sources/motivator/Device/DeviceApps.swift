import ArgumentParser
import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import SharedWebCredentials
import UniversalLinks

extension DeviceTools {
    struct Install: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "install", abstract: "Install an app with its entitlement, and check its sites.",
            discussion: """
                Example: motivator device install --app D3KQX62K1A.com.example.DemoApp --entitlement \
                webcredentials:example.com

                If the app is already installed, the command replaces the app and resets its records.
                """)

        @Option("Application identifier.", value: "id")
        var app: String?

        @Option("Entry of the app's entitlement (repeatable).", value: "entry")
        var entitlement: [String] = []

        @Option("The app's .entitlements property list, XML or binary.", value: "file")
        var entitlements: String?

        @Option(help: "Version of the app.")
        var version = "1.0"

        @Flag(help: "Install the app as an App Clip.")
        var appClip = false

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            var entries = entitlement
            var identifier = app
            if let entitlements {
                let bytes = try Input.read(entitlements, limit: Entitlements.maximumSize)
                let list = try ExplainedFailure.naming(Input.name(entitlements)) { try Entitlements(bytes) }
                entries += list.entries.map(\.text)
                identifier = identifier ?? list.applicationIdentifier
            }
            let text = try require(
                identifier, "the application identifier is missing",
                fix: "Pass --app, or the entitlements of a built app")
            let app = try parsing("--app") { try AppIdentifier(text) }
            let done = try await context.device.install(
                app: app, version: version, entries: entries, isAppClip: appClip)
            let approved = done.records.filter { $0.siteApproval == .approved }.count
            let verb = done.isReinstallation ? "Reinstalled" : "Installed"
            var lines = ["\(verb) \(app): its sites approve \(approved) of \(done.records.count) entries."]
            lines += done.dropped.map { "Devices silently ignore an entry: \($0.reason). \($0.fix)." }
            for record in done.records { lines += ["", record.text] }
            return DeviceResult(
                lines: lines,
                json: [
                    "app": .text("\(app)"), "reinstalled": .truth(done.isReinstallation),
                    "dropped": .list(
                        done.dropped.map {
                            ["entry": .text($0.text), "reason": .text($0.reason), "fix": .text($0.fix)]
                        }),
                    "associations": .list(done.records.map(\.json)),
                ])
        }
    }

    struct Uninstall: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "uninstall", abstract: "Remove an app and its records, but keep the saved passwords.",
            discussion: "Example: motivator device uninstall --app D3KQX62K1A.com.example.DemoApp")

        @Option("Application identifier.", value: "id")
        var app: String

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let identifier = try parsing("--app") { try AppIdentifier(app) }
            try await context.device.uninstall(identifier)
            return DeviceResult(lines: ["Removed \(identifier)."], json: ["removed": .text("\(identifier)")])
        }
    }

    struct Associations: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "associations", abstract: "Show each app's association records in the format of swcutil show.",
            discussion: "Example: motivator device associations --state device.json")

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let records = await context.device.state.records
            let rule = String(repeating: "-", count: 60)
            return DeviceResult(
                lines: records.isEmpty
                    ? ["No installed app has an associated domain."] : records.flatMap { [rule, $0.text] },
                json: ["associations": .list(records.map(\.json))])
        }
    }

    struct OpenURL: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "open-url", abstract: "Show whether a tapped link opens in an app or in the browser.",
            discussion: """
                Example: motivator device open-url https://example.com/shop/42

                The exit code is 0 if an app opens the link, and 1 if the browser opens it.
                """)

        /// The choice of a user who touches and holds a link.
        enum Choice: String, ExpressibleByArgument, CaseIterable { case app, browser }

        @Argument(help: "The URL of the tapped link.")
        var url: String

        @Option(help: "First, the user opens a link of this host in the app or browser. The device remembers this.")
        var choose: Choice?

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let opened: OpenedURL
            do throws(WebURL.Malformed) {
                let tapped = try WebURL.entered(url)
                if let choose { await context.device.chooseBrowser(choose == .browser, for: tapped) }
                opened = await context.device.openURL(tapped)
            } catch {
                opened = .browser([try require(LinkObstacle(error), "the URL: \(error.problem)", fix: error.fix)])
            }
            switch opened {
            case .app(let app, let match):
                let location = match.location.map { " (\($0) of the site's file)" } ?? ""
                return DeviceResult(
                    lines: ["\(app) opens \(url)\(location)."], json: ["opens": "app", "app": .text("\(app)")])
            case .appClip(let app):
                return DeviceResult(
                    lines: ["The App Clip \(app) opens \(url)."], json: ["opens": "app-clip", "app": .text("\(app)")])
            case .browser(let obstacles):
                return DeviceResult(
                    lines: ["The browser opens \(url)."] + obstacles.map { "  \($0.line.printable)" },
                    json: ["opens": "browser", "app": .null, "obstacles": .list(obstacles.map(\.json))], exitCode: .no)
            }
        }
    }
}
