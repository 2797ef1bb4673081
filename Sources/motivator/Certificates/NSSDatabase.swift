import Foundation
import MotivatorPlatform

/// The NSS certificate database of Chromium or of a Firefox profile.
struct NSSDatabase: RootStore {
    let tool: SystemTool
    let location: String

    static let toolName = "certutil"
    static let chromium = ".pki/nssdb"
    /// The paths of Firefox profile folders in the home folder, for Debian, Snap, Flatpak and macOS.
    static let firefox = [
        ".mozilla/firefox", ".config/mozilla/firefox", "snap/firefox/common/.mozilla/firefox",
        ".var/app/org.mozilla.firefox/.mozilla/firefox", "Library/Application Support/Firefox/Profiles",
    ]

    static func find() throws(SystemTool.Failure) -> [NSSDatabase] {
        guard let home = Environment["HOME"], home.hasPrefix("/") else {
            throw .missing("HOME is not set", "Set HOME to your home folder")
        }
        let folders = databases(in: home)
        guard !folders.isEmpty else {
            let database = "\(home)/\(chromium)".shellQuoted
            throw .missing(
                "no Chromium or Firefox database in \(home.quoted)",
                Fix(
                    "Start the browser once, or create Chromium's database with",
                    line: "mkdir -p \(database) && certutil -N --empty-password -d sql:\(database)"))
        }
        let names = folders.map(\.quoted).joined(separator: ", ")
        let tool = try SystemTool.find(
            toolName, missing: "the tool certutil, which changes \(names), is missing",
            Fix(
                "Install nss-tools on Fedora, or nss with Homebrew. On Debian, run",
                line: "sudo apt-get install libnss3-tools"))
        return folders.map { NSSDatabase(tool: tool, location: $0) }
    }

    static func databases(in home: String) -> [String] {
        let snap = "snap/chromium/current/" + chromium
        let profiles = firefox.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(home)/\(folder)")) ?? []
            return names.sorted().map { "\(folder)/\($0)" }
        }
        return ([chromium, snap] + profiles).map { "\(home)/\($0)" }.filter {
            unsafe access($0 + "/cert9.db", F_OK) == 0
        }
    }

    /// Returns the arguments for `certutil` that trust a root for TLS servers.
    static func addition(_ root: TrustedRoot) -> [String] { ["-A", "-t", "C,,", "-n", root.name, "-i", root.path] }

    func state(of root: TrustedRoot) throws -> RootState {
        let names = try names()
        if names.contains(where: { $0.name == root.name }), try trusts(root, name: root.name) { return .installed }
        let others = names.filter { $0.name != root.name && $0.trust.prefix { $0 != "," }.contains("C") }
        return try others.contains { try trusts(root, name: $0.name) } ? .foreign : .absent
    }

    func add(_ root: TrustedRoot) throws {
        let wasPresent = try names().contains { $0.name == root.name }
        do { try certutil(NSSDatabase.addition(root)) } catch {
            // certutil can add the certificate and then fail to trust it, for example if the database has a password.
            if !wasPresent { try? remove(root) }
            throw error
        }
    }

    func remove(_ root: TrustedRoot) throws { try certutil(["-D", "-n", root.name]) }

    @discardableResult
    private func certutil(_ arguments: [String]) throws -> String {
        try tool.succeed(
            ["-d", "sql:\(location)"] + arguments,
            fix: Fix(
                "Close the browser that uses the database. If the database has a password, run the command from",
                line: "motivator certificate trust --print"))
    }

    /// Returns the nickname and the trust flags of each certificate.
    private func names() throws -> [(name: String, trust: String)] {
        try certutil(["-L"]).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count > 1, let trust = words.last, trust.count(where: { $0 == "," }) == 2,
                trust.allSatisfy({ $0 == "," || ($0.isASCII && $0.isLetter) })
            else { return nil }
            let name = line[..<trust.startIndex]
            return (name.trimming { $0 == " " }, String(trust))
        }
    }

    /// Returns whether the database trusts the root for TLS servers.
    /// - Parameter name: the root's nickname. certutil prints every certificate with the same subject.
    private func trusts(_ root: TrustedRoot, name: String) throws -> Bool {
        let text = try certutil(["-L", "-n", name])
        guard let digest = text.range(of: root.digest) else { return false }
        let rest = text[digest.upperBound...]
        guard let start = rest.range(of: "SSL Flags:"),
            let end = rest.range(of: "Email Flags:", range: start.upperBound..<rest.endIndex)
        else { return false }
        return rest[start.upperBound..<end.lowerBound].contains("Trusted CA")
    }
}
