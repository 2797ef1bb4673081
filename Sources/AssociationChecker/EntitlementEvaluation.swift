import AssociatedDomains
import SourceJSON

struct EntitlementEvaluation {
    private(set) var issues: [Issue] = []
    /// The accepted entries that cover the host for the requested service. Without a requested service, any service
    /// qualifies. If the host is unknown, any host qualifies.
    private(set) var covering: [AssociatedDomain] = []

    /// - Parameter host: The host in lower case, or nil if it is unknown.
    static func evaluate(_ request: CheckRequest, host: String?) -> EntitlementEvaluation {
        let entries = request.entries.map { (entry: $0, domain: $0.domain) }
        let domains = entries.compactMap { try? $0.domain.get() }
        let wanted = domains.filter { request.service == nil || $0.service == request.service }
        var evaluation = EntitlementEvaluation()
        evaluation.covering = wanted.filter { $0.covers(host) }
        // If the list has entries, a list issue is at most a warning. An issue with the provisioning profile keeps its
        // effects, because the profile applies to all entries.
        evaluation.issues = request.listIssues.map { issue in
            let isOfProfile = (issue.kind as? Entitlements.EntryIssue)?.isOfProfile == true
            return entries.isEmpty || isOfProfile ? issue : issue.atMost(.warning)
        }
        evaluation.issues += manyDomains(domains, request.entries.first?.source ?? "")
        for (entry, domain) in entries { evaluation.note(entry, domain, isHostKnown: host != nil) }
        // If no entry is accepted, the issues with the entries already explain why no entry covers the host.
        if evaluation.covering.isEmpty, !domains.isEmpty {
            evaluation.issues.append(notCovered(request, host, domains, wanted))
        }
        if let host { evaluation.notePartialCover(of: host, request.service) }
        return evaluation
    }

    private mutating func note(
        _ entry: CheckRequest.Entry, _ result: Result<AssociatedDomain, AssociatedDomain.Malformed>, isHostKnown: Bool
    ) {
        let isShown = entry.location == nil && !entry.text.allSatisfy(\.isWhitespace)
        let subject = isShown ? entry.text : entry.source
        switch result {
        case .success(let domain):
            for found in domain.issues {
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

    private mutating func notePartialCover(of host: String, _ service: Service?) {
        var noted: Set<Service> = []
        for entry in covering where entry.coversAsRoot(host, service) && noted.insert(entry.service).inserted {
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
        _ request: CheckRequest, _ host: String?, _ domains: [AssociatedDomain], _ wanted: [AssociatedDomain]
    ) -> Issue {
        if let service = request.service, let other = domains.first(where: { $0.covers(host) }) {
            return Issue(
                HostIssue.otherService(host ?? other.host, present: other.service, service), in: "\(other)")
        }
        let service = request.service ?? wanted.first?.service ?? .webcredentials
        let entries = (wanted.isEmpty ? domains : wanted).prefix(3).map(\.description).joined(separator: ", ")
        return Issue(
            HostIssue.otherHost(host ?? "", service, entries: entries), in: request.entries.first?.source ?? "")
    }
}

extension AssociatedDomain {
    func isAccepted(in profile: Profile) -> Bool {
        !issues.contains { $0.entry.diagnostic.effects[profile] == .denial }
    }

    /// Returns true if the entry covers the host in any profile, or if the host is unknown.
    fileprivate func covers(_ host: String?) -> Bool {
        host.map { host in Profile.allCases.contains { covers(host, in: $0) } } ?? true
    }

    /// Returns whether the host is the part after `*.`. Apple's documents disagree on whether a wildcard entry covers
    /// this host.
    fileprivate func coversAsRoot(_ host: String?, _ service: Service?) -> Bool {
        isWildcard && self.host == host && (service == nil || self.service == service)
    }
}
