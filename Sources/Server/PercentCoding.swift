package import MotivatorHTTP
import MotivatorPlatform

/// Percent-encoding of paths (RFC 3986 §2.1).
package enum PercentCoding {
    /// Decodes each `%xx` once.
    /// - Returns: the decoded bytes; nil if an escape is malformed. The parser rejects such request targets.
    package static func decode(_ bytes: FieldBytes) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%") else {
                decoded.append(bytes[index])
                index += 1
                continue
            }
            guard index + 2 < bytes.count, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2]) else {
                return nil
            }
            decoded.append(high << 4 | low)
            index += 3
        }
        return decoded
    }

    /// Returns the names and values of a query or a form in order (WHATWG URL §5).
    /// - Parameters:
    ///   - bytes: items separated by `&`. Malformed escapes are not decoded.
    ///   - plusIsSpace: whether `+` means a space, as in a form.
    package static func items(
        _ bytes: some Collection<UInt8>, plusIsSpace: Bool = true
    ) -> [(name: String, value: String)] {
        func decoded(_ part: ArraySlice<UInt8>) -> String {
            let spaced = part.map { plusIsSpace && $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            return String(decoding: spaced.withFieldBytes { decode($0) } ?? spaced, as: UTF8.self)
        }
        return Array(bytes).split(separator: UInt8(ascii: "&")).map { item in
            let pair = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(pair[0]), pair.count > 1 ? decoded(pair[1]) : "")
        }
    }

    /// Encodes every byte that is not an unreserved character.
    package static func encode(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            let isUnreserved = digit(byte) != nil || (0x41...0x5A).contains(byte & 0xDF) || "-._~".utf8.contains(byte)
            encoded += isUnreserved ? String(UnicodeScalar(byte)) : "%" + byte.hexadecimal(width: 2, uppercase: true)
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
