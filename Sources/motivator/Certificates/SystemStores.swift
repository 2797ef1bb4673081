import Certificates
import MotivatorPlatform

/// Debian's trust store. `update-ca-certificates` creates a bundle from a folder of the administrator's roots.
///
/// Source: update-ca-certificates(8).
struct DebianStore: RootStore {
    let tool: SystemTool

    static let folder = "/usr/local/share/ca-certificates"
    static let toolName = "update-ca-certificates"
    private static let bundle = "/etc/ssl/certs/ca-certificates.crt"

    var location: String { DebianStore.folder }

    static func find() throws(SystemTool.Failure) -> DebianStore {
        let fix = Fix("On Debian, run", line: "sudo apt-get install ca-certificates")
        return DebianStore(tool: try SystemTool.find(toolName, missing: "\(toolName) is missing", fix))
    }

    static func file(of root: TrustedRoot) -> String { "\(folder)/\(root.name).crt" }

    func state(of root: TrustedRoot) throws -> RootState {
        let roots: [Certificate]
        do { roots = try Certificate.load(path: DebianStore.bundle) } catch FileError.notFound { return .absent }
        guard roots.contains(root.certificate) else { return .absent }
        return unsafe access(DebianStore.file(of: root), F_OK) == 0 ? .installed : .foreign
    }

    func add(_ root: TrustedRoot) throws {
        let file = DebianStore.file(of: root)
        try checkPermission(root, "--install")
        try File.write(root.certificate.pem, to: file, mode: 0o644)
        do { try update([]) } catch {
            _ = unsafe unlink(file)
            throw error
        }
    }

    func remove(_ root: TrustedRoot) throws {
        let file = DebianStore.file(of: root)
        try checkPermission(root, "--remove")
        guard unsafe unlink(file) == 0 || errno == ENOENT else {
            throw FileError.cannotWrite(path: file, SystemError("unlink"))
        }
        // Without this option, the tool keeps the symbolic links to a removed certificate.
        try update(["--fresh"])
        // On Debian, the tool adds roots to Java's key store, but does not remove them.
        try (try? JavaKeyStore.find())?.delete(alias: "debian:\(root.name).pem")
    }

    private func update(_ options: [String]) throws {
        try tool.succeed(options, fix: Fix("To see all messages, run", line: "sudo \(DebianStore.toolName)"))
    }

    private func checkPermission(_ root: TrustedRoot, _ action: String) throws {
        guard unsafe access(DebianStore.folder, W_OK) != 0 else { return }
        throw SystemTool.Failure(
            "\(DebianStore.folder.quoted) cannot be written: \(SystemError("access").reason)",
            fix: Fix(
                "Run",
                line: "sudo motivator certificate trust \(action) --store system "
                    + "--certificates \(root.folder.shellQuoted)"),
            exitCode: .notPermitted)
    }
}

/// The login keychain of a Mac, which Safari, Chrome and `URLSession` use.
///
/// Untested: no Mac was available. Source: security(1).
struct MacKeychain: RootStore {
    let tool: SystemTool
    let location: String

    static func find() throws(SystemTool.Failure) -> MacKeychain {
        let tool = try SystemTool.find(
            "security", missing: "the tool security, which exists only on macOS, is missing",
            Fix("Run the commands on the Mac; print them with", line: "motivator certificate trust --print"))
        return MacKeychain(tool: tool, location: "\(Environment["HOME"] ?? "")/Library/Keychains/login.keychain-db")
    }

    /// Returns the arguments for `security` that trust a root for TLS.
    static func addition(_ root: TrustedRoot, keychain: String) -> [String] {
        ["add-trusted-cert", "-r", "trustRoot", "-p", "ssl", "-k", keychain, root.path]
    }

    func state(of root: TrustedRoot) throws -> RootState {
        // The command fails if the keychain contains no certificates.
        let found = try tool.run(["find-certificate", "-a", "-Z", location])
        let digest = root.digest.replacing(":", with: "")
        guard found.code == 0, found.output.contains("SHA-256 hash: \(digest)") else { return .absent }
        let isTrusted = try tool.run(["verify-cert", "-c", root.path, "-p", "ssl", "-l", "-L", "-q"]).code == 0
        return isTrusted ? .installed : .absent
    }

    func add(_ root: TrustedRoot) throws {
        try security(MacKeychain.addition(root, keychain: location))
    }

    func remove(_ root: TrustedRoot) throws {
        try security(["remove-trusted-cert", root.path])
        try security(["delete-certificate", "-Z", root.digest.replacing(":", with: ""), location])
    }

    private func security(_ arguments: [String]) throws {
        try tool.succeed(arguments, fix: "Confirm the macOS dialog, or change the trust settings in Keychain Access")
    }
}

/// The keychain of the booted iOS Simulator.
///
/// Untested: no Mac was available. Source: `xcrun simctl help keychain`.
struct SimulatorKeychain: RootStore {
    let tool: SystemTool
    let location = "the booted simulator"

    /// Returns the arguments for `xcrun` that trust a root.
    static func addition(_ root: TrustedRoot) -> [String] {
        ["simctl", "keychain", "booted", "add-root-cert", root.path]
    }

    static func find() throws(SystemTool.Failure) -> SimulatorKeychain {
        SimulatorKeychain(
            tool: try SystemTool.find(
                "xcrun", missing: "the tool xcrun, which exists only on macOS with Xcode, is missing",
                "Install Xcode, and start a simulator"))
    }

    func state(of root: TrustedRoot) -> RootState { .unknown }

    func add(_ root: TrustedRoot) throws {
        try tool.succeed(SimulatorKeychain.addition(root), fix: "Start a simulator, and run the command again")
    }

    func remove(_ root: TrustedRoot) throws {
        throw SystemTool.Failure(
            "simctl cannot remove a single root",
            fix: Fix(
                "To remove all roots and saved items from the simulator, run",
                line: "xcrun simctl keychain booted reset"))
    }
}
