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
        do throws(CertificateError) { roots = try Certificate.load(path: DebianStore.bundle) } catch {
            guard case .file(.notFound) = error else { throw error }
            return .absent
        }
        guard roots.contains(root.certificate) else { return .absent }
        let file = DebianStore.file(of: root)
        guard unsafe access(file, F_OK) != 0 else { return .installed }
        return .foreign(
            name: DebianStore.bundle,
            removal: Fix(
                "Find and remove the root's file in \(DebianStore.folder), and run",
                line: "sudo \(DebianStore.toolName) --fresh"))
    }

    func add(_ root: TrustedRoot) throws {
        let file = DebianStore.file(of: root)
        try checkPermission(root, "--install")
        try File.write(root.certificate.pem, to: file, mode: 0o644)
        do {
            try update([])
        } catch {
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
