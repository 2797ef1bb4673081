import AssociatedDomains

extension [AssociatedDomain] {
    /// The entries that decide where a device looks for the file of a host: of each service one.
    ///
    /// Their order says nothing. The host itself comes before a wildcard, the narrower wildcard before the wider, the port
    /// that is asked about before another, and an entry without a mode before one with. One of each service is enough,
    /// and keeps the number of requests small, however long the list is.
    ///
    /// - Parameters:
    ///   - host: the host in lower case.
    ///   - port: the port that is asked about; nil for that of https.
    ///   - service: the service that is asked for; nil for each.
    func deciding(for host: String, port: UInt16?, service: Service?) -> [AssociatedDomain] {
        let covering = filter { $0.covers(host, in: .device) }
        return Service.allCases.filter { service == nil || $0 == service }.compactMap { service in
            covering.filter { $0.service == service }.min { $0.isNearer(than: $1, to: port ?? 443) }
        }
    }

    /// The services in Apple's order.
    var services: [Service] { Service.allCases.filter { service in contains { $0.service == service } } }

    /// Whether a device asks the host itself, because each entry has a mode.
    var areStraight: Bool { !isEmpty && allSatisfy { !$0.modes.isEmpty } }

    /// Whether they are for devices in developer mode alone, which take a root that a user installed.
    var areForDevelopers: Bool { !isEmpty && allSatisfy { $0.modes.contains(.developer) } }
}

extension AssociatedDomain {
    /// Both cover the same host: the longer name is the nearer one.
    fileprivate func isNearer(than other: AssociatedDomain, to wanted: UInt16) -> Bool {
        if host.utf8.count != other.host.utf8.count { return host.utf8.count > other.host.utf8.count }
        if isWildcard != other.isWildcard { return !isWildcard }
        let (mine, theirs) = (port ?? 443, other.port ?? 443)
        if mine != theirs { return mine == wanted || (theirs != wanted && mine < theirs) }
        return modes.rawValue < other.modes.rawValue
    }
}
