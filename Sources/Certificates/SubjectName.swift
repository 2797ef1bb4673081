public import MotivatorPlatform

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
    /// - Throws: `SubjectNameError`, including for a wildcard with only one other label. Apple platforms reject the
    ///   whole certificate for a wildcard directly below a public suffix.
    public init(_ text: String) throws(SubjectNameError) {
        if let address = AddressBytes(text: text), !text.utf8.contains(0) {
            self.init(text: address.text, isAddress: true, isWildcard: false)
            return
        }
        // Only ASCII letters are folded, because Unicode case mapping could turn another letter into an ASCII letter.
        let bytes = text.utf8.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
        let isWildcard = bytes.starts(with: [0x2A, 0x2E])
        let name = isWildcard ? Array(bytes.dropFirst(2)) : bytes
        guard bytes.count <= 253 else { throw .malformed(text) }
        let labels = name.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard labels.allSatisfy(SubjectName.isLabel), let last = labels.last,
            !last.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            throw .malformed(text)
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

    /// The name without the star.
    var base: String { isWildcard ? String(text.dropFirst(2)) : text }

    /// The name in the syntax of OpenSSL extensions.
    var alternativeName: String { (isAddress ? "IP:" : "DNS:") + text }

    /// The name as the first part of a file name.
    var fileName: String { isWildcard ? "_wildcard." + base : text }
}

/// Why a string is not a valid name for a certificate.
public enum SubjectNameError: ExplainedError, Equatable {
    case malformed(String)
    /// A wildcard directly below one label, such as `*.localhost`.
    case wildcardTooWide(String)

    public var problem: String {
        switch self {
        case .malformed(let text): "\(text.quoted) is neither a host name nor an IP address"
        case .wildcardTooWide(let text):
            "\(text.quoted) is a wildcard directly below a top-level name; Apple platforms reject certificates with it"
        }
    }

    public var fix: String {
        switch self {
        case .malformed:
            "Use an ASCII name such as ultra-motivator.test (Punycode for other letters), or an address such as ::1"
        case .wildcardTooWide:
            "List each host, or use a wildcard with at least two labels after the asterisk, such as *.demo.test"
        }
    }

    public var exitCode: ExitCode { .usage }
}

/// An IP address in a certificate: 4 or 16 bytes in network order.
struct AddressBytes: Hashable, Sendable {
    let bytes: [UInt8]

    /// - Parameter bytes: the address, 4 or 16 bytes. For any other length, the result is nil.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// - Parameter text: four decimal numbers, or RFC 4291 text without a zone.
    init?(text: String) {
        guard let address = SocketAddress(text, port: 0) else { return nil }
        bytes = address.bytes
    }

    /// The usual text form; for IPv6, RFC 5952.
    var text: String { SocketAddress(bytes: bytes, port: 0)?.host ?? "" }
}
