import COpenSSL
import Platform

/// Judges a chain as a server shows it the way an Apple device would; it reports everything that is wrong, not the
/// first thing.
///
/// OpenSSL builds the path and checks it by RFC 5280; Apple's rules for servers are applied to what it built.
public struct ChainJudge: Sendable {
    private let store: TrustStore
    private let isSystem: Bool
    /// Asked about chains that end nowhere in `store`.
    private let given: TrustStore?
    private let time: UnixTime

    /// - Parameters:
    ///   - trust: the trust anchors, which are roots, used instead of the system's; nil for the system's
    ///     (`SSL_CERT_FILE`, or OpenSSL's own paths).
    ///   - time: the moment that is judged.
    /// - Throws: `CMSError.noTrustAnchors`.
    public init(trust: [Certificate]?, at time: UnixTime) throws(CMSError) {
        store = try TrustStore(trust)
        isSystem = trust == nil
        given = nil
        self.time = time
    }

    /// A judge that takes the system's trust anchors, and others beside them.
    ///
    /// - Parameters:
    ///   - given: roots for chains that end at none of the system's.
    ///   - time: the moment that is judged.
    /// - Throws: `CMSError.noTrustAnchors`.
    public init(systemAnd given: [Certificate], at time: UnixTime) throws(CMSError) {
        store = try TrustStore(nil)
        isSystem = true
        self.given = given.isEmpty ? nil : try TrustStore(given)
        self.time = time
    }

    /// A judge to whom the given roots are those of the system, whose certificates Apple limits further.
    package init(systemRoots: [Certificate], at time: UnixTime) throws(CMSError) {
        store = try TrustStore(systemRoots)
        isSystem = true
        given = nil
        self.time = time
    }

    /// Judges a chain.
    ///
    /// - Parameters:
    ///   - served: the certificates in the order in which the server shows them, its own first; hostile ones too.
    ///   - host: the host name (punycode for letters beyond ASCII) or the text of an IP address that was asked for.
    /// - Returns: everything that is wrong, and the chain as it was built.
    public func verdict(on served: [Certificate], host: String) -> ChainVerdict {
        let verdict = verdict(on: served, host: host, store, isSystem: isSystem)
        guard verdict.anchor == .none, let given else { return verdict }
        let other = self.verdict(on: served, host: host, given, isSystem: false)
        return other.anchor == .none ? verdict : other
    }

    private func verdict(
        on served: [Certificate], host: String, _ store: TrustStore, isSystem: Bool
    ) -> ChainVerdict {
        guard let leaf = served.first else { return ChainVerdict(faults: [.noCertificate], anchor: .none, path: []) }
        let built = store.examine(
            leaf, intermediates: Array(served.dropFirst()), at: time, purpose: X509_PURPOSE_SSL_SERVER)
        let faults =
            built.faults + leaf.nameFaults(host: host)
            + leaf.serverFaults(belowSystemRoot: isSystem && built.isAnchored) + ServedOrder(served, built).notes
        return ChainVerdict(
            faults: faults.unique, anchor: ChainJudge.anchor(of: built, isSystem: isSystem), path: built.path)
    }

    private static func anchor(of built: ExaminedPath, isSystem: Bool) -> ChainVerdict.Anchor {
        guard built.isAnchored, let root = built.path.last?.title else { return .none }
        return isSystem ? .system(subject: root) : .given(subject: root)
    }
}

extension Certificate {
    /// The first day of the rules in Apple 103769 for servers' certificates: 2019-07-01T00:00:00Z.
    private static let rulesOf2019: UnixTime = 1_561_939_200
    /// The first day of the limit in Apple 102028: 2020-09-01T00:00:00Z.
    private static let rulesOf2020: UnixTime = 1_598_918_400
    private static let day: UnixTime = 86_400

    /// What is wrong with the names of a server's certificate.
    fileprivate func nameFaults(host: String) -> [ChainFault] {
        let names = dnsNames + addresses
        var faults: [ChainFault] = []
        if names.isEmpty { faults.append(.noAlternativeName(commonName: commonName)) }
        if !matches(host: host, commonName: names.isEmpty) {
            faults.append(.wrongHost(host: host, names: names.isEmpty ? commonName.map { [$0] } ?? [] : names))
        }
        return faults + dnsNames.filter(\.isWideWildcard).map { .wildcardTooWide(name: $0) }
    }

    /// What of a server's certificate breaks Apple's rules.
    fileprivate func serverFaults(belowSystemRoot: Bool) -> [ChainFault] {
        var faults: [ChainFault] = []
        let hasUses = unsafe X509_get_extension_flags(pointer) & UInt32(EXFLAG_XKUSAGE) != 0
        if !isForServers || (!hasUses && notBefore >= Certificate.rulesOf2019) {
            faults.append(.notForServers(subject: title))
        }
        let limit: Int? =
            belowSystemRoot && notBefore >= Certificate.rulesOf2020
            ? 398 : notBefore >= Certificate.rulesOf2019 ? 825 : nil
        // By RFC 5280 notAfter is the last second and counts, but the usual tools, and devices, do not count it.
        let days = Int((notAfter - notBefore + Certificate.day - 1) / Certificate.day)
        if let limit, days > limit { faults.append(.tooLong(days: days, limit: limit)) }
        return faults
    }
}

extension String {
    /// Whether it is a star and at most one label, which is as near as one gets to a public suffix without its list.
    fileprivate var isWideWildcard: Bool {
        let labels = utf8.split(separator: 0x2E, omittingEmptySubsequences: true)
        return labels.first?.elementsEqual([0x2A]) == true && labels.count <= 2
    }
}
