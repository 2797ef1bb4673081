import COpenSSL
public import MotivatorPlatform

/// Verifies a server's chain according to the rules that Apple devices apply, and reports all issues.
///
/// OpenSSL builds the path and verifies it according to RFC 5280. The verifier then applies Apple's rules for servers.
public struct ChainVerifier: Sendable {
    private let store: TrustStore
    private let isSystem: Bool
    /// Additional trust anchors, for chains that do not end at a root in `store`.
    private let given: TrustStore?
    private let time: UnixTime
}

extension ChainVerifier {
    /// - Parameter trust: the trusted roots; nil for the system's roots (`SSL_CERT_FILE` or OpenSSL's paths).
    public init(trust: [Certificate]?, at time: UnixTime) throws(CMSIssue) {
        self.init(store: try TrustStore(trust), isSystem: trust == nil, given: nil, time: time)
    }

    /// Creates a verifier that trusts the system's roots and additional roots.
    /// - Parameter given: the roots for chains that do not end at one of the system's roots.
    public init(systemAnd given: [Certificate], at time: UnixTime) throws(CMSIssue) {
        let others = given.isEmpty ? nil : try TrustStore(given)
        self.init(store: try TrustStore(nil), isSystem: true, given: others, time: time)
    }

    /// Creates a verifier that treats the given roots as system roots. Apple has stricter rules for system roots.
    package init(systemRoots: [Certificate], at time: UnixTime) throws(CMSIssue) {
        self.init(store: try TrustStore(systemRoots), isSystem: true, given: nil, time: time)
    }

    /// Verifies a chain.
    /// - Parameters:
    ///   - served: the certificates in the order sent, starting with the server's own. They may be hostile.
    ///   - host: the requested host name (in Punycode if it is not ASCII) or IP address; nil to skip the name check, as
    ///     for a certificate in a file.
    /// - Returns: all issues, and the chain that OpenSSL built.
    public func verdict(on served: [Certificate], host: String?) -> ChainVerdict {
        let verdict = verdict(on: served, host: host, store, isSystem: isSystem)
        guard verdict.anchor == .none, let given else { return verdict }
        let other = self.verdict(on: served, host: host, given, isSystem: false)
        return other.anchor == .none ? verdict : other
    }

    private func verdict(
        on served: [Certificate], host: String?, _ store: TrustStore, isSystem: Bool
    ) -> ChainVerdict {
        guard let leaf = served.first else { return ChainVerdict(issues: [.noCertificate], anchor: .none, path: []) }
        let built = store.build(
            leaf, intermediates: Array(served.dropFirst()), at: time, purpose: X509_PURPOSE_SSL_SERVER)
        let issues =
            built.issues + leaf.nameIssues(host: host)
            + leaf.serverIssues(belowSystemRoot: isSystem && built.isAnchored) + built.notes(on: served)
        return ChainVerdict(
            issues: issues.distinct, anchor: ChainVerifier.anchor(of: built, isSystem: isSystem), path: built.path)
    }

    private static func anchor(of built: BuiltChain, isSystem: Bool) -> ChainVerdict.Anchor {
        guard built.isAnchored, let root = built.path.last?.title else { return .none }
        return isSystem ? .system(subject: root) : .given(subject: root)
    }
}

extension Certificate {
    /// The start of Apple 103769 for server certificates: 2019-07-01T00:00:00Z.
    private static let rulesOf2019: UnixTime = 1_561_939_200
    /// The start of Apple 102028: 2020-09-01T00:00:00Z.
    private static let rulesOf2020: UnixTime = 1_598_918_400
    private static let day: UnixTime = 86_400

    /// Returns the issues in the names of a server's certificate.
    fileprivate func nameIssues(host: String?) -> [ChainIssue] {
        let names = dnsNames.map { (try? SubjectName($0))?.isAddress == true ? "DNS:\($0)" : $0 } + addresses
        var issues: [ChainIssue] = []
        if names.isEmpty { issues.append(.noAlternativeName(commonName: commonName)) }
        if let host, !matches(host: host, commonName: names.isEmpty) {
            issues.append(.wrongHost(host: host, names: names.isEmpty ? commonName.map { [$0] } ?? [] : names))
        }
        // A star followed by at most one label. This rule approximates the public suffix list.
        let tooWide = dnsNames.filter { name in
            let labels = name.utf8.split(separator: 0x2E, omittingEmptySubsequences: true)
            return labels.first?.elementsEqual([0x2A]) == true && labels.count <= 2
        }
        return issues + tooWide.map { .wildcardTooWide(name: $0) }
    }

    /// Returns the issues in a server's certificate according to Apple's rules.
    fileprivate func serverIssues(belowSystemRoot: Bool) -> [ChainIssue] {
        var issues: [ChainIssue] = []
        let hasUses = unsafe X509_get_extension_flags(pointer) & UInt32(EXFLAG_XKUSAGE) != 0
        if !isForServers {
            issues.append(.notForServers(subject: title))
        } else if !hasUses, notBefore >= Certificate.rulesOf2019 {
            issues.append(.noPurpose(subject: title))
        }
        let limit: Int? =
            belowSystemRoot && notBefore >= Certificate.rulesOf2020
            ? 398 : notBefore >= Certificate.rulesOf2019 ? 825 : nil
        // RFC 5280 includes the last second in the validity. Devices and common tools do not count it.
        let days = Int((notAfter - notBefore + Certificate.day - 1) / Certificate.day)
        if let limit, days > limit { issues.append(.tooLong(days: days, limit: limit)) }
        return issues
    }
}

/// The result of verifying a server's certificates.
public struct ChainVerdict: Equatable, Sendable {
    /// Where the chain ends.
    public enum Anchor: Hashable, Sendable {
        /// The chain ends at one of the system's roots.
        case system(subject: String)
        /// The chain ends at a root that the caller trusts.
        case given(subject: String)
        /// The chain does not end at a trust anchor.
        case none
    }

    /// All issues and notes (`ChainIssue.isNote`). Issues in the chain come first.
    public let issues: [ChainIssue]
    /// The trust anchor at the end of the chain, regardless of issues.
    public let anchor: Anchor
    /// The server's certificate, followed by the issuers and the trust anchor that were found.
    public let path: [Certificate]

    /// Creates a result from its parts.
    public init(issues: [ChainIssue], anchor: Anchor, path: [Certificate]) {
        (self.issues, self.anchor, self.path) = (issues, anchor, path)
    }

    /// Whether a device accepts the chain: it has no issues except notes.
    public var isAccepted: Bool { issues.allSatisfy(\.isNote) }
}
