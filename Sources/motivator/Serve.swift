import Accounts
import ArgumentParser
import AssociatedDomains
import Certificates
import Logging
import Platform
import Server
import UltraMotivator

/// `motivator serve`: the server.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the association file and the demo over HTTPS.",
        discussion: """
            Example: motivator serve --domain example.test --app A1B2C3D4E5.com.example.App --echo

            SIGTERM and SIGINT end it after the answers under way, a second one at once. SIGHUP reads certificates and \
            the association file anew and keeps the old ones when the new cannot be used.
            """)

    @Option(help: ArgumentHelp("Address to listen on (repeatable; default: 127.0.0.1 and ::1).", valueName: "address"))
    var host: [String] = []

    @Option(help: ArgumentHelp("Port of HTTPS; 0 takes a free one.", valueName: "n"))
    var port: UInt16 = 8443

    @Option(help: ArgumentHelp("Port of plain HTTP, for first steps and redirects; 0 turns it off.", valueName: "n"))
    var plainPort: UInt16 = 8080

    @Option(help: ArgumentHelp("Host to serve (repeatable; default: ultra-motivator.test).", valueName: "name"))
    var domain: [String] = []

    @Option(
        help: ArgumentHelp(
            "Application identifier in webcredentials (repeatable; default: the tutorial's two).", valueName: "id"))
    var app: [String] = []

    @Option(help: ArgumentHelp("Association file to serve as it is, instead of --app.", valueName: "file"))
    var association: String?

    @Option(
        help: "Form of the association file: plain, signed, or legacy (signed at the root for iOS 8, plain below it).")
    var associationFormat = ServedAssociation.Format.plain

    @Option(help: ArgumentHelp("Folder of the development authority and its certificates.", valueName: "folder"))
    var certificates = "certs"

    @Option(
        help: ArgumentHelp(
            "Certificate to show instead of one of the development authority (PEM); needs --key.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("Private key of --certificate (PEM, mode 0600).", valueName: "file"))
    var key: String?

    @Option(help: ArgumentHelp("Certificates between --certificate and its root (PEM).", valueName: "file"))
    var chain: String?

    @Option(name: .customLong("public"), help: ArgumentHelp("Folder of the static files.", valueName: "folder"))
    var publicFolder = "Public"

    @Flag(help: "Serve /echo, which answers with what it received.")
    var echo = false

    @Flag(
        help: ArgumentHelp(
            "Let /check fetch association files.",
            discussion:
                "Whoever reaches the page can then have this server ask any host that it can reach, on any port, and "
                + "read parts of the answer: not for a server that strangers reach."))
    var allowFetch = false

    @Option(
        help: ArgumentHelp(
            "Android app that the site vouches for (repeatable).", valueName: "package=fingerprint"))
    var android: [String] = []

    @Option(
        help: ArgumentHelp(
            "Seconds for which browsers shall use HTTPS alone (Strict-Transport-Security); 0 leaves it out.",
            valueName: "seconds"))
    var hsts = 0

    @Flag(help: "Let --hsts apply to all hosts below the served ones, too (includeSubDomains).")
    var hstsIncludeSubdomains = false

    @Option(
        help: ArgumentHelp(
            "Where the health of the server is told, never a public address; port 0 takes a free one, off turns it off.",
            valueName: "address:port"))
    var admin = AdminAddress.standard

    @OptionGroup(title: "Accounts")
    var accountSettings: AccountSettings

    @OptionGroup(title: "Limits")
    var limits: LimitOptions

    @Option(
        help: ArgumentHelp(
            "Least level that is logged: trace, debug, info, notice, warning, error, critical.", valueName: "level"))
    var logLevel = Logger.Level.info

    @Option(help: ArgumentHelp("How log lines are written: text or json.", valueName: "form"))
    var logFormat = LogFormat.text

    @Flag(help: "Print one line of JSON on standard output when ready, instead of sentences.")
    var json = false

    func run() async throws {
        let addresses = try parseAddresses()
        guard port != plainPort || port == 0 else {
            throw UsageError("--port and --plain-port are both \(port)", remedy: "Give them different ports")
        }
        guard hsts > 0 || !hstsIncludeSubdomains else {
            throw UsageError(
                "--hsts-include-subdomains has no effect without --hsts", remedy: "Add --hsts SECONDS, or remove it")
        }
        let sink = LogSink(descriptor: STDERR_FILENO)
        let (format, level) = (logFormat, logLevel)
        let logger = Logger(label: "motivator") { _ in LineLogHandler(sink: sink, format: format, logLevel: level) }
        var options = limits.serverOptions()
        options.fields = SecurityFields.always
        options.pageFields = SecurityFields.pages
        options.secureFields = SecurityFields.overTLS(
            strictTransport: hsts, includesSubdomains: hstsIncludeSubdomains)
        let server = try HTTPServer(
            options: options, tls: addresses.map { at($0, port) },
            plain: plainPort == 0 ? [] : addresses.map { at($0, plainPort) }, logger: logger,
            requestLog: logLevel <= .info
                ? AccessLogOptions(sink: sink, format: logFormat, agents: Demo.associationReaders) : nil)
        options.loops = 1
        options.trustedProxies = []
        let adminServer = try HTTPServer(options: options, tls: [], plain: admin.listening(), logger: logger)
        var accountOptions = try accountSettings.options()
        accountOptions.siteNames += domain
        let accounts = Accounts(
            store: try SQLiteStore.open(path: accountSettings.database), options: accountOptions, clock: .system,
            log: logger)
        let demo = try makeDemo(addresses, accounts, logger)
        let securePort = server.endpoints.tls.first?.port ?? port
        let (snapshot, identities) = try demo.load(port: securePort, now: Clock.system.now())
        let lifetime = Lifetime(
            server: server, adminServer: adminServer, demo: demo, accounts: accounts, port: securePort, logger: logger,
            signals: try Signals())
        try server.start(snapshot)
        try adminServer.start(.admin(accounts))
        let ready = ReadyMessage(
            endpoints: server.endpoints, admin: adminServer.endpoints.plain.first, domains: demo.domains,
            authority: certificate == nil ? certificates : nil)
        if json { try Output.result(ready.json) } else { Output.sentence(ready.text) }
        await lifetime.run(identities)
        sink.flush()
    }

    private func at(_ address: SocketAddress, _ port: UInt16) -> SocketAddress {
        var address = address
        address.port = port
        return address
    }

    private func parseAddresses() throws -> [SocketAddress] {
        try (host.isEmpty ? ["127.0.0.1", "::1"] : host).compactMap { text in
            guard let address = SocketAddress(text, port: port) else {
                throw UsageError(
                    "--host \(text.quoted) is no address",
                    remedy: "Give an IPv4 or IPv6 address of this machine, such as 127.0.0.1; names go to --domain")
            }
            // A machine without IPv6 still serves by default.
            return host.isEmpty && text == "::1" && !SocketAddress.hasIPv6Loopback ? nil : address
        }
    }

    private func makeDemo(_ addresses: [SocketAddress], _ accounts: Accounts, _ logger: Logger) throws -> Demo {
        let names = try (domain.isEmpty ? ["ultra-motivator.test"] : domain).map { text in
            let name = try UsageError.of("--domain") { try SubjectName(text) }
            guard !name.isWildcard, !name.isAddress else {
                throw UsageError("--domain \(text.quoted) is no host name", remedy: "Give a name such as example.test")
            }
            return name.text
        }
        let always = ["localhost", "127.0.0.1", "::1"]
        let aliases = always + addresses.filter { !$0.isEveryAddress }.map(\.host).filter { !always.contains($0) }
        guard association == nil || app.isEmpty else {
            throw UsageError("--association and --app exclude each other", remedy: "Put the apps into the file")
        }
        guard (certificate == nil) == (key == nil), chain == nil || certificate != nil else {
            throw UsageError(
                "--certificate, --key and --chain belong together", remedy: "Give --certificate with its --key")
        }
        var demo = Demo(
            domains: names, aliases: aliases.filter { !names.contains($0) },
            association: try association.map { .file($0) } ?? .apps(apps()), format: associationFormat,
            certificates: certificate.flatMap { certificate in
                key.map { .given(certificate: certificate, key: $0, chain: chain) }
            } ?? .authority(folder: certificates),
            publicFolder: publicFolder, servesEcho: echo, accounts: accounts, log: logger)
        demo.allowsFetch = allowFetch
        demo.androidApps = try android.map { text in try UsageError.of("--android") { try AndroidApp(text) } }
        return demo
    }

    private func apps() throws -> [AppIdentifier] {
        let tutorial = ["D3KQX62K1A.com.example.DemoApp", "D3KQX62K1A.com.example.DemoAdminApp"]
        return try (app.isEmpty ? tutorial : app).map { text in
            try UsageError.of("--app") { try AppIdentifier(text) }
        }
    }
}

extension ServedAssociation.Format: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
