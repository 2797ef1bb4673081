package import Accounts
package import AssociatedDomains
import AssociationChecker
import Certificates
package import Logging
package import MotivatorPlatform
package import MotivatorServer
import MotivatorTLS
import Passkeys

/// The demo's configuration, which loads the server's content at startup and on each reload.
package struct Demo: Sendable {
    package enum Association: Sendable {
        /// The apps that may share the site's credentials.
        case apps([AppIdentifier])
        /// The file at this path, unchanged.
        case file(String)
    }

    package enum Certificates: Sendable {
        /// The development CA in this folder.
        case authority(folder: String)
        case given(certificate: String, key: String, chain: String?)
    }

    /// The User-Agent names of Apple's programs that read association files: the CDN, the daemon on devices, and other
    /// programs on Apple platforms.
    package static let associationReaders = ["AASA-Bot", "swcd", "CFNetwork"]

    /// The hosts in lower case, at least one.
    package var domains: [String]
    /// The additional names and addresses of the first host.
    package var aliases: [String]
    package var association: Association
    package var format: ServedAssociation.Format
    package var certificates: Certificates
    /// The file with the secret for session ticket keys, which several servers can share; nil for random keys.
    package var ticketSecret: String?
    /// The folder of the static files; nil for the built-in style sheet and icon.
    package var publicFolder: String?
    package var servesEcho: Bool
    /// Whether TLS sessions keep the client hello, for reports about connections.
    package var recordsHello = false
    package var version = ""
    /// Whether `/check` may fetch files from other hosts.
    package var allowsFetch = false
    /// Whether `/check` fetches files only from public hosts, on port 443.
    package var fetchesPublicOnly = false
    /// Whether problems that devices do not report are errors. Otherwise, they are logged as warnings.
    package var isStrict = false
    package var folders: [SiteFolder] = []
    /// The Android apps that may share the site's passwords and links.
    package var androidApps: [AndroidApp] = []
    /// The domain that is the RP ID of all domains; nil if each domain is its own RP ID.
    package var passkeyDomain: String?
    package var passkeyOrigins: [String] = []
    /// The lifetime of a passkey challenge in seconds.
    package var passkeyTimeout = 300

    /// The access for phones; nil if the server listens only on this machine.
    package var phones: PhoneAccess?
    /// The hosts and paths that are broken on purpose; nil for none.
    package var faults: (any DemoModule)?

    var passkeys: PasskeySettings {
        var settings = PasskeySettings()
        (settings.domains, settings.sharedDomain, settings.origins) = (domains, passkeyDomain, passkeyOrigins)
        settings.fingerprints = androidApps.compactMap(\.fingerprint).map { fingerprint in
            fingerprint.description.split(separator: ":").compactMap { UInt8($0, radix: 16) }
        }
        settings.lifetime = passkeyTimeout
        return settings
    }

    /// All hosts with their own certificate.
    package var hosts: [String] { domains + folders.map(\.host) }

    /// The source of quotes, kept across reloads to avoid repeating a visitor's last quote.
    private(set) var motivator = Motivator()
    private(set) var checkQueues = CheckPage.Queues()
    var ceremonyLimiter = RateLimiter<ClientAddress>(.ceremonies)
    private let accounts: Accounts
    /// The random session ticket keys, kept across reloads.
    private var tickets = TicketKeys()
    private let log: Logger

    package init(
        domains: [String], aliases: [String], association: Association, format: ServedAssociation.Format,
        certificates: Certificates, publicFolder: String?, servesEcho: Bool, accounts: Accounts, log: Logger
    ) {
        (self.log, self.accounts, self.domains, self.aliases) = (log, accounts, domains, aliases)
        (self.association, self.format, self.certificates) = (association, format, certificates)
        (self.publicFolder, self.servesEcho) = (publicFolder, servesEcho)
    }

    /// Takes over the state and the address of the demo that this configuration replaces.
    package mutating func replace(_ old: Demo) {
        (motivator, checkQueues, tickets) = (old.motivator, old.checkQueues, old.tickets)
        ceremonyLimiter = old.ceremonyLimiter
        phones = old.phones
        if let counted = old.faults { faults?.keepCounters(of: counted) }
    }

    /// Loads the server's content and certificates.
    /// - Throws: an `ExplainedError` if a file or certificate cannot be read, created or parsed.
    package func load(port: UInt16, now: UnixTime) throws -> (snapshot: ServerSnapshot, identities: ServerIdentities) {
        let staticFiles = try publicFolder.map { folder throws(FileError) in
            StaticFiles(folder: try Folder(folder), types: Routes.fileTypes)
        }
        let file = try loadAssociation(now: now)
        let tickets = try ticketSecret.map { TicketKeys(secret: try .load(path: $0)) } ?? tickets
        let identities = try loadIdentities(tickets)
        let ownRoots = [identities.root].compactMap(\.self)
        let associations = try domains.map { domain in
            let parsed = AssociationFile(file.bytes, name: file.name, domain: domain, ownRoots: ownRoots, at: now)
            return try ServedAssociation((parsed, file.modified), format: format) {
                try identities.identity(for: domain)
            }
        }
        let folderSites = try folders.map { folder in
            try folder.load(format: format, ownRoots: ownRoots, now: now) { try identities.identity(for: folder.host) }
        }
        // In strict mode, a problem ends the start before the pages are rendered.
        let served = Array(zip(domains + folders.map(\.host), associations + folderSites.map(\.association)))
        try report(
            served.flatMap { host, association in
                try identities.problems(for: host, at: now) + association.problems(for: host, at: now)
            }, served.flatMap(\.1.files))
        let pages = Pages(faults: faults?.templates)
        let addition = try faults?.load(
            DemoModuleContext(
                domains: domains, port: port, authority: identities.authority, tickets: tickets, now: now,
                pages: pages, version: version, accounts: accounts))
        let pageContent = try SiteContent(
            self, pages: pages, paths: addition?.paths ?? [:], accounts: accounts, files: staticFiles,
            root: identities.root, now: now, port: port)
        let sites = zip(domains, associations).map { domain, association in
            var site = Routes.site(association, pageContent)
            addition?.addRoutes(&site, domain)
            return (host: domain, site: site)
        }
        guard let first = sites.first?.site else {
            throw ExplainedFailure("no domain is configured", fix: "Pass a domain with --domain", exitCode: .usage)
        }
        var router = Router(fallback: first, errors: pages.errors)
        for (host, site) in sites + zip(folders.map(\.host), folderSites.map(\.site)) + (addition?.sites ?? []) {
            router.add(site, for: host)
        }
        for alias in aliases { router.add(first, for: alias.bracketed) }
        // Browsers show a warning for hosts that the certificate does not cover.
        let covered = (hosts + aliases).filter(identities.covers)
        let toHTTPS = ToHTTPS(
            hosts: (covered.isEmpty ? hosts : covered).map(\.bracketed), port: port, errors: pages.errors)
        if let address = phones?.addresses.first?.host, !identities.covers(address) {
            log.warning(
                """
                the certificate does not cover \(address), so links use \(toHTTPS.hosts[0]). Add a DNS record that \
                resolves this name to \(address), or remove --certificate.
                """)
        }
        let plain = Routes.plainSite(
            try Onboarding(
                identities.root, domain: domains[0],
                apps: (associations[0].files[0].apps[.webcredentials] ?? []).map(\.text.printable), toHTTPS: toHTTPS,
                phones: phones, pages: pages, lastModified: now),
            files: staticFiles, assets: pageContent.assets, toHTTPS: toHTTPS)
        let snapshot = ServerSnapshot(
            router: router, plainRouter: Router(fallback: plain, servesEveryHost: true, errors: pages.errors),
            context: try identities.context(addition, recordsHello: servesEcho || recordsHello))
        return (snapshot, identities)
    }

    /// The maximum number of warnings about one file in the log. The page `/check` shows all of them.
    private static let maximumWarnings = 10

    /// Logs problems that devices do not report, or throws the first problem in strict mode. Then logs the warnings
    /// about files that devices accept.
    private func report(_ problems: [ServedContentIssue], _ files: [AssociationFile]) throws(ServedContentIssue) {
        if isStrict, let first = problems.first { throw first }
        var logged: Set<ServedContentIssue> = []
        for problem in problems where logged.insert(problem).inserted { log.warning("\(problem)") }
        var warned: Set<Issue> = []
        for file in files where file.denial == nil {
            // Some devices or the documentation may be stricter than the profile.
            let warnings = file.report.issues.filter { $0.severity(in: .device) != nil && !$0.isNote }
            for issue in warnings.prefix(Self.maximumWarnings) where warned.insert(issue).inserted {
                log.warning("\(issue.line). \(issue.fix)")
            }
        }
    }

    private func loadAssociation(now: UnixTime) throws -> (name: String, bytes: [UInt8], modified: UnixTime) {
        switch association {
        case .apps(let apps): ("the association file", AssociationFile.json(webcredentials: apps), now)
        case .file(let path):
            (path, try File.read(path, limit: AssociationFile.readLimit), try FileVersion(path: path).modified)
        }
    }

    private func loadIdentities(_ tickets: TicketKeys) throws -> ServerIdentities {
        switch certificates {
        case .authority(let folder):
            let local = aliases.filter { $0.hasSuffix(".local") }
            let authority: Authority
            do { authority = try Authority.open(folder: folder, permitted: hosts + local) } catch {
                // An existing CA might not permit this machine's names on the local network. The site works without
                // these names, but phones may need them.
                authority = try Authority.open(folder: folder, permitted: hosts)
                log.warning("\(error)")
            }
            if let warning = authority.warning { log.warning("\(warning)") }
            // The CA must not issue certificates for a public address of this machine.
            let named = aliases.filter { alias in
                (try? SubjectName(alias)).map { authority.constraints.permits($0) } ?? false
            }
            return ServerIdentities(.authority(authority), domains: hosts, addresses: named, tickets: tickets, log: log)
        case .given(let certificate, let key, let chain):
            let identity = try Identity.load(certificate: certificate, key: key, chain: chain)
            return ServerIdentities(.given(identity), domains: hosts, addresses: aliases, tickets: tickets, log: log)
        }
    }
}
