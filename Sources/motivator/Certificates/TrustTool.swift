import ArgumentParser
import Certificates
import MotivatorPlatform

extension CertificateTools {
    struct Trust: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trust",
            abstract: "Trust the root of the development CA on this machine, or show how to trust it.",
            discussion: """
                Example: motivator certificate trust --print
                Example: motivator certificate trust --install --store nss

                Without an option, the command prints the commands for each system and program. It changes a trust \
                store only with --install or --remove. The result for each store is: installed, already installed, \
                removed, not installed, unavailable (with what to install), or failed (with the reason).

                The stores are: system (Debian's, or the login keychain of a Mac), nss (the databases of Chromium and \
                Firefox), java and simulator.

                --remove removes only the root that --install added, and only the current root of the CA. Remove the \
                root before you renew the CA.
                """)

        @Flag(name: .customLong("print"), help: "Print the commands without running them (default).")
        var isPrinting = false

        @Flag(help: "Add the root to the trust stores.")
        var install = false

        @Flag(help: "Remove the root from the trust stores.")
        var remove = false

        @Option(
            "Trust store: system, nss, java or simulator (repeatable; default: all on this machine).", value: "store")
        var store: [RootStoreKind] = []

        @Option("Folder of the CA.", value: "folder")
        var certificates = DataFolder.path("certs")

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            try require(
                [isPrinting, install, remove].count(where: { $0 }) <= 1,
                "--print, --install and --remove cannot be combined. Use one of them.")
            try require(
                store.isEmpty || install || remove, "--store has no effect with --print. Add --install or --remove.")
        }

        func run() throws {
            guard install || remove else {
                let root = TrustedRoot(try Authority.root(in: certificates), folder: certificates)
                return try Output.result(json: json, root.commandsJSON, text: root.commands)
            }
            // An expired root can still be removed.
            let root =
                try install
                ? Authority.root(toTrustIn: certificates, at: Clock.system.now()) : Authority.root(in: certificates)
            let change = TrustChange(
                action: install ? .install : .remove, root: TrustedRoot(root, folder: certificates))
            let kinds = store.isEmpty ? RootStoreKind.usual : store
            let results = change.apply(to: kinds.distinct)
            let document: JSONNode = [
                "action": .text(change.action.rawValue), "root": change.root.json, "stores": .list(results.map(\.json)),
            ]
            let table = StatusTable(
                sections: [.init(rows: results.map(\.row))], isColored: Output.isColored, width: Output.width)
            try Output.result(json: json, document, text: table.text)
            if !json, results.contains(where: { $0.kind == .nss && [.installed, .removed].contains($0.status) }) {
                Output.sentence("Restart the browsers. They read their databases only at startup.")
            }
            try endCommand(with: TrustChange.exitCode(of: results, isRequested: !store.isEmpty))
        }
    }

    struct Profile: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "profile",
            abstract: "Write a configuration profile that installs the root on an iPhone, an iPad or a Mac.",
            discussion: """
                Example: motivator certificate profile --output ultra-motivator.mobileconfig

                The profile's identifiers are derived from the root. A new profile for the same root replaces the \
                installed profile. After you install the profile on iOS, turn on the root in Settings > General > \
                About > Certificate Trust Settings.
                """)

        @Option("File to write (default: standard output).", value: "file")
        var output: String?

        @Option("Folder of the CA.", value: "folder")
        var certificates = DataFolder.path("certs")

        func run() throws {
            let root = try Authority.root(toTrustIn: certificates, at: Clock.system.now())
            let profile = try MobileConfiguration(root: root).bytes()
            guard let output else { return try Output.result(profile) }
            try File.write(profile, to: output, mode: 0o644)
        }
    }
}

/// The commands that a user can run to trust a root on each system and in each program.
extension TrustedRoot {
    private static let template = String(decoding: PackageResources.trust_template, as: UTF8.self)

    private var values: [String: String] {
        func quoted(_ words: [String]) -> String { words.map(\.shellQuoted).joined(separator: " ") }
        let keychain = MacKeychain.addition(self, keychain: "KEYCHAIN").map { word in
            word == "KEYCHAIN" ? "~/Library/Keychains/login.keychain-db" : word.shellQuoted
        }
        return [
            "file": path.shellQuoted, "name": name, "folder": folder.shellQuoted,
            "keychain": keychain.joined(separator: " "), "simulator": quoted(SimulatorKeychain.addition(self)),
            "debianFile": DebianStore.file(of: self), "debianTool": DebianStore.toolName,
            "chromium": NSSDatabase.chromium, "nss": quoted(NSSDatabase.addition(self)),
            "java": quoted(JavaKeyStore.addition(self)),
        ]
    }

    /// A shell script, with titles and notes as comments.
    var commands: String { Self.template.filled(values) }

    var commandsJSON: JSONNode {
        let systems = Self.template.split(separator: "\n\n").map { section -> JSONNode in
            let lines = section.split(separator: "\n")
            let comments = lines.prefix { $0.hasPrefix("# ") }.map { String($0.dropFirst(2)) }
            let commands = lines.dropFirst(comments.count).map { String($0).filled(values) }
            return [
                "name": .text(comments.first ?? ""), "notes": .texts(comments.dropFirst()),
                "commands": .texts(commands),
            ]
        }
        return ["root": json, "systems": .list(systems)]
    }

    var json: JSONNode {
        ["path": .text(path), "subject": .text(certificate.subject), "sha256": .text(digest)]
    }
}
