import ArgumentParser
import Certificates
import Platform

/// `motivator certificate`: the development CA.
struct CertificateTools: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate", abstract: "Create the development CA and issue certificates from it.",
        subcommands: [MakeAuthority.self, Issue.self])

    struct MakeAuthority: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "authority",
            abstract: "Create the development CA, show it, or renew it.",
            discussion: """
                Example: motivator certificate authority --permit example.com

                A CA in the folder is replaced only with --name, --permit or --renew. Clients then have to trust the \
                new root.

                With --offline-root, the root key is in a folder of its own, which can be disconnected. A key in the \
                folder of the CA is moved there. A key that is already there signs a new intermediate.
                """)

        @Option(help: "Common Name of the root.")
        var name: String?

        @Option(
            help: "Domain or address that the CA may sign for, besides test names and private addresses (repeatable).")
        var permit: [String] = []

        @Flag(help: "Replace the CA in the folder, and keep its name and its permitted names.")
        var renew = false

        @Option(help: "Folder for the root key, which can be kept offline (the key file is root.key).")
        var offlineRoot: String?

        @Option(help: ArgumentHelp("Folder of the CA.", valueName: "folder"))
        var certificates = DataFolder.path("certs")

        func run() throws {
            let authority = try authority()
            CertificateTools.warn(about: authority)
            let print = authority.root.fingerprint.map(\.hexadecimal)
            Output.sentence(
                "The root is valid until \(Timestamp.text(authority.root.notAfter)), SHA-256 \(print.joined(separator: ":"))"
            )
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
            abstract: "Issue a certificate for hosts, and write it and its key to the CA's folder.",
            discussion: "Example: motivator certificate issue example.test 192.168.1.10 --days 30")

        @Argument(help: "Names and addresses, all in one certificate. The first one names the files.")
        var hosts: [String]

        @Option(help: ArgumentHelp("Days that the certificate is valid.", valueName: "n"))
        var days = Authority.leafDays

        @Flag(help: "Use an RSA key of 2048 bits instead of a P-256 key.")
        var rsa = false

        @Option(help: ArgumentHelp("Folder of the CA.", valueName: "folder"))
        var certificates = DataFolder.path("certs")

        func run() throws {
            let authority = try Authority.open(folder: certificates)
            CertificateTools.warn(about: authority)
            let identity = try authority.issue(hosts: hosts, days: days, kind: rsa ? .rsa2048 : .p256)
            let (certificate, key) = try authority.save(identity, as: hosts[0])
            Output.sentence("Valid until \(Timestamp.text(identity.certificate.notAfter)).")
            try Output.result("\(certificate)\n\(key)")
        }
    }

    private static func warn(about authority: Authority) {
        for warning in authority.warnings { Output.sentence("motivator: \(warning)") }
    }
}
