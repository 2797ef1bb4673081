import Certificates
import MotivatorPlatform

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
