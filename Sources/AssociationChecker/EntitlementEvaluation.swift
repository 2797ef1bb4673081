import AssociatedDomains
import MotivatorPlatform
import SourceJSON

struct EntitlementEvaluation {
    private(set) var issues: [Issue] = []
    /// The accepted entries that cover the host for the requested service. Without a requested service, any service
    /// qualifies. If the host is unknown, any host qualifies.
    private(set) var covering: [AssociatedDomain] = []

    /// - Parameters:
    ///   - host: The host in lower case, or nil if it is unknown.
    ///   - port: The port that the target names, or nil to accept the port of any entry.
    static func evaluate(_ request: CheckRequest, host: String?, port: UInt16? = nil) -> EntitlementEvaluation {
        let entries = request.entries.map { (entry: $0, domain: $0.domain) }
        let domains = entries.compactMap { try? $0.domain.get() }
        let wanted = domains.filter { request.service == nil || $0.service == request.service }
        var evaluation = EntitlementEvaluation()
        let isIgnored = { (entry: AssociatedDomain) in request.isForDistribution && entry.modes.contains(.developer) }
        evaluation.covering = wanted.filter { $0.covers(host) && !isIgnored($0) }
        // If the list has entries, a list issue is at most a warning. An issue with the provisioning profile keeps its
        // effects, because the profile applies to all entries.
        evaluation.issues = request.listIssues.map { issue in
            let isOfProfile = (issue.kind as? Entitlements.EntryIssue)?.isOfProfile == true
            return entries.isEmpty || isOfProfile ? issue : issue.atMost(.warning)
        }
        evaluation.issues += manyDomains(domains, request.entries.first?.source ?? "")
        for (entry, domain) in entries {
            evaluation.note(entry, domain, isHostKnown: host != nil, isForDistribution: request.isForDistribution)
        }
        // If no entry is accepted, the issues with the entries already explain why no entry covers the host.
        if !domains.isEmpty, !wanted.contains(where: { $0.covers(host, port) }) {
            evaluation.issues.append(notCovered(request, host, port, domains, wanted))
        }
        if let host { evaluation.notePartialCover(of: host) }
        if request.assumesPublic { evaluation.issues.removeAll(where: \.isPrivateEntry) }
        return evaluation
    }

    private mutating func note(
        _ entry: CheckRequest.Entry, _ result: Result<AssociatedDomain, AssociatedDomain.Malformed>, isHostKnown: Bool,
        isForDistribution: Bool
    ) {
        let isShown = entry.location == nil && !entry.text.allSatisfy(\.isWhitespace)
        let subject = isShown ? entry.text : entry.source
        switch result {
        case .success(let domain):
            for var found in domain.issues {
                if isForDistribution, found.kind == .developerMode {
                    found = AssociatedDomain.EntryIssue(.ignoredDeveloperMode, entry.text, domain)
                }
                // For a known host, `notePartialCover` reports whether the wildcard covers it.
                if case .wildcardRoot = found.kind, isHostKnown { continue }
                let issue = Issue(found, in: subject, at: entry.location)
                // A profile that rejects this entry uses the other entries that it accepts.
                let others = Profile.allCases.filter { profile in covering.contains { $0.isAccepted(in: profile) } }
                issues.append(issue.atMost(.warning, in: others))
            }
        case .failure(let malformed):
            let issue = Issue(malformed, in: subject, at: entry.location)
            // The device drops this entry and uses the other entries.
            issues.append(covering.isEmpty ? issue : issue.atMost(.warning))
        }
    }

    private mutating func notePartialCover(of host: String) {
        var noted: Set<Service> = []
        // Apple's documents disagree on whether a wildcard entry covers the host after `*.`.
        for entry in covering where entry.isWildcard && entry.host == host && noted.insert(entry.service).inserted {
            let isListed = covering.contains { $0.service == entry.service && $0.covers(host, in: .ios9) }
            let found = AssociatedDomain.EntryIssue.Kind.wildcardRoot(host: host, isRequested: !isListed)
            issues.append(Issue(AssociatedDomain.EntryIssue(found, "\(entry)", entry), in: "\(entry)"))
        }
        for entry in covering.deciding(for: host, port: nil, service: nil) where entry.isWildcard && entry.host != host
        {
            let isOfCredentials = entry.service == .webcredentials
            let found: HostIssue = isOfCredentials ? .wildcardCredentials(entry, host) : .fileElsewhere(entry, host)
            issues.append(Issue(found, in: "\(entry)"))
        }
    }

    private static func manyDomains(_ domains: [AssociatedDomain], _ source: String) -> [Issue] {
        let hosts = Set(domains.map { "\($0.isWildcard ? "*." : "")\($0.fileAuthority)" })
        guard hosts.count > Entitlements.advisedCount else { return [] }
        let counts = Dictionary(grouping: domains, by: \.service).mapValues(\.count)
        let service = Service.allCases.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? .webcredentials
        return [Issue(HostIssue.manyDomains(count: hosts.count, service), in: source)]
    }

