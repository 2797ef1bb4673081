import ArgumentParser
import AssociationChecker
import Certificates
import HTTPSClient
import MotivatorPlatform

extension CertificateTools {
    struct Lint: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "lint", abstract: "Check a server's certificates against Apple's rules.",
            discussion: """
                Example: motivator certificate lint fullchain.pem --host www.example.com
                Example: motivator certificate lint localhost:8443

                The rules require:
                - names in subjectAltName, without a wildcard directly below a public suffix
                - the extended key usage serverAuth
                - valid dates, and a validity of at most 825 days (398 days below a public root)
                - RSA keys of at least 2048 bits, or P-256, P-384 or P-521, and SHA-2 signatures
                - a complete chain

                An untrusted root causes only a note, because each device has its own trusted roots.

                The exit code is 0 if the certificates meet all rules, and 1 otherwise. Explain a code with: motivator \
                association explain CODE
                """)

        @Argument(help: "File with the certificate and intermediates (PEM or DER), - for standard input, or HOST:PORT.")
        var target: String

        @Option("Host that the certificate in a file must cover.", value: "name")
        var host: String?

        @Flag(help: "Print one JSON document.")
        var json = false

        @Flag(help: "Also print notes, and the reason and source of each issue.")
        var verbose = false

        @OptionGroup(title: "Connection")
        var options: FetchOptions

        func run() throws {
            let host = try host.map { text in
                let name = try parsing("--host") { try SubjectName(text) }
                try require(!name.isWildcard, "--host \(text.quoted) is a wildcard", fix: "Use a name, such as a.test")
                return name.text
            }
            let (served, servedHost) = try certificates()
            let verifier = try ChainVerifier(trust: options.sites.anchors(), at: options.time)
            let lint = CertificateLint(served, host: host ?? servedHost, target: target, verifier: verifier)
            var style = ReportText.Style()
            style.width = Output.width
            style.isColored = Output.isColored
            style.isVerbose = verbose
            try Output.result(json: json, lint.json(version: Version.number), text: lint.text(style: style))
            try endCommand(with: lint.passes ? .yes : .no)
        }

        /// Returns the certificates of the target, and the host of a HOST:PORT target.
        private func certificates() throws -> ([Certificate], host: String?) {
            let isFile = unsafe target == "-" || access(target, F_OK) == 0
            guard !isFile, target.contains(":"), target.contains("://") || !target.contains("/") else {
                return (try file(), nil)
            }
            guard !target.contains("/"), let url = try? WebURL.entered("https://\(target)/") else {
                throw ExplainedFailure(
                    "\(target.excerpt) is not HOST:PORT", fix: "Use a host and port, such as localhost:8443")
            }
            let request = FetchRequest(host: url.host, port: url.port ?? 443, target: "/")
            // The closure cancels the request after the handshake, because only the certificates are needed.
            let fetched = try Fetcher(options.sites.fetcherOptions()).fetch(request) { _ in false }
            guard let chain = fetched.tls?.chain, !chain.isEmpty else {
                throw ExplainedFailure(fetched.failure ?? ChainIssue.noCertificate, in: target)
            }
            return (chain, url.host)
        }

        private func file() throws -> [Certificate] {
            let name = Input.name(target)
            let content: [UInt8]
            do throws(FileError) { content = try Input.read(target, limit: Certificate.fileLimit) } catch {
                guard case .notFound = error, !target.contains("/") else { throw error }
                throw ExplainedFailure(
                    "\(target.quoted) is neither a file nor HOST:PORT",
                    fix: "Specify a file, or add a port, such as \(target):443")
            }
            // A DER certificate starts with the SEQUENCE tag.
            guard content.first == 0x30 else { return try Certificate.chain(pem: content, source: name) }
            return [try Certificate(der: content, source: name)]
        }
    }
}
