import ArgumentParser
import Certificates
import Platform

/// `motivator certificate`: the development authority.
struct CertificateTools: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate", abstract: "Make the development authority and certificates of it.",
        subcommands: [MakeAuthority.self, Issue.self])

    struct MakeAuthority: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "authority",
            abstract: "Make a new development authority, or show the one that is there.",
            discussion: """
                Example: motivator certificate authority --permit example.com

                One that is there is replaced only when --name or --permit asks for another. Whoever trusted it then \
                has to trust the new one.
                """)

        @Option(help: "Common Name of the root.")
        var name: String?

        @Option(help: "Domain or address that it may sign for, besides test names and private addresses (repeatable).")
        var permit: [String] = []

        @Option(help: "Folder of the authority.")
        var certificates = "certs"

        func run() throws {
            let authority: Authority
            if name == nil, permit.isEmpty {
                authority = try Authority.open(folder: certificates)
            } else {
                authority = try Authority.create(
                    folder: certificates, permitted: permit, name: name ?? Authority.defaultName)
            }
            let print = authority.root.fingerprint.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
            Output.sentence(
                "The root is valid until \(Timestamp.text(authority.root.notAfter)), SHA-256 \(print.joined(separator: ":"))"
            )
            try Output.result(authority.certificatePath)
        }
    }

    struct Issue: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "issue",
            abstract: "Issue a certificate for hosts, and write it and its key to the authority's folder.",
            discussion: "Example: motivator certificate issue example.test 192.168.1.10 --days 30")

        @Argument(help: "Names and addresses, all in one certificate; the first one names the files.")
        var hosts: [String]

        @Option(help: "Days that it is valid.")
        var days = Authority.leafDays

        @Flag(help: "An RSA key of 2048 bits instead of one on the curve P-256.")
        var rsa = false

        @Option(help: "Folder of the authority.")
        var certificates = "certs"

        func run() throws {
            let authority = try Authority.open(folder: certificates)
            let identity = try authority.issue(hosts: hosts, days: days, kind: rsa ? .rsa2048 : .p256)
            let (certificate, key) = try authority.save(identity, as: hosts[0])
            Output.sentence("Valid until \(Timestamp.text(identity.certificate.notAfter)).")
            try Output.result("\(certificate)\n\(key)")
        }
    }
}
