import MotivatorPlatform

/// The key store with the roots that a Java runtime trusts.
///
/// Source: keytool(1).
struct JavaKeyStore: RootStore {
    let tool: SystemTool

    static let toolName = "keytool"
    /// The documented password of the store, which protects only against accidental changes.
    private static let store = ["-cacerts", "-storepass", "changeit"]

    static func find() throws(SystemTool.Failure) -> JavaKeyStore {
        JavaKeyStore(
            tool: try SystemTool.find(
                toolName, in: Environment["JAVA_HOME"].map { ["\($0)/bin"] } ?? [], missing: "keytool is missing",
                Fix(
                    "Set JAVA_HOME, or install a runtime. On Debian, run",
                    line: "sudo apt-get install default-jre-headless")))
    }

    /// The key store file of the runtime that contains this keytool.
    var location: String {
        let folders = File.resolved(tool.path).split(separator: "/").dropLast(2)
        return folders.map { "/" + $0 }.joined() + "/lib/security/cacerts"
    }

    /// Returns the arguments for `keytool` that trust a root.
    static func addition(_ root: TrustedRoot) -> [String] {
        ["-importcert", "-noprompt"] + store + ["-alias", root.name, "-file", root.path]
    }

    func state(of root: TrustedRoot) throws -> RootState {
        guard let alias = try aliases()[root.digest] else { return .absent }
        return alias == root.name ? .installed : .foreign
    }

    func add(_ root: TrustedRoot) throws { try keytool(JavaKeyStore.addition(root)) }

    func remove(_ root: TrustedRoot) throws {
        try keytool(["-delete"] + JavaKeyStore.store + ["-alias", root.name])
    }

    /// Removes an entry if it exists.
    func delete(alias: String) throws {
        guard try aliases().values.contains(alias) else { return }
        try keytool(["-delete"] + JavaKeyStore.store + ["-alias", alias])
    }

    /// Returns the aliases of all certificates, keyed by SHA-256 digest.
    private func aliases() throws -> [String: String] {
        var found: [String: String] = [:]
        var alias = ""
        for line in try keytool(["-list"] + JavaKeyStore.store).split(separator: "\n") {
            if let end = line.firstIndex(of: ","), line.contains("trustedCertEntry") {
                alias = String(line[..<end])
            } else if line.contains("(SHA-256): "), let digest = line.split(separator: " ").last {
                found[String(digest)] = alias
            }
        }
        return found
    }

    @discardableResult
    private func keytool(_ arguments: [String]) throws -> String {
        try tool.succeed(
            arguments, fix: "Check that \(location.shellQuoted) is writable by this user and has the default password")
    }
}