    private static func notCovered(
        _ request: CheckRequest, _ host: String?, _ port: UInt16?, _ domains: [AssociatedDomain],
        _ wanted: [AssociatedDomain]
    ) -> Issue {
        let site = { (host: String, port: UInt16?) in host.bracketed + (port.map { ":\($0)" } ?? "") }
        if let service = request.service, let other = domains.first(where: { $0.covers(host, port) }) {
            let name = site(host ?? other.host, port)
            return Issue(HostIssue.otherService(name, present: other.service, service), in: "\(other)")
        }
        let service = request.service ?? wanted.first?.service ?? .webcredentials
        let entries = (wanted.isEmpty ? domains : wanted).prefix(3).map(\.description).joined(separator: ", ")
        let other = wanted.first { $0.covers(host) }.map { site(host ?? $0.host, $0.port) }
        return Issue(
            HostIssue.otherHost(site(host ?? "", port), service, entries: entries, otherPort: other),
            in: request.entries.first?.source ?? "")
    }
}

extension AssociatedDomain {
    func isAccepted(in profile: Profile) -> Bool {
        !issues.contains { $0.entry.diagnostic.effects[profile] == .denial }
    }

    /// Returns true if the entry covers the host in any profile, or if the host is unknown.
    fileprivate func covers(_ host: String?, _ wanted: UInt16? = nil) -> Bool {
        guard wanted == nil || wanted == port ?? 443 else { return false }
        return host.map { host in Profile.allCases.contains { covers(host, in: $0) } } ?? true
    }
}

enum HostIssue: CatalogIssue {
    case fileElsewhere(AssociatedDomain, String)
    case wildcardCredentials(AssociatedDomain, String)
    /// `otherPort` is the site of an entry that covers only the host.
    case otherHost(String, Service, entries: String, otherPort: String? = nil)
    case otherService(String, present: Service, Service)
    case manyDomains(count: Int, Service)

    static let examples: [HostIssue] = {
        guard let wildcard = try? AssociatedDomain("applinks:*.example.com") else { return [] }
        return [
            .fileElsewhere(wildcard, "www.example.com"), .wildcardCredentials(wildcard, "www.example.com"),
            .otherHost("example.com", .webcredentials, entries: "webcredentials:example.org"),
            .otherService("example.com", present: .applinks, .webcredentials), .manyDomains(count: 31, .webcredentials),
        ]
    }()

    var entry: CatalogEntry {
        switch self {
        case .fileElsewhere(let entry, let host):
            .init(
                "entitlement-file-elsewhere",
                "The file for a wildcard entry is at the host that follows *. in the entry.",
                because: "For *.example.com, the device requests https://example.com/.well-known/…, never a subdomain.",
                .all(.note), .entitlement, example: "applinks:*.example.com",
                fixed: "applinks:*.example.com, applinks:www.example.com",
                problem: "For \(host), a device with the entry \(entry) requests the file from \(entry.fileHost)",
                fix: "Serve the file at https://\(entry.fileAuthority)\(FilePath.wellKnown.text). A separate entry for "
                    + "\(host) requires a file at that host")
        case .wildcardCredentials(let entry, let host):
            .init(
                "entitlement-wildcard-credentials", "A webcredentials entry names the exact host.",
                because: "The shared-credential functions accept only an entry that names the exact host.",
                .all(.note), .sharedWebCredentials, example: "webcredentials:*.example.com",
                fixed: "webcredentials:*.example.com, webcredentials:www.example.com",
                problem: "The entry \(entry) covers \(host), but the shared-credential functions accept only "
                    + entry.fileHost,
                fix: "To save and request passwords for \(host), add the entry webcredentials:\(host) and serve its "
                    + "file")
        case .otherHost(let host, let service, let entries, let otherPort):
            .init(
                "entitlement-other-host", "An entry of the app covers the host.",
                because: "The app and the site must list each other. Without an entry, the device never requests the "
                    + "file.", .all(.denial), .supporting, example: "webcredentials:example.org",
                fixed: "webcredentials:example.org, webcredentials:example.com",
                problem: "No entry of the app covers \(host). The app lists \(entries)",
                fix: "Add the entry \(AssociatedDomain.accepted("\(service.rawValue):\(host)"))"
                    + (otherPort.map { ", or check \($0)" } ?? ""))
        case .otherService(let host, let present, let service):
            .init(
                "entitlement-other-service", "An entry of the app has the requested service.",
                because: "Each service requires its own entry.", .all(.denial), .supporting,
                example: "applinks:example.com", fixed: "applinks:example.com, webcredentials:example.com",
                problem: "The app lists \(host) for \(present.rawValue), not for \(service.rawValue)",
                fix: "Add the entry \(AssociatedDomain.accepted("\(service.rawValue):\(host)"))")
        case .manyDomains(let count, let service):
            .init(
                "entitlement-many-domains", "An app lists no more than about 20 to 30 domains.",
                because: "Apple recommends this limit.", .all(.warning), .sharedWebCredentials,
                example: "31 applinks entries for subdomains", fixed: "applinks:*.example.com",
                problem: "The app lists \(count) domains. Apple recommends at most about 20 to 30",
                fix: service == .webcredentials
                    ? "Use one domain for sign-in, or remove entries. A wildcard does not help: the shared-credential "
                        + "functions require an entry for the exact host"
                    : "Replace subdomains with a wildcard, as in \"\(service.rawValue):*.example.com\"")
        }
    }
}
