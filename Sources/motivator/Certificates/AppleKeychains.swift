import MotivatorPlatform

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
