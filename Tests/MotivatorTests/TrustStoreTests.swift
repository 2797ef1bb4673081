import Certificates
import MotivatorPlatform
import TestSupport
import Testing

@testable import motivator

@Suite("The files and the tools of trust stores") struct TrustStoreTests {
    private let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory() }

    private func root(folder: String) throws -> TrustedRoot {
        let key = try PrivateKey.generate(.p256)
        let draft = CertificateDraft(
            organization: nil, commonName: "Root", notBefore: 0, notAfter: 1_000,
            extensions: [.init("basicConstraints", "CA:TRUE", isCritical: true)])
        return TrustedRoot(try draft.signed(for: key, issuer: nil, issuerKey: key), folder: folder)
    }

    @Test("The databases of browsers are those of Chromium, and each Firefox profile with a database")
    func databases() throws {
        let present = [
            ".mozilla/firefox/b.default", ".mozilla/firefox/a.work", "snap/chromium/current/.pki/nssdb", ".pki/nssdb",
            "snap/firefox/common/.mozilla/firefox/c.default",
        ]
        for folder in present { try scratch.write("", to: "\(folder)/cert9.db") }
        // A profile without a database, a database in the old format, and a folder outside of the known ones.
        try scratch.write("", to: ".mozilla/firefox/d.new/prefs.js")
        try scratch.write("", to: ".mozilla/firefox/e.old/cert8.db")
        try scratch.write("", to: ".mozilla/thunderbird/f.default/cert9.db")
        try scratch.write("", to: ".mozilla/firefox/profiles.ini")
        let found = [
            ".pki/nssdb", "snap/chromium/current/.pki/nssdb", ".mozilla/firefox/a.work", ".mozilla/firefox/b.default",
            "snap/firefox/common/.mozilla/firefox/c.default",
        ]
        #expect(NSSDatabase.databases(in: scratch.path) == found.map(scratch.file))
        #expect(NSSDatabase.databases(in: scratch.file("missing")) == [])
    }

    @Test("A tool is found first in the given folders, and only if it is executable")
    func tools() throws {
        let (one, two) = (scratch.file("one"), scratch.file("two"))
        try scratch.write("", to: "one/sh", mode: 0o644)
        try scratch.write("", to: "two/sh", mode: 0o755)
        #expect(SystemTool.find("sh", in: [two])?.path == "\(two)/sh")
        #expect(SystemTool.find("sh", in: [one, two])?.path == "\(two)/sh")
        #expect(SystemTool.find("sh", in: [one])?.path.hasPrefix(scratch.path) == false)
        #expect(throws: SystemTool.Failure.self) {
            try SystemTool.find("no-such-program", in: [two], missing: "it is missing", "Install it")
        }
    }

    @Test("The key store of Java is in the runtime that the link to keytool leads to")
    func javaKeyStore() throws {
        try scratch.write("", to: "jdk/bin/keytool", mode: 0o755)
        try scratch.link("keytool", to: scratch.file("jdk/bin/keytool"))
        for path in ["jdk/bin/keytool", "keytool"] {
            let store = JavaKeyStore(tool: SystemTool(path: scratch.file(path)))
            #expect(store.location == scratch.file("jdk/lib/security/cacerts"), "\(path)")
        }
    }

    @Test("Each store's tool gets the name and the file of the root, and trusts it for TLS servers only")
    func additions() throws {
        let root = try root(folder: scratch.file("my certs"))
        let path = scratch.file("my certs/authority.pem")
        #expect(root.folder == scratch.file("my certs") && root.path == path)
        #expect(NSSDatabase.addition(root) == ["-A", "-t", "C,,", "-n", root.name, "-i", path])
        #expect(
            JavaKeyStore.addition(root) == [
                "-importcert", "-noprompt", "-cacerts", "-storepass", "changeit", "-alias", root.name, "-file", path,
            ])
        #expect(
            MacKeychain.addition(root, keychain: "k") == [
                "add-trusted-cert", "-r", "trustRoot", "-p", "ssl", "-k", "k", path,
            ])
        #expect(SimulatorKeychain.addition(root) == ["simctl", "keychain", "booted", "add-root-cert", path])
        #expect(DebianStore.file(of: root) == "/usr/local/share/ca-certificates/\(root.name).crt")
    }

    @Test("The printed commands have the file of the root, in quotes, and the folder of the CA")
    func commands() throws {
        let root = try root(folder: scratch.file("my certs"))
        let file = "'\(scratch.file("my certs/authority.pem"))'"
        let lines = root.commands.split(separator: "\n").map(String.init)
        for line in [
            "security add-trusted-cert -r trustRoot -p ssl -k ~/Library/Keychains/login.keychain-db \(file)",
            "xcrun simctl keychain booted add-root-cert \(file)",
            "motivator certificate profile --certificates '\(scratch.file("my certs"))' --output "
                + "ultra-motivator.mobileconfig",
            "sudo cp \(file) /usr/local/share/ca-certificates/\(root.name).crt", "sudo update-ca-certificates",
            "sudo cp \(file) /etc/pki/ca-trust/source/anchors/\(root.name).pem",
            "certutil -d sql:\"$HOME\"/.pki/nssdb -A -t 'C,,' -n \(root.name) -i \(file)",
            "export NODE_EXTRA_CA_CERTS=\(file)",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test("A failure of a store has the level, the location, the reason and the command to run")
    func rows() throws {
        let failure = SystemTool.Failure("it is locked", fix: Fix("Run", line: "unlock"))
        let failed = TrustChange.Result(kind: .java, location: "/cacerts", status: .failed, failure: failure)
        #expect(failed.row.level == .bad && failed.row.status == "failed" && failed.row.subject == "java")
        #expect(failed.row.message == "/cacerts: it is locked." && failed.row.fix == Fix("Run", line: "unlock"))
        let missing = TrustChange.Result(kind: .nss, status: .unavailable, failure: failure)
        #expect(missing.row.level == .neutral && missing.row.message == "it is locked.")
        let done = TrustChange.Result(kind: .system, location: "/certs", status: .alreadyInstalled)
        #expect(done.row.level == .good && done.row.status == "already installed" && done.row.message == "/certs")
        #expect(done.row.fix == "")
    }
}
