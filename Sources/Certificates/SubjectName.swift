import MotivatorPlatform

/// A name in a certificate: a DNS name, a wildcard, or an IP address.
///
/// A name may come from a hostile client hello. Therefore, only a checked value of this type becomes part of an
/// extension or a file name.
public struct SubjectName: Hashable, Sendable, CustomStringConvertible {
    /// The name in lower case, or the address in its usual form.
    public let text: String
    /// Whether the name is an IP address.
    public let isAddress: Bool
    /// Whether the name starts with `*.`, which matches exactly one label.
    public let isWildcard: Bool

    /// Checks a name.
    /// - Parameter text: a host name (RFC 1123 §2.1), an IP address without brackets, or `*.` and a host name. A host
    ///   name is at most 253 characters long. Each label consists of at most 63 letters, digits and hyphens. The last
    ///   label is not a number.
    /// - Throws: `CertificateError`, including for a wildcard with only one other label. Apple platforms reject the
    ///   whole certificate for a wildcard directly below a public suffix.
    public init(_ text: String) throws(CertificateError) {
        if let address = SocketAddress(text, port: 0), !text.utf8.contains(0) {
            self.init(text: address.host, isAddress: true, isWildcard: false)
            return
        }
        // Only ASCII letters are folded, because Unicode case mapping could turn another letter into an ASCII letter.
        let bytes = text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        let isWildcard = bytes.starts(with: [0x2A, 0x2E])
        let name = isWildcard ? Array(bytes.dropFirst(2)) : bytes
        guard bytes.count <= 253 else { throw .malformedName(text) }
        let labels = name.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard labels.allSatisfy(SubjectName.isLabel), let last = labels.last,
            !last.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            throw .malformedName(text)
        }
        guard !isWildcard || labels.count > 1 else { throw .wildcardTooWide(text) }
        self.init(text: String(decoding: bytes, as: UTF8.self), isAddress: false, isWildcard: isWildcard)
    }

    private init(text: String, isAddress: Bool, isWildcard: Bool) {
        (self.text, self.isAddress, self.isWildcard) = (text, isAddress, isWildcard)
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        guard (1...63).contains(label.count), label.first != 0x2D, label.last != 0x2D else { return false }
        return label.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    public var description: String { text }

    var base: String { isWildcard ? String(text.dropFirst(2)) : text }

    var alternativeName: String { (isAddress ? "IP:" : "DNS:") + text }

    var fileName: String { isWildcard ? "_wildcard." + base : text }
}
