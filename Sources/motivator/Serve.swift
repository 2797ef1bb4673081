import Accounts
public import ArgumentParser
import AssociatedDomains
import Certificates
import CommandSupport
import Faults
import Inspector
import Logging
import MotivatorLog
import MotivatorMetrics
import MotivatorPlatform
import MotivatorServer
import UltraMotivator

/// `motivator serve`: the server.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the association file and the demo over HTTPS.",
        discussion: """
            Example: motivator serve --domain example.test --app A1B2C3D4E5.com.example.App --echo

            Options can also be in environment variables, such as MOTIVATOR_LOG_FILE for --log-file, and in a \
            configuration file. Show their values with: motivator config

            SIGTERM or SIGINT shuts down gracefully; a second signal stops immediately. SIGHUP reloads the \
            configuration, the certificates and the association file. If an error occurs, the server keeps the old ones.
            """)

    /// The options that a reload applies. The others take effect after a restart.
    static let reloadable: Set<String> = [
        "domain", "app", "association", "association-format", "site", "strict", "faults", "echo", "allow-fetch",
        "certificates", "certificate", "key", "chain", "ticket-secret", "public", "android",
    ]
    private static let tutorialApps = ["D3KQX62K1A.com.example.DemoApp", "D3KQX62K1A.com.example.DemoAdminApp"]
    private static let loopback = ["127.0.0.1", "::1"]

    @Option(help: ArgumentHelp("Host to serve (repeatable).", valueName: "name"))
    var domain = ["ultra-motivator.test"]

    @Option(help: ArgumentHelp("App to list in webcredentials (repeatable).", valueName: "id"))
    var app = tutorialApps

    @Option(help: ArgumentHelp("Address to listen on (repeatable).", valueName: "address"))
    var host = loopback

    @Flag(
        help: """
            Also listen on this machine's addresses on the local network, so that a phone can open the site. Prints the \
            URL and its QR code.
            """)
    var lan = false

    @Option(help: ArgumentHelp("HTTPS port. 0 selects a free port.", valueName: "n"))
    var port: UInt16 = 8443

    @Option(help: ArgumentHelp("HTTP port for the setup page and redirects. 0 turns it off.", valueName: "n"))
    var plainPort: UInt16 = 8080

    @Option(help: ArgumentHelp("Association file to serve unchanged, instead of --app.", valueName: "file"))
    var association: String?

    @Option(help: "Format of the association file: plain, signed, or legacy (signed at the root path for iOS 8).")
    var associationFormat = ServedAssociation.Format.plain

    @Option(
        help: ArgumentHelp(
            "Host to serve from a folder, with its association file, assetlinks.json and static files (repeatable).",
            valueName: "name=folder"))
    var site: [String] = []

    @Flag(
        help: """
            Refuse to start or reload with a certificate or signature that devices silently reject. By default, the \
            server logs a warning.
            """)
    var strict = false

    @Flag(help: "Serve hosts that are broken on purpose, such as expired.faults.localhost, listed at /faults.")
    var faults = false

    @Flag(help: "Show the last 1,000 requests and failed handshakes live on the admin listener.")
    var inspector = false

    @Flag(help: "Serve /echo, which returns the received request as JSON.")
    var echo = false

    @Flag(
        help: ArgumentHelp(
            "Let /check fetch association files.",
            discussion:
                "Every user of the page can then make this server send requests to any host and port it can reach, "
                + "and read parts of the responses. Do not use this option on a public server."))
    var allowFetch = false

    @Flag(help: "When ready, print one line of JSON on standard output instead of text.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Minimum log level: trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    var logLevel = Logger.Level.info

    @Option(help: ArgumentHelp("Log format: text or json.", valueName: "format"))
    var logFormat = LogFormat.text

    @Option(
        help: ArgumentHelp(
            "File to append the log to. SIGHUP opens it again, for rotation. (default: standard error)",
            valueName: "file"))
    var logFile: String?

    @Option(help: ArgumentHelp("Folder of the development CA and its certificates.", valueName: "folder"))
    var certificates = DataFolder.path("certs")

    @Option(
        help: ArgumentHelp(
            "Certificate to use instead of one from the development CA (PEM). Requires --key.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("Private key for --certificate (PEM, mode 0600).", valueName: "file"))
    var key: String?

    @Option(help: ArgumentHelp("Intermediate certificates for --certificate (PEM).", valueName: "file"))
    var chain: String?

    @Option(
        help: ArgumentHelp(
            "Secret for TLS session tickets (mode 0600), so that servers with the same file accept the same tickets.",
            valueName: "file"))
    var ticketSecret: String?

    @Option(
        name: .customLong("public"),
        help: ArgumentHelp("Folder of static files that replace the built-in styles and icon.", valueName: "folder")
    )
    var publicFolder: String?

    @Option(
        help: ArgumentHelp(
            "Android app that may use the site's passwords and links (repeatable).",
            valueName: "package=fingerprint"))
    var android: [String] = []

    @Option(
        help: ArgumentHelp(
            "Time in which browsers use only HTTPS (Strict-Transport-Security). 0 omits the field.",
            valueName: "seconds"))
    var hsts = 0

    @Flag(help: "Also apply --hsts to all subdomains (includeSubDomains).")
    var hstsIncludeSubdomains = false

    @Option(
        help: ArgumentHelp(
            "Address for health checks, which must not be public. Port 0 selects a free port. Use off to turn it off.",
            valueName: "address:port"))
    var admin = AdminAddress.standard

    @Option(
        help: ArgumentHelp(
            "File with options, as JSON (default: motivator.json, if it exists in the current folder).",
            valueName: "file"))
    var config: String?

    @OptionGroup(title: "Accounts")
    var accountSettings: AccountSettings

    @OptionGroup(title: "Limits")
    var limits: LimitOptions

    func run() async throws {
        let source = ConfigurationSource.ofProcess
        let configuration = try source.load()
        try await configuration.command.serve(configuration, source)
    }

    private func serve(_ configuration: ServeConfiguration, _ source: ConfigurationSource) async throws {
        let started = Clock.system.now()
        let addresses = try parseAddresses()
        guard port != plainPort || port == 0 else {
            throw UsageError("--port and --plain-port are both \(port)", fix: "Use different ports")
        }
        guard hsts > 0 || !hstsIncludeSubdomains else {
            throw UsageError(
                "--hsts-include-subdomains has no effect without --hsts",
                fix: "Add --hsts SECONDS, or remove the option")
        }
        let (format, level) = (logFormat, logLevel)
        let sink =
            try logFile.map { path throws(FileError) in try LogSink(path: path, format: format) }
            ?? LogSink(descriptor: STDERR_FILENO, format: format)
        let logger = Logger(label: "motivator") { _ in LineLogHandler(sink: sink, format: format, logLevel: level) }
        var options = limits.serverOptions()
        options.fields = SecurityFields.always
        options.pageFields = SecurityFields.pages()
        var inspector = inspector ? Inspector() : nil
        options.secureFields = SecurityFields.overTLS(
            strictTransport: hsts, includesSubdomains: hstsIncludeSubdomains)
        let manager = ServiceManager(environment: source.environment, logger: logger)
        let passed = try manager.listeners()
        let (tls, plain) = try self.addresses(addresses, passed)
        let server = try HTTPServer(
            options: options, tls: tls, plain: plain, passed: passed, logger: logger,
            requestLog: logLevel <= .info
                ? AccessLogOptions(sink: sink, format: logFormat, agents: Demo.associationReaders) : nil,
            traffic: inspector?.recorder)
        options.loops = 1
        if inspector != nil { options.pageFields = SecurityFields.pages(script: InspectorPage.scriptHash) }
        options.trustedProxies = []
        let adminServer = try HTTPServer(options: options, tls: [], plain: admin.listening(), logger: logger)
        var accountOptions = try accountSettings.options()
        accountOptions.siteNames += domain
        let registry = PrometheusRegistry(help: MetricsPage.help)
        let accounts = Accounts(
            store: try await Database.open(accountSettings.database), options: accountOptions, clock: .system,
            log: logger, metrics: registry)
        // The association file is served without accounts too. A failure is in the log.
        if Database.isShared(accountSettings.database) { _ = await accounts.unavailability() }
        var demo = try makeDemo(tls, accounts, logger)
        let phones = server.endpoints.plain.filter { lan && !$0.isLoopback && !$0.isEveryAddress }
        demo.phoneAddress = phones.first
        let securePort = server.endpoints.tls.first?.port ?? port
        let (snapshot, identities) = try demo.load(port: securePort, now: Clock.system.now())
        let lifetime = Lifetime(
            server: server, adminServer: adminServer, source: source, addresses: tls, accounts: accounts,
            identities: Guarded(identities), port: securePort, log: sink, logger: logger, signals: try Signals(),
            manager: manager)
        let metrics = MetricsPage(
            server: server, accounts: accounts, identities: lifetime.identities, log: sink, registry: registry,
            build: Version.parts, started: started)
        try server.start(snapshot)
        inspector?.trust = identities.root.map { [$0] }
        try adminServer.start(.admin(accounts, metrics, adding: inspector?.addRoutes))
        let ready = ReadyMessage(
            endpoints: server.endpoints, admin: adminServer.endpoints.plain.first, domains: demo.hosts,
            authority: certificate == nil ? certificates : nil,
            keepsAccountsInMemory: accountSettings.database == SQLiteStore.memory,
            fingerprint: identities.root?.fingerprintText, pages: demo.modules.compactMap { $0.page?.path },
            hasInspector: inspector != nil, phoneURLs: phones.map { "http://\($0)/" })
        if json { try Output.result(ready.json) } else { Output.sentence(ready.text) }
        manager.notify("READY=1")
        await lifetime.run(configuration, demo)
        sink.flush()
        // Exit handlers of libraries could free memory that threads of the server still use.
        _exit(0)
    }

    private func parseAddresses() throws -> [SocketAddress] {
        guard lan else { return try listening() }
        guard plainPort != 0 else {
            throw UsageError("--lan requires the plain port", fix: "Remove --plain-port 0")
        }
        let local = LocalNetwork.addresses
        guard !local.isEmpty else {
            throw UsageError(
                "this machine has no address on a local network", fix: "Connect to a network, or remove --lan")
        }
        let addresses = try listening()
        return addresses
            + local.filter { one in
                !addresses.contains { $0.bytes == one.bytes || ($0.isEveryAddress && $0.family == one.family) }
            }
    }

    private func listening() throws -> [SocketAddress] {
        try host.compactMap { text in
            guard let address = SocketAddress(text, port: port) else {
                throw UsageError(
                    "--host \(text.quoted) is not an address",
                    fix: "Use an IPv4 or IPv6 address of this machine, such as 127.0.0.1. Pass host names to --domain")
            }
            // The default must also work on a machine without IPv6.
            return host == Self.loopback && text == "::1" && !SocketAddress.hasIPv6Loopback ? nil : address
        }
    }

    func makeDemo(_ addresses: [SocketAddress], _ accounts: Accounts, _ logger: Logger) throws -> Demo {
        let names = try domain.map { try hostName($0, of: "--domain") }
        let always = ["localhost", "127.0.0.1", "::1"]
        let local = lan ? [LocalNetwork.name].compactMap(\.self) : []
        let aliases =
            always + local + addresses.filter { !$0.isEveryAddress }.map(\.host).filter { !always.contains($0) }
        guard association == nil || app == Self.tutorialApps else {
            throw UsageError("--association and --app cannot be combined", fix: "Add the apps to the file")
        }
        guard (certificate == nil) == (key == nil), chain == nil || certificate != nil else {
            throw UsageError(
                "--key and --chain require --certificate, and --certificate requires --key",
                fix: "Add the missing option")
        }
        var demo = Demo(
            domains: names, aliases: aliases.filter { !names.contains($0) },
            association: try association.map { .file($0) } ?? .apps(apps()), format: associationFormat,
            certificates: certificate.flatMap { certificate in
                key.map { .given(certificate: certificate, key: $0, chain: chain) }
            } ?? .authority(folder: certificates),
            publicFolder: publicFolder, servesEcho: echo, accounts: accounts, log: logger)
        demo.allowsFetch = allowFetch
        demo.isStrict = strict
        demo.ticketSecret = ticketSecret
        demo.folders = try folders(names)
        demo.version = Version.number
        // A handshake that fails early has no other source of the server name.
        demo.recordsHello = inspector
        demo.modules = faults ? [Faults()] : []
        demo.androidApps = try android.map { text in try UsageError.of("--android") { try AndroidApp(text) } }
        return demo
    }

    private func hostName(_ text: String, of option: String) throws -> String {
        let name = try UsageError.of(option) { try SubjectName(text) }
        guard !name.isWildcard, !name.isAddress else {
            throw UsageError("\(option) \(text.quoted) is not a host name", fix: "Use a name such as example.test")
        }
        return name.text
    }

    /// The hosts of `--site`, each with its folder.
    private func folders(_ domains: [String]) throws -> [SiteFolder] {
        var hosts = Set(domains)
        return try site.map { text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw UsageError(
                    "--site \(text.quoted) is not NAME=FOLDER", fix: "Use a value such as example.test=site")
            }
            let host = try hostName(parts[0], of: "--site")
            guard hosts.insert(host).inserted else {
                throw UsageError("--site \(host) is already served", fix: "Pass each host once")
            }
            return SiteFolder(host: host, folder: parts[1])
        }
    }

    private func apps() throws -> [AppIdentifier] {
        try app.map { text in try UsageError.of("--app") { try AppIdentifier(text) } }
    }
}

extension ServedAssociation.Format: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}

/// Writes each event as one line in the format of the request log.
struct LineLogHandler: LogHandler {
    let sink: LogSink
    let format: LogFormat
    var logLevel: Logger.Level
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let more = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let fields = more.map { (name: $0.key, value: LogValue.text("\($0.value)")) }
        sink.write(format.event("\(event.level)", "\(event.message)", fields))
    }
}
