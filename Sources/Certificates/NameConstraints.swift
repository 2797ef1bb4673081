import COpenSSL
import MotivatorPlatform

/// The names that a CA certificate permits (RFC 5280 §4.2.1.10). They limit the damage that a stolen key can cause.
public struct NameConstraints: Hashable, Sendable {
    /// A range of addresses that match `base` in the bits set in `mask`.
    struct Range: Hashable, Sendable {
        let base: SocketAddress
        let mask: SocketAddress

        init?(_ base: SocketAddress?, _ mask: SocketAddress?) {
            guard let base, let mask else { return nil }
            (self.base, self.mask) = (base, mask)
        }

        init?(_ base: String, _ mask: String) {
            self.init(SocketAddress(base, port: 0), SocketAddress(mask, port: 0))
        }

        init?(_ bytes: [UInt8]) {
            let half = bytes.count / 2
            self.init(
                SocketAddress(bytes: Array(bytes.prefix(half)), port: 0),
                SocketAddress(bytes: Array(bytes.suffix(half)), port: 0))
        }

        func contains(_ address: SocketAddress) -> Bool {
            guard address.bytes.count == base.bytes.count else { return false }
            return address.bytes.indices.allSatisfy { address.bytes[$0] & mask.bytes[$0] == base.bytes[$0] }
        }
    }

    /// The permitted DNS names; each permits itself and every name below it.
    public private(set) var domains: [String]
    var ranges: [Range]

    /// Top-level names that the public DNS does not delegate (RFC 2606, RFC 6761, RFC 6762, ICANN for `internal`).
    static let privateTopLevelNames = ["test", "localhost", "local", "internal", "example", "invalid"]

    /// Creates constraints that permit `test` and `localhost` with all names below them, private and local addresses,
    /// and additional names.
    /// - Parameter extra: the additional domains and addresses; a domain of one label must be one of
    ///   `privateTopLevelNames`.
    /// - Throws: `CertificateError`, such as `.permissionTooWide` for a wildcard or a public top-level name.
    public init(permitting extra: [String]) throws {
        self.init()
        for text in extra {
            let name = try SubjectName(text)
            guard !permits(name) else { continue }
            if name.isAddress {
                let mask = name.text.utf8.contains(0x3A) ? "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" : "255.255.255.255"
                if let range = Range(name.text, mask) { ranges.append(range) }
                continue
            }
            let isTopLevel = !name.text.utf8.contains(0x2E)
            guard !name.isWildcard, !isTopLevel || NameConstraints.privateTopLevelNames.contains(name.text) else {
                throw CertificateError.permissionTooWide(name.text)
            }
            domains.append(name.text)
        }
    }

    private init() {
        domains = ["test", "localhost"]
        // RFC 1122 §3.2.1.3, RFC 1918, RFC 3927, RFC 4291 §2.5.3 and §2.5.6, RFC 4193.
        ranges = [
            Range("127.0.0.0", "255.0.0.0"), Range("10.0.0.0", "255.0.0.0"), Range("172.16.0.0", "255.240.0.0"),
            Range("192.168.0.0", "255.255.0.0"), Range("169.254.0.0", "255.255.0.0"),
            Range("::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), Range("fc00::", "fe00::"),
            Range("fe80::", "ffc0::"),
        ].compactMap { $0 }
    }

    /// Reads the constraints on the hosts of a CA certificate.
    /// - Returns: nil if the certificate has no constraints and can sign for any name.
    public init?(of certificate: Certificate) {
        guard let raw = unsafe X509_get_ext_d2i(certificate.pointer, NID_name_constraints, nil, nil) else { return nil }
        let constraints = unsafe raw.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { unsafe NAME_CONSTRAINTS_free(constraints) }
        let names = unsafe Bio.elements(constraints.pointee.permittedSubtrees).compactMap {
            unsafe $0.assumingMemoryBound(to: GENERAL_SUBTREE.self).pointee.base
        }
        domains = unsafe names.filter { unsafe $0.pointee.type == GEN_DNS }.compactMap { name in
            unsafe name.pointee.d.dNSName.map {
                unsafe String(decoding: Certificate.bytes(UnsafePointer($0)), as: UTF8.self)
            }
        }
        ranges = unsafe names.filter { unsafe $0.pointee.type == GEN_IPADD }.compactMap { name in
            unsafe name.pointee.d.iPAddress.flatMap { unsafe Range(Certificate.bytes(UnsafePointer($0))) }
        }
    }

    /// Returns whether the constraints permit a certificate for a name.
    /// - Parameter name: the name; for a wildcard, every matching name must be permitted.
    public func permits(_ name: SubjectName) -> Bool {
        if name.isAddress {
            return SocketAddress(name.text, port: 0).map { address in ranges.contains { $0.contains(address) } }
                ?? false
        }
        return domains.contains { name.base == $0 || name.base.hasSuffix("." + $0) }
    }

    /// The additional domains and addresses, as arguments for `init(permitting:)`.
    var extras: [String] {
        let always = NameConstraints()
        let hosts = ranges.filter { !always.ranges.contains($0) && $0.mask.bytes.allSatisfy { $0 == 0xFF } }
        return domains.filter { !always.domains.contains($0) } + hosts.map(\.base.host)
    }

    /// A host that does not exist (RFC 2606 §2).
    ///
    /// To exclude every name of a kind, the constraints both permit and exclude this host. RFC 5280 does not define the
    /// meaning of an empty name here, and verifiers differ: OpenSSL ignores an excluded ".".
    private static let reservedHost = "invalid"

    /// The name constraints extension, which is the same for the root and the intermediate.
    ///
    /// The extension is not critical, contrary to RFC 5280 §4.2.1.10. If it were critical, Go and Python's cryptography
    /// would reject every certificate below it, because it constrains directory names. Both enforce the other
    /// constraints in any case.
    var draftExtension: CertificateDraft.Extension {
        // Without a leading dot, a constraint applies to the name itself and all names below it (RFC 5280).
        let names = domains.map { "permitted;DNS:\($0)" }
        let addresses = ranges.map { "permitted;IP:\($0.base.host)/\($0.mask.host)" }
        let nothing = ["email", "URI"].flatMap { kind in
            ["permitted", "excluded"].map { "\($0);\(kind):\(NameConstraints.reservedHost)" }
        }
        let all = names + addresses + ["permitted;dirName:directory"] + nothing
        return .init("nameConstraints", all.joined(separator: ","))
    }

    /// The section that the extension refers to.
    static let sections = "[directory]\nO = \(CertificateDraft.organization)\n"
}
