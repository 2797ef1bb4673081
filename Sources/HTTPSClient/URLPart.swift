import MotivatorPlatform

/// A part of a URL that a pattern can match.
package enum URLPart: UInt8, Sendable {
    case path, query, fragment

    package var word: String { "\(self)" }

    /// Returns whether this part of a URL always percent-encodes a character.
    ///
    /// Source: WHATWG URL, the path, special-query and fragment percent-encode sets.
    package func encodes(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\0"..."\u{20}", "\u{7F}"..., "\"", "<", ">": true
        case "`": self != .query
        case "#": self != .fragment
        case "?", "^", "{", "}": self == .path
        case "'": self == .query
        case _: false
        }
    }

    func encode(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(scalars.count)
        for scalar in scalars {
            if encodes(scalar) {
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                    text.append(contentsOf: "%\(byte.hexadecimal)".utf8)
                }
            } else {
                text.append(UInt8(ascii: scalar))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
