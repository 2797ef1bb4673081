import ArgumentParser
import AssociatedDomains
import AssociationChecker
import Certificates
import MotivatorPlatform

struct AssociationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "association", abstract: "Check, match, compare, sign and verify association files.",
        subcommands: [Check.self, Match.self, Verify.self, Compare.self, Explain.self, Sign.self])

    struct Sign: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign",
            abstract: "Sign an association file for iOS 8. The output is DER-encoded CMS with attached content.",
            discussion: """
                Example: motivator association sign site.json --certificate site.pem --key site.key --output signed.der
                """)

        @Argument(help: "The JSON file, or - for standard input.")
        var file = "-"

        @Option("Certificate for the site (PEM).", value: "file")
        var certificate: String

        @Option("Private key for the certificate (PEM, mode 0600).", value: "file")
        var key: String

        @Option("Intermediate certificates (PEM).", value: "file")
        var chain: String?

        @Option("File to write (default: standard output).", value: "file")
        var output: String?

        @Flag(help: "Include signed attributes, such as the signing time.")
        var attributes = false

        @Flag(help: "Sign even if devices deny the association file or the certificate.")
        var force = false

        func run() throws {
            let content = try Input.read(file, limit: AssociationFile.readLimit)
            let identity = try Identity.load(certificate: certificate, key: key, chain: chain)
            let signed = try sign(content, identity)
            guard let output else { return try Output.result(signed) }
            try File.write(signed, to: output, mode: 0o644)
        }

        private func sign(_ content: [UInt8], _ identity: Identity) throws -> [UInt8] {
            if force { return try CMS.sign(content, identity: identity, attributes: attributes) }
            let association = AssociationFile(content, name: Input.name(file), at: Clock.system.now())
            if let denial = association.denial { throw denied(denial) }
            let signed = try CMS.sign(association.content, identity: identity, attributes: attributes)
            let issues = AssociationFile.sizeIssues(signed.count, "the signed file")
            if let issue = issues.first(where: { $0.effects.device == .denial }) { throw denied(issue) }
            let faults = try CMS.open(signed).issues(trust: [], at: Clock.system.now(), domain: nil)
            // This command cannot determine whether devices trust the root.
            if let fault = faults.first(where: { !$0.isNote && !$0.dependsOnTrust }) {
                throw ExplainedFailure(fault, in: certificate)
            }
            return signed
        }

        private func denied(_ issue: Issue) -> ExplainedFailure {
            ExplainedFailure("a device denies \(issue.line)", fix: issue.fix.clause, exitCode: .badInput)
        }
    }

    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify", abstract: "Verify a signed association file, and print its JSON content.",
            discussion: """
                Example: motivator association verify signed.der --domain example.test --trust certs/authority.pem
                """)

        @Argument(help: "The signed file, or - for standard input.")
        var file: String

        @Option("Domain that the signer's certificate must cover.", value: "name")
        var domain: String?

        @Option("Roots to trust instead of the system's (PEM). [$MOTIVATOR_TRUST]", value: "file")
        var trust: String?

        @Option("Verification time, such as 2015-10-01T00:00:00Z (default: now).", value: "time")
        var at: TimeArgument?

        func run() throws {
            let message = try Input.read(file, limit: AssociationFile.maximumSize)
            let anchors = try (trust ?? Environment["MOTIVATOR_TRUST"]).map { try Certificate.load(path: $0) } ?? []
            let content = try ExplainedFailure.naming(Input.name(file)) {
                try CMS.open(message).verify(trust: anchors, at: at?.time ?? Clock.system.now(), domain: domain)
            }
            try Output.result(content)
        }
    }
}

enum Input {
    static func name(_ path: String) -> String { path == "-" ? "standard input" : path }

    /// Reads a file or a pipe, or standard input for `-`.
    static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
        try path == "-" ? File.readStandardInput(limit: limit) : File.readInput(path, limit: limit)
    }

    /// Reads the entitlements of an app.
    /// - Parameter path: an app, an executable, a provisioning profile or a property list. `-` reads a profile or a
    ///   property list from standard input.
    static func entitlements(_ path: String) throws -> Entitlements {
        if path == "-" {
            let bytes = try read(path, limit: BuiltApp.maximumListSize)
            return try ExplainedFailure.naming(name(path)) { try BuiltApp.entitlements(inList: bytes) }
        }
        do throws(BuiltAppError) {
            return try BuiltApp.entitlements(at: path)
        } catch .file(let error) {
            throw error
        } catch {
            throw ExplainedFailure(error, in: path)
        }
    }
}

struct TimeArgument: ExpressibleByArgument {
    let time: UnixTime

    init?(argument: String) {
        guard let time = Timestamp.parse(argument) else { return nil }
        self.time = time
    }
}
