import Accounts
import ArgumentParser
import AssociatedDomains
import Certificates
import Faults
import Inspector
import Logging
import MotivatorPlatform
import MotivatorServer
import Passkeys
import UltraMotivator

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the association file and the demo over HTTPS.",
        discussion: """
            Example: motivator serve --domain example.test --app A1B2C3D4E5.com.example.App --echo

            You can also set options in environment variables, such as MOTIVATOR_LOG_FILE for --log-file, and in a \
            configuration file. Show their values with: motivator config

            SIGTERM or SIGINT shuts down gracefully; a second signal stops immediately. SIGHUP reloads the \
            configuration, the certificates and the association file. If the reload fails, the server keeps the old \
            configuration and files.
            """)

    /// The sections of options that a reload applies. Other options take effect after a restart.
    static let reloadable: Set = ["Site", "Certificates and TLS"]

    @OptionGroup(title: "Site")
    var served: SiteArguments

    @OptionGroup(title: "Addresses")
    var addresses: AddressArguments

    @OptionGroup(title: "Certificates and TLS")
    var identity: CertificateArguments

    @OptionGroup(title: "Strict transport security")
    var transport: TransportArguments

    @OptionGroup(title: "Log")
    var log: LogArguments

    @OptionGroup(title: "Accounts")
    var accountSettings: AccountArguments

    @OptionGroup(title: "Limits")
    var limits: LimitArguments

    @Flag(help: "Show the last 1,000 requests and failed handshakes live on the admin listener.")
    var inspector = false

    @Flag(help: "Print JSON on standard output instead of text: a line when serve is ready, or the checks of doctor.")
    var json = false

    @OptionGroup var file: ConfigurationArguments

    func run() async throws {
        Allocator.limitArenas(to: 4)
        let source = ConfigurationSource.ofProcess
        let configuration = try source.load()
        try await configuration.command.serve(configuration, source)
    }

    private func serve(_ configuration: ServeConfiguration, _ source: ConfigurationSource) async throws {
        let wanted = try addresses.listening()
        try require(
            transport.hsts > 0 || !transport.hstsIncludeSubdomains,
            "--hsts-include-subdomains has no effect without --hsts", fix: "Add --hsts SECONDS, or remove the option")
        let (format, level) = (log.logFormat, log.logLevel)
        let sink =
            try log.logFile.map { path throws(FileError) in try LogSink(path: path, format: format) }
            ?? LogSink(descriptor: STDERR_FILENO, format: format)
        let logger = Logger(label: "motivator") { _ in LineLogHandler(sink: sink, format: format, logLevel: level) }
        var options = limits.serverOptions()
        (options.fields, options.pageFields) = (SecurityFields.always, SecurityFields.pages())
        let reads = addresses.lan ? DeviceReads(log: logger) : nil
        var inspector = try inspector ? Inspector(reads: reads) : nil
        options.secureFields = SecurityFields.overTLS(
            strictTransport: transport.hsts, includesSubdomains: transport.hstsIncludeSubdomains)
        let manager = ServiceManager(environment: source.environment, logger: logger)
        let passed = try manager.listeners()
        let (tls, plain) = try addresses.socketAddresses(of: wanted, replacedBy: passed)
        let server = try HTTPServer(
            options: options, tls: tls, plain: plain, passed: passed, logger: logger,
            accessLog: level <= .info
                ? AccessLogOptions(sink: sink, format: format, agents: Demo.associationReaders) : nil,
            traffic: inspector?.recorder ?? reads.map { DeviceReads.recorder(limit: 1, for: $0) })
        (options.loops, options.trustedProxies) = (1, [])
        if inspector != nil { options.pageFields = SecurityFields.pages(script: InspectorPage.scriptHash) }
        let adminAddresses = try addresses.admin.listening()
        let adminServer = try HTTPServer(options: options, tls: [], plain: adminAddresses, logger: logger)
        let accountOptions = try accountSettings.options()
        let registry = PrometheusRegistry(help: MetricsPage.help)
        let accounts = Accounts(
            store: try await Database.open(accountSettings.store.database), options: accountOptions, clock: .system,
            log: logger, metrics: registry)
        accounts.setDomains(served.domain)
        // The server serves the association file even without accounts, so a failure is only logged.
        if Database.isShared(accountSettings.store.database) { _ = await accounts.unavailability() }
        var demo = try makeDemo(tls, accounts, logger)
        demo.phones = reads.flatMap { reads in
            let phones = server.endpoints.plain.filter { !$0.isLoopback && !$0.isEveryAddress }
            return PhoneAccess(addresses: phones, name: NameCheck().localName(at: phones), reads: reads)
        }
        let securePort = server.endpoints.tls.first?.port ?? addresses.port
        let (snapshot, identities) = try demo.load(port: securePort, now: Clock.system.now())
        let lifetime = Lifetime(
            server: server, adminServer: adminServer, source: source, addresses: tls, accounts: accounts,
            identities: Guarded(identities), port: securePort, log: sink, logger: logger, signals: try Signals(),
            manager: manager)
        let metrics = MetricsPage(
            server: server, accounts: accounts, identities: lifetime.identities, log: sink, registry: registry)
        try server.start(snapshot)
        inspector?.trust = identities.root.map { [$0] }
        try adminServer.start(.admin(accounts, metrics, adding: inspector?.addRoutes))
        let ready = ReadyMessage(
            endpoints: server.endpoints, admin: adminServer.endpoints.plain.first, domains: demo.hosts,
            authority: identity.certificate == nil ? identity.certificates : nil,
            keepsAccountsInMemory: accountSettings.store.database == SQLiteStore.memory,
            fingerprint: identities.root?.fingerprintText, hasFaults: demo.faults != nil,
            hasInspector: inspector != nil, phoneURLs: demo.phones?.urls ?? [],
            configurationFile: configuration.file)
        if json { try Output.result(ready.json.line()) } else { Output.sentence(ready.text) }
        manager.notify("READY=1")
        Allocator.trim()
        await lifetime.run(configuration, demo)
        sink.flush()
    }

    func makeDemo(_ listening: [SocketAddress], _ accounts: Accounts, _ logger: Logger) throws -> Demo {
        let names = try served.domain.map { try hostName($0, of: "--domain") }.distinct
        let always = ["localhost", "127.0.0.1", "::1"]
        let local = addresses.lan ? [LocalNetwork.name].compactMap(\.self) : []
        let aliases =
            always + local + listening.filter { !$0.isEveryAddress }.map(\.host).filter { !always.contains($0) }
        guard served.association == nil || served.app == SiteArguments.tutorialApps else {
            throw ExplainedFailure("--association and --app cannot be combined", fix: "Add the apps to the file")
        }
        var demo = Demo(
            domains: names, aliases: aliases.filter { !names.contains($0) },
            association: try served.association.map { .file($0) }
                ?? .apps(served.app.map { text in try parsing("--app") { try AppIdentifier(text) } }),
            format: served.associationFormat, certificates: try certificates(),
            publicFolder: served.publicFolder, servesEcho: served.echo, accounts: accounts, log: logger)
        (demo.allowsFetch, demo.fetchesPublicOnly) = (served.allowFetch != .off, served.allowFetch == .public)
        (demo.isStrict, demo.ticketSecret, demo.version) = (served.strict, identity.ticketSecret, Version.number)
        demo.folders = try folders(names)
        // If a handshake fails early, the recorded ClientHello is the only source of the server name.
        demo.recordsHello = inspector
        guard served.faults || served.faultsAssociation == nil else {
            throw ExplainedFailure("--faults-association requires --faults", fix: "Add --faults")
        }
        demo.faults = served.faults ? Faults(association: served.faultsAssociation) : nil
        demo.androidApps = try served.android.map { text in try parsing("--android") { try AndroidApp(text) } }
        demo.passkeyDomain = try served.passkeyDomain.map { text in
            let name = try hostName(text, of: "--passkey-domain")
            try require(
                names.contains(name), "--passkey-domain \(name) is not a host of --domain", fix: "Add --domain \(name)")
            return name
        }
        demo.passkeyOrigins = try served.passkeyOrigin.map { origin in
            if let problem = PasskeySettings.problem(ofOrigin: origin) {
                throw ExplainedFailure(
                    "--passkey-origin \(origin.quoted) cannot be an origin: \(problem)",
                    fix: "Use a value such as https://example.test:8443")
            }
            return origin
        }
        guard Challenges.lifetimes.contains(served.passkeyTimeout) else {
            throw ExplainedFailure("--passkey-timeout is \(served.passkeyTimeout)", fix: "Use a number from 1 to 600")
        }
        demo.passkeyTimeout = served.passkeyTimeout
        return demo
    }

    func certificates() throws -> Demo.Certificates {
        try require(
            (identity.certificate == nil) == (identity.key == nil)
                && (identity.chain == nil || identity.certificate != nil),
            "--key and --chain require --certificate, and --certificate requires --key", fix: "Add the missing option")
        guard let certificate = identity.certificate, let key = identity.key else {
            return .authority(folder: identity.certificates)
        }
        return .given(certificate: certificate, key: key, chain: identity.chain)
    }

    private func hostName(_ text: String, of option: String) throws -> String {
        let name = try parsing(option) { try SubjectName(text) }
        try require(
            !name.isWildcard && !name.isAddress, "\(option) \(text.quoted) is not a host name",
            fix: "Use a name such as example.test")
        return name.text
    }

    /// Returns the hosts of `--site` with their folders.
    func folders(_ domains: [String]) throws -> [SiteFolder] {
        var hosts = Set(domains)
        return try served.site.map { text in
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            try require(
                parts.count == 2, "--site \(text.quoted) is not NAME=FOLDER",
                fix: "Use a value such as example.test=site")
            let host = try hostName(parts[0], of: "--site")
            try require(hosts.insert(host).inserted, "--site \(host) is already served", fix: "Pass each host once")
            return SiteFolder(host: host, folder: parts[1])
        }
    }
}

/// A log handler that writes each event as one line in the format of the access log.
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
        let fields = more.map { (name: $0.key, value: "\($0.value)") }
        sink.write(format.event("\(event.level)", "\(event.message)", fields))
    }
}
