public import Accounts
public import AssociatedDomains
import Certificates
public import Logging
public import Platform
public import Server
import TLS

/// The demo as it is configured: makes what the server answers with, at the start and again at each reload.
public struct Demo: Sendable {
    /// What the association file says.
    public enum Association: Sendable {
        /// These apps may share the site's credentials.
        case apps([AppIdentifier])
        /// The file at this path, byte for byte.
        case file(String)
    }

    /// Where the server's identity comes from.
    public enum Certificates: Sendable {
        /// The development authority in this folder.
        case authority(folder: String)
        case given(certificate: String, key: String, chain: String?)
    }

    /// How Apple's programs that read association files identify themselves in User-Agent: the CDN, the daemon on a
    /// device, and other programs on an Apple platform.
    public static let associationReaders = ["AASA-Bot", "swcd", "CFNetwork"]

    /// The hosts, lower case; at least one.
    public var domains: [String]
    /// Further names and addresses, at which the first host is served.
    public var aliases: [String]
    /// What the association file says.
    public var association: Association
    /// Which form of it is served where.
    public var format: ServedAssociation.Format
    /// Where the identity comes from.
    public var certificates: Certificates
    /// The folder of the static files.
    public var publicFolder: String
    /// Whether `/echo` is there.
    public var servesEcho: Bool

    /// Whether `/check` may ask other hosts.
    public var allowsFetch = false

    /// The Android apps that the site vouches for.
    public var androidApps: [AndroidApp] = []

    /// Outlives a reload, so that nobody sees a quote twice in a row because of one.
    let motivator = Motivator()
    let checkQueues = CheckPage.Queues()
    private let accounts: Accounts
    private let tickets = TicketKeys()
    private let log: Logger

    /// - Parameters: as of the properties; `accounts` has the people; `log` is told of identities that cannot be made while the
    ///   server runs.
    public init(
        domains: [String], aliases: [String], association: Association, format: ServedAssociation.Format,
        certificates: Certificates, publicFolder: String, servesEcho: Bool, accounts: Accounts, log: Logger
    ) {
        self.log = log
        self.accounts = accounts
        self.domains = domains
        self.aliases = aliases
        self.association = association
        self.format = format
        self.certificates = certificates
        self.publicFolder = publicFolder
        self.servesEcho = servesEcho
    }

    /// Reads everything anew.
    ///
    /// - Parameters:
    ///   - port: the port of HTTPS, for redirects to it.
    ///   - now: the time that a made association file carries.
    /// - Returns: what the server answers with, and the identities behind it.
    /// - Throws: an `ExplainedError` for whatever cannot be read, made or understood.
    public func load(port: UInt16, now: UnixTime) throws -> (snapshot: ServerSnapshot, identities: ServerIdentities) {
        let files = try StaticFiles(folder: publicFolder, types: Routes.fileTypes)
        let (file, modified) = try loadAssociation(now: now)
        let identities = try loadIdentities()
        let content = try SiteContent(self, accounts: accounts, files: files, root: identities.root, now: now)
        var first: Site?
        var router: Router?
        for domain in domains {
            let served = try ServedAssociation(file, format: format, lastModified: modified) {
                try identities.identity(for: domain)
            }
            let site = Routes.site(served, content)
            first = first ?? site
            router = router ?? Router(fallback: site, errors: .demo)
            router?.add(site, for: domain)
        }
        guard var router, let first else { throw DemoError.noDomain }
        let aliasHosts = aliases.map { $0.contains(":") ? "[\($0)]" : $0 }
        for alias in aliasHosts { router.add(first, for: alias) }
        let home = port == 443 ? "https://\(domains[0])/" : "https://\(domains[0]):\(port)/"
        let plain = Routes.plainSite(
            Onboarding(identities.root, home: home, lastModified: now), files: files,
            toHTTPS: ToHTTPS(hosts: domains + aliasHosts, port: port))
        let snapshot = ServerSnapshot(
            router: router, plainRouter: Router(fallback: plain, servesEveryHost: true, errors: .demo),
            context: try identities.context())
        return (snapshot, identities)
    }

    private func loadAssociation(now: UnixTime) throws -> (AssociationFile, UnixTime) {
        switch association {
        case .apps(let apps): (AssociationFile(try SiteAssociation(webcredentials: apps)), now)
        case .file(let path): (try AssociationFile(path: path), try FileVersion(path: path).modified)
        }
    }

    private func loadIdentities() throws -> ServerIdentities {
        switch certificates {
        case .authority(let folder):
            let authority = try Authority.open(folder: folder, permitted: domains)
            for warning in authority.warnings { log.warning("\(warning)") }
            // A public address of this machine can be served, but the authority may not vouch for it.
            let named = aliases.filter { alias in
                (try? SubjectName(alias)).map { authority.constraints.permits($0) } ?? false
            }
            return ServerIdentities(
                .authority(authority), domains: domains, addresses: named, tickets: tickets, log: log)
        case .given(let certificate, let key, let chain):
            let identity = try Identity.load(certificate: certificate, key: key, chain: chain)
            return ServerIdentities(.given(identity), domains: domains, addresses: aliases, tickets: tickets, log: log)
        }
    }
}

/// What is wrong with a configuration as a whole.
public enum DemoError: ExplainedError {
    case noDomain

    public var problem: String { "no domain is configured" }
    public var remedy: String { "Name one with --domain" }
    public var exitCode: ExitCode { .usage }
}
