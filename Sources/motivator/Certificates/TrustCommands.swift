import Certificates
import MotivatorPlatform

/// The commands that a user can run to trust a root on each system and in each program.
struct TrustCommands {
    /// The commands for one system or program.
    struct Section {
        let title: String
        /// Sentences that explain the commands or manual steps.
        var notes: [String] = []
        var commands: [String] = []
    }

    let root: TrustedRoot

    private var file: String { root.path.shellQuoted }

    var sections: [Section] {
        let keychain = MacKeychain.addition(root, keychain: "KEYCHAIN").map { word in
            word == "KEYCHAIN" ? "~/Library/Keychains/login.keychain-db" : word.shellQuoted
        }
        let nss = NSSDatabase.addition(root).map(\.shellQuoted).joined(separator: " ")
        let profiles = "\"$HOME\"/.mozilla/firefox/*/cert9.db"
        return [
            Section(title: "macOS", commands: ["security " + keychain.joined(separator: " ")]),
            Section(
                title: "iOS Simulator",
                commands: ["xcrun " + SimulatorKeychain.addition(root).map(\.shellQuoted).joined(separator: " ")]),
            Section(
                title: "iPhone and iPad",
                notes: [
                    "Send the profile to the device, for example with AirDrop, and install it in Settings.",
                    "Then turn on the root in Settings > General > About > Certificate Trust Settings.",
                ],
                commands: [
                    "motivator certificate profile --certificates \(folder) --output ultra-motivator.mobileconfig"
                ]),
            Section(
                title: "Debian and Ubuntu",
                commands: [
                    "sudo cp \(file) \(DebianStore.file(of: root))", "sudo \(DebianStore.toolName)",
                ]),
            Section(
                title: "Fedora",
                commands: [
                    "sudo cp \(file) /etc/pki/ca-trust/source/anchors/\(root.name).pem", "sudo update-ca-trust",
                ]),
            Section(
                title: "Chromium and Chrome on Linux", notes: ["Then restart the browser."],
                commands: ["\(NSSDatabase.toolName) -d sql:\"$HOME\"/\(NSSDatabase.chromium) \(nss)"]),
            Section(
                title: "Firefox on Linux", notes: ["Then restart the browser."],
                commands: [
                    "for database in \(profiles); do "
                        + "\(NSSDatabase.toolName) -d sql:\"${database%/cert9.db}\" \(nss); done"
                ]),
            Section(
                title: "Java",
                commands: [
                    "sudo \(JavaKeyStore.toolName) "
                        + JavaKeyStore.addition(root).map(\.shellQuoted).joined(separator: " ")
                ]),
            Section(
                title: "Node.js", notes: ["Node.js adds this root to its own roots."],
                commands: ["export NODE_EXTRA_CA_CERTS=\(file)"]),
            Section(
                title: "Python",
                notes: ["The ssl module uses this file instead of the system bundle. Requests trusts only this root."],
                commands: ["export SSL_CERT_FILE=\(file)", "export REQUESTS_CA_BUNDLE=\(file)"]),
            Section(
                title: "Go on Linux", notes: ["Go uses this file instead of the system bundle."],
                commands: ["export SSL_CERT_FILE=\(file)"]),
        ]
    }

    private var folder: String {
        root.path.split(separator: "/").dropLast().map { "/" + $0 }.joined().shellQuoted
    }

    /// The sections as a shell script, with titles and notes as comments.
    var text: String {
        sections.map { section in
            (["# " + section.title] + section.notes.map { "# " + $0 } + section.commands).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    var json: JSONNode {
        [
            "root": root.json,
            "systems": .list(
                sections.map { section in
                    [
                        "name": .text(section.title), "notes": .list(section.notes.map { .text($0) }),
                        "commands": .list(section.commands.map { .text($0) }),
                    ]
                }),
        ]
    }
}

extension TrustedRoot {
    var json: JSONNode {
        ["path": .text(path), "subject": .text(certificate.subject), "sha256": .text(digest)]
    }
}
