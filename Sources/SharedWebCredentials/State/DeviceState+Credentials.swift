import AssociatedDomains

enum CredentialChange {
    case store(SharedCredential)
    case remove(SharedCredential)
}

/// The checks that the functions perform, in Apple's order.
extension DeviceState {
    /// Performs the first checks of `SecAddSharedWebCredential`.
    func siteToChange(
        app: AppIdentifier?, domain: String, account: String, password: String?
    ) throws(SharedCredentialError) -> CredentialSite {
        guard !domain.isEmpty else { throw .noDomain }
        guard !account.isEmpty else { throw .noAccount }
        // An item is a user name with a password. Apple documents only nil for a deletion.
        guard password != "" else { throw .noPassword }
        guard autoFill else { throw .autoFillOff }
        return try site(domain, app)
    }

    /// Performs the first checks of `SecRequestSharedWebCredential`.
    /// - Returns: the sites to search, at least one.
    func sitesToSearch(
        app: AppIdentifier?, domain: String?, account: String?, searchesAllDomains: Bool
    ) throws(SharedCredentialError) -> [CredentialSite] {
        guard domain != "" else { throw .noDomain }
        guard account != "" else { throw .noAccount }
        let all = CredentialSite.all(entries(of: app))
        guard domain != nil || !all.isEmpty else { throw .noDomain }
        guard autoFill else { throw .autoFillOff }
        guard let domain else { return searchesAllDomains || system.isBeforeIOS14 ? all : Array(all.prefix(1)) }
        return [try site(domain, app)]
    }

    /// Performs the remaining checks of `SecAddSharedWebCredential`.
    /// - Returns: the change, and the prompt that the user must accept first, if any; nil if the call changes nothing.
    func change(
        at site: CredentialSite, app: AppIdentifier, account: String, password: String?
    ) throws(SharedCredentialError) -> (Prompt?, CredentialChange)? {
        guard isApproved(app, site) else { throw notApproved(app, site) }
        guard !neverSaved.contains(site.host) else { throw .neverSaved(domain: site.written) }
        let present = credentials.first { site.holds($0) && $0.account.isSameText(as: account) }
        let wanted = password.map {
            SharedCredential(server: site.host, account: account, password: $0, port: site.port)
        }
        switch (present, wanted) {
        case (let present?, let wanted?):
            return present == wanted ? nil : (Prompt(.update, app, wanted), .store(wanted))
        case (let present?, nil): return (Prompt(.delete, app, present), .remove(present))
        case (nil, nil): return nil
        case (nil, let wanted?): return (system.isBeforeIOS14 ? nil : Prompt(.save, app, wanted), .store(wanted))
        }
    }

    /// Performs the remaining checks of `SecRequestSharedWebCredential`.
    /// - Returns: the choices in the picker, at least one.
    func matches(
        at sites: [CredentialSite], app: AppIdentifier, account: String?
    ) throws(SharedCredentialError) -> [SharedCredential] {
        let approved = sites.filter { isApproved(app, $0) }
        guard !approved.isEmpty else {
            // Apple's code skips unapproved sites if it searches several.
            guard sites.count == 1 else { throw .noneApproved(domains: sites.map(\.written), app: app) }
            throw sites.first.map { notApproved(app, $0) } ?? .noDomain
        }
        let found = approved.flatMap { site in
            credentials.filter { site.holds($0) && (account.map($0.account.isSameText) ?? true) }
        }
        guard found.isEmpty else { return found }
        let related = relatedHosts(of: approved.map(\.host), account: account)
        throw .notFound(domains: approved.map(\.written), account: account, related: related)
    }

    /// Returns the hosts, with their ports, of items that an app or a page may expect. They differ from `hosts` in a
    /// leading `www.` or in the port.
    func relatedHosts(of hosts: [String], account: String?) -> [String] {
        let names = Set(hosts.map(\.withoutWWW))
        var related: [String] = []
        for item in credentials where names.contains(item.server.withoutWWW) && !related.contains(item.authority) {
            if account.map(item.account.isSameText) ?? true { related.append(item.authority) }
        }
        return related
    }

    func recordIndices(_ app: AppIdentifier, _ site: CredentialSite) -> [Int] {
        records.indices.filter { records[$0].app == app && site.entries.contains(records[$0].entry) }
    }

    mutating func apply(_ change: CredentialChange) {
        switch change {
        case .store(let credential):
            if let index = credentials.firstIndex(where: { $0.isSameItem(as: credential) }) {
                credentials[index] = credential
            } else {
                credentials.append(credential)
            }
        case .remove(let credential): credentials.removeAll { $0.isSameItem(as: credential) }
        }
    }

    private func entries(of app: AppIdentifier?) -> [AssociatedDomain] {
        let installed = apps.first { $0.identifier == app }
        return installed?.domains(system).filter { $0.service == .webcredentials } ?? []
    }

    private func site(_ domain: String, _ app: AppIdentifier?) throws(SharedCredentialError) -> CredentialSite {
        guard let app else { throw .noIdentifier(domain: domain) }
        let entries = entries(of: app)
        if let site = CredentialSite(domain, among: entries) { return site }
        let host = CredentialSite.parts(of: domain).host
        let wildcard = entries.first { $0.isWildcard && $0.covers(host, in: system.ofSites) }
        throw .notInEntitlement(domain: domain, app: app, wildcard: wildcard)
    }

    private func isApproved(_ app: AppIdentifier, _ site: CredentialSite) -> Bool {
        recordIndices(app, site).contains { records[$0].siteApproval == .approved }
    }

    private func notApproved(_ app: AppIdentifier, _ site: CredentialSite) -> SharedCredentialError {
        let record = recordIndices(app, site).lazy.map { records[$0] }.first { $0.failure != nil }
        return .notApproved(domain: site.written, app: app, reason: record?.failure?.message, fix: record?.fix(system))
    }
}

extension String {
    fileprivate var withoutWWW: String { hasPrefix("www.") ? String(dropFirst(4)) : self }
}

extension SharedCredential {
    /// Returns whether both credentials are for the same account at the same site.
    func isSameItem(as other: SharedCredential) -> Bool {
        server == other.server && port == other.port && account.isSameText(as: other.account)
    }
}

extension Prompt {
    init(_ kind: Kind, _ app: AppIdentifier?, _ credential: SharedCredential) {
        self.init(kind: kind, app: app, choices: [Choice(credential)])
    }
}
