import AssociatedDomains
import MotivatorPlatform

enum HostIssue: CatalogIssue {
    case fileElsewhere(AssociatedDomain, String)
    case wildcardCredentials(AssociatedDomain, String)
    case otherHost(String, Service, entries: String)
    case otherService(String, present: Service, Service)
    case manyDomains(count: Int, Service)

    static let title = "Entitlement"
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
            row(
                "entitlement-file-elsewhere",
                "The file for a wildcard entry is at the host that follows *. in the entry.",
                "For *.example.com, the device requests https://example.com/.well-known/…, never a subdomain.",
                .all(.note), "applinks:*.example.com", "applinks:*.example.com, applinks:www.example.com",
                "For \(host), a device with the entry \(entry) requests the file from \(entry.fileHost)",
                "Serve the file at https://\(entry.fileAuthority)\(FilePath.wellKnown.text). A separate entry for "
                    + "\(host) requires a file at that host", .entitlement)
        case .wildcardCredentials(let entry, let host):
            row(
                "entitlement-wildcard-credentials", "A webcredentials entry names the exact host.",
                "The shared-credential functions accept only an entry that names the exact host.", .all(.note),
                "webcredentials:*.example.com", "webcredentials:*.example.com, webcredentials:www.example.com",
                "The entry \(entry) covers \(host), but the shared-credential functions accept only "
                    + entry.fileHost,
                "To save and request passwords for \(host), add the entry webcredentials:\(host) and serve its file",
                .sharedWebCredentials)
        case .otherHost(let host, let service, let entries):
            row(
                "entitlement-other-host", "An entry of the app covers the host.",
                "The app and the site must list each other. Without an entry, the device never requests the file.",
                .all(.denial), "webcredentials:example.org", "webcredentials:example.org, webcredentials:example.com",
                "No entry of the app covers \(host). The app lists \(entries)",
                "Add the entry \(service.rawValue):\(host)", .supporting)
        case .otherService(let host, let present, let service):
            row(
                "entitlement-other-service", "An entry of the app has the requested service.",
                "Each service requires its own entry.", .all(.denial), "applinks:example.com",
                "applinks:example.com, webcredentials:example.com",
                "The app lists \(host) for \(present.rawValue), not for \(service.rawValue)",
                "Add the entry \(service.rawValue):\(host)", .supporting)
        case .manyDomains(let count, let service):
            row(
                "entitlement-many-domains", "An app lists no more than about 20 to 30 domains.",
                "Apple recommends this limit.", .all(.warning), "31 applinks entries for subdomains",
                "applinks:*.example.com",
                "The app lists \(count) domains. Apple recommends at most about 20 to 30",
                service == .webcredentials
                    ? "Use one domain for sign-in, or remove entries. A wildcard does not help: the shared-credential "
                        + "functions require an entry for the exact host"
                    : "Replace subdomains with a wildcard, as in \"\(service.rawValue):*.example.com\"",
                .sharedWebCredentials)
        }
    }

    private func row(
        _ code: String, _ rule: String, _ reason: String, _ effects: SeverityByProfile, _ example: String,
        _ fixed: String, _ problem: String, _ fix: String, _ source: Source
    ) -> CatalogEntry {
        .init(
            code, rule, because: reason, effects, source, example: example, fixed: fixed, problem: problem, fix: fix)
    }
}
