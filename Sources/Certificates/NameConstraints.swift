import COpenSSL

/// The names that an authority may sign for (RFC 5280 §4.2.1.10), so that its stolen key is good for nothing else.
public struct NameConstraints: Hashable, Sendable {
    /// A range of addresses: those that equal `base` in the bits of `mask`.
    struct Range: Hashable, Sendable {
        let base: AddressBytes
        let mask: AddressBytes

        init?(_ base: String, _ mask: String) {
            guard let base = AddressBytes(text: base), let mask = AddressBytes(text: mask) else { return nil }
            self.base = base
            self.mask = mask
        }

        init?(_ bytes: [UInt8]) {
            guard let base = AddressBytes(Array(bytes.prefix(bytes.count / 2))),
                let mask = AddressBytes(Array(bytes.suffix(bytes.count / 2)))
            else { return nil }
            self.base = base
            self.mask = mask
        }

        func contains(_ address: AddressBytes) -> Bool {
            guard address.bytes.count == base.bytes.count else { return false }
            return address.bytes.indices.allSatisfy { address.bytes[$0] & mask.bytes[$0] == base.bytes[$0] }
        }
    }

    /// The permitted DNS names; each stands for itself and for every name below it.
    public private(set) var domains: [String]
    var ranges: [Range]

    /// Top-level names that nobody can own in the public DNS (RFC 2606, RFC 6761, RFC 6762, ICANN for `internal`).
    static let privateTopLevelNames = ["test", "localhost", "local", "internal", "example", "invalid"]

    /// Always permitted: `.test`, `localhost` and all below, loopback, link-local and private addresses.
    ///
    /// - Parameter extra: further domains and addresses; a domain of one label has to be one that nobody can own.
    /// - Throws: `AuthorityError.permissionTooWide` for a wildcard or a public top-level name, `SubjectNameError`.
    public init(permitting extra: [String]) throws {
        domains = ["test", "localhost"]
        // RFC 1122 §3.2.1.3, RFC 1918, RFC 3927, RFC 4291 §2.5.3 and §2.5.6, RFC 4193.
        ranges = [
            Range("127.0.0.0", "255.0.0.0"), Range("10.0.0.0", "255.0.0.0"), Range("172.16.0.0", "255.240.0.0"),
            Range("192.168.0.0", "255.255.0.0"), Range("169.254.0.0", "255.255.0.0"),
            Range("::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), Range("fc00::", "fe00::"),
            Range("fe80::", "ffc0::"),
        ].compactMap { $0 }
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
                throw AuthorityError.permissionTooWide(name.text)
            }
            domains.append(name.text)
        }
    }

    /// Reads the constraints of an authority's certificate.
    ///
    /// - Parameter certificate: the authority.
    /// - Returns: nil when it has none, and so may sign for anything.
    public init?(of certificate: Certificate) {
        guard let raw = X509_get_ext_d2i(certificate.pointer, NID_name_constraints, nil, nil) else { return nil }
        let constraints = raw.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { NAME_CONSTRAINTS_free(constraints) }
        domains = []
        ranges = []
        let trees = constraints.pointee.permittedSubtrees
        for index in 0..<max(OPENSSL_sk_num(trees), 0) {
            guard let tree = OPENSSL_sk_value(trees, index)?.assumingMemoryBound(to: GENERAL_SUBTREE.self),
                let base = tree.pointee.base
            else { continue }
            if base.pointee.type == GEN_DNS, let value = base.pointee.d.dNSName {
                domains.append(String(decoding: Certificate.bytes(UnsafePointer(value)), as: UTF8.self))
            } else if base.pointee.type == GEN_IPADD, let value = base.pointee.d.iPAddress {
                if let range = Range(Certificate.bytes(UnsafePointer(value))) { ranges.append(range) }
            }
        }
    }

    /// Whether a certificate for a name may be signed.
    ///
    /// - Parameter name: the name; for a wildcard, all names that it stands for have to be permitted.
    /// - Returns: whether it lies within the constraints.
    public func permits(_ name: SubjectName) -> Bool {
        if name.isAddress {
            return AddressBytes(text: name.text).map { address in ranges.contains { $0.contains(address) } } ?? false
        }
        return domains.contains { name.base == $0 || name.base.hasSuffix("." + $0) }
    }

    /// The constraints in the syntax of OpenSSL's x509v3_config(5).
    var extensionValue: String {
        // Without a leading dot: RFC 5280 counts the name itself and all below it, and every verifier reads it so.
        let names = domains.map { "permitted;DNS:\($0)" }
        let addresses = ranges.map { "permitted;IP:\($0.base.text)/\($0.mask.text)" }
        return (names + addresses).joined(separator: ",")
    }
}
