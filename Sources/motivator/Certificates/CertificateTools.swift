import ArgumentParser
import Certificates
import MotivatorPlatform

struct CertificateTools: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Create the development CA, issue certificates from it, and trust its root.",
        subcommands: [MakeAuthority.self, Issue.self, Lint.self, Trust.self, Profile.self])

    struct MakeAuthority: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "authority",
            abstract: "Create the development CA, show it, or renew it.",
            discussion: """
                Example: motivator certificate authority --permit example.com

                The command replaces an existing CA only with --name, --permit or --renew. Clients must then trust \
                the new root. With --renew, --permit adds names to those of the existing CA. Without --renew, the new \
                CA permits only the names that you pass.

                With --offline-root, the root key is in a separate folder that you can disconnect. The command moves \
                an existing root key to this folder. If the folder already contains the root key, the key signs a new \
                intermediate.
                """)

        @Option(help: "Common Name of the root.")
        var name: String?

        @Option(
            help: """
                Domain or address that certificates may contain, besides test names and private addresses (repeatable).
                """)
        var permit: [String] = []

        @Flag(help: "Replace the CA, and keep its name and its permitted names.")
        var renew = false

        @Option(help: "Folder for the root key (root.key), which you can keep offline.")
        var offlineRoot: String?

        @Option("Folder of the CA.", value: "folder")
        var certificates = DataFolder.path("certs")

        func run() throws {
            let authority = try authority()
            CertificateTools.warn(about: authority)
            let root = authority.root
            Output.sentence(
                "The root is valid until \(Timestamp.text(root.notAfter)). SHA-256: \(root.fingerprintText)")
            Output.sentence("The intermediate is valid until \(Timestamp.text(authority.intermediateEnd)).")
            if let offlineRoot {
                Output.sentence("The root key is in \(offlineRoot.quoted). Disconnect that folder, and keep it safe.")
            }
            try Output.result(authority.certificatePath)
        }

        private func authority() throws -> Authority {
            if name != nil || !permit.isEmpty || renew {
                return try Authority.create(
                    folder: certificates, permitted: permit, name: name, renewing: renew, offlineRoot: offlineRoot)
            }
            guard let offlineRoot else { return try Authority.open(folder: certificates) }
            return try Authority.open(folder: certificates, offlineRoot: offlineRoot)
        }
    }

    struct Issue: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "issue",
            abstract: "Issue a certificate for hosts, and write the certificate and its key to the CA's folder.",
            discussion: "Example: motivator certificate issue example.test 192.168.1.10 --days 30")

        @Argument(help: "Names and addresses for one certificate. The first name or address also names the files.")
        var hosts: [String]

        @Option("Validity of the certificate in days.", value: "n")
        var days = Authority.leafDays

        @Flag(help: "Use a 2048-bit RSA key instead of a P-256 key.")
        var rsa = false

        @Option("Folder of the CA.", value: "folder")
        var certificates = DataFolder.path("certs")

        func run() throws {
            let isNew = (try? Authority.root(in: certificates)) == nil
            let authority = try Authority.open(folder: certificates)
            CertificateTools.warn(about: authority)
            if isNew { Output.sentence("Created a CA in \(certificates.quoted).") }
            let identity = try authority.issue(hosts: hosts, days: days, kind: rsa ? .rsa2048 : .p256)
            let (certificate, key) = try authority.save(identity, as: hosts[0])
            Output.sentence("Valid until \(Timestamp.text(identity.certificate.notAfter)).")
            try Output.result("\(certificate)\n\(key)")
        }
    }

    private static func warn(about authority: Authority) {
        if let warning = authority.warning { Output.sentence("motivator: \(warning)") }
    }
}
