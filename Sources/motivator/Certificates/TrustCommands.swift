import Certificates
import MotivatorPlatform

/// The commands that a user can run to trust a root on each system and in each program.
struct TrustCommands {
    /// The commands for one system or program.
    private struct Section {
        let title: String
        /// Sentences that explain the commands or manual steps.
        let notes: [String]
        let commands: [String]
    }

    let root: TrustedRoot

    private var values: [String: String] {
        func quoted(_ words: [String]) -> String { words.map(\.shellQuoted).joined(separator: " ") }
        let keychain = MacKeychain.addition(root, keychain: "KEYCHAIN").map { word in
            word == "KEYCHAIN" ? "~/Library/Keychains/login.keychain-db" : word.shellQuoted
        }
        return [
            "file": root.path.shellQuoted, "name": root.name,
            "folder": root.path.split(separator: "/").dropLast().map { "/" + $0 }.joined().shellQuoted,
            "keychain": keychain.joined(separator: " "), "simulator": quoted(SimulatorKeychain.addition(root)),
            "debianFile": DebianStore.file(of: root), "debianTool": DebianStore.toolName,
            "chromium": NSSDatabase.chromium, "nss": quoted(NSSDatabase.addition(root)),
            "java": quoted(JavaKeyStore.addition(root)),
        ]
    }

    private static let template = String(decoding: PackageResources.trust_template, as: UTF8.self)

    private var sections: [Section] {
        Self.template.split(separator: "\n\n").map { text in
            let lines = text.split(separator: "\n")
            let comments = lines.prefix { $0.hasPrefix("# ") }.map { String($0.dropFirst(2)) }
            return Section(
                title: comments.first ?? "", notes: Array(comments.dropFirst()),
                commands: lines.dropFirst(comments.count).map { String($0).filled(values) })
        }
    }

    /// The sections as a shell script, with titles and notes as comments.
    var text: String { Self.template.filled(values) }

    var json: JSONNode {
        [
            "root": root.json,
            "systems": .list(
                sections.map { section in
                    [
                        "name": .text(section.title), "notes": .texts(section.notes),
                        "commands": .texts(section.commands),
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
