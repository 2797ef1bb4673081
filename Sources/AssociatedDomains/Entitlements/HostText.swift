import Foundation
import MotivatorPlatform

/// Functions for host names and addresses.
package enum HostText {
    /// The maximum length of a name and of a label, in bytes (RFC 1035, 2.3.4).
    static let maximumName = 253
    static let maximumLabel = 63

    /// Returns the text with ASCII letters in lower case, or an IPv6 address in canonical form without brackets.
    static func canonical(_ text: String) -> String {
        guard text.utf8.count <= maximumName + 2 else { return text }
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let inner = isBracketed ? String(text.dropFirst().dropLast()) : text
        return ipv6(inner) ?? lowered(text)
    }

    package static func lowered(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Returns a text with its international host in ASCII form, where each other label begins with `xn--`.
    package static func ascii(_ host: String, in text: String) -> String? {
        let converted = URLComponents(string: "https://\(host)/")?.encodedHost
        return converted.flatMap { $0.utf8.allSatisfy { $0 < 0x80 } ? text.replacing(host, with: lowered($0)) : nil }
    }

    package static func isAddress(_ text: String) -> Bool { isIPv4(text) || ipv6(text) != nil }

    /// Returns whether the text is four decimal numbers without leading zeros.
    static func isIPv4(_ text: String) -> Bool {
        guard text.utf8.count <= 15 else { return false }
        var bytes: [UInt8] = [0, 0, 0, 0]
        return unsafe inet_pton(AF_INET, text, &bytes) == 1
    }

    /// Returns the RFC 5952 form of an IPv6 address without a zone, or nil for other text.
    static func ipv6(_ text: String) -> String? {
        // A zero byte would end the C string.
        guard text.utf8.count <= 45, text.utf8.contains(UInt8(ascii: ":")), !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard unsafe inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        var written = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(AF_INET6, bytes, &written, socklen_t(written.count)) != nil else { return nil }
        return String(decoding: written.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns whether every label has 1 to 63 valid characters and the name has at most 253 characters.
    package static func isName(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= maximumName else { return false }
        return text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...maximumLabel).contains(label.count) && label.allSatisfy { isNameCharacter(Unicode.Scalar($0)) }
        }
    }

    /// Returns whether the scalar is an ASCII letter, digit or hyphen (RFC 1123, 2.1), or an underscore.
    static func isNameCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        case _: false
        }
    }

    /// Returns whether the last label has only digits. In a URL, such a host must be an address (WHATWG URL, 3.5).
    package static func endsInNumber(_ text: String) -> Bool {
        guard let last = text.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        return last.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns whether the name is not in the public DNS. Apple's CDN cannot reach such a host.
    ///
    /// Sources: RFC 6761, RFC 6762, RFC 8375, and the names that ICANN reserves for private use.
    package static func isPrivate(_ name: String) -> Bool {
        let endings = [
            "localhost", "local", "test", "invalid", "example", "internal", "home.arpa", "lan", "home", "corp",
        ]
        return endings.contains { name == $0 || name.hasSuffix(".\($0)") }
    }
}
