/// Base64 without padding (RFC 4648), in the standard alphabet for hashes and the URL-safe one for tokens.
enum Base64 {
    /// Which characters stand for 62 and 63 (RFC 4648 §4 and §5).
    enum Alphabet {
        case standard, urlSafe

        var last: [UInt8] {
            switch self {
            case .standard: [UInt8(ascii: "+"), UInt8(ascii: "/")]
            case .urlSafe: [UInt8(ascii: "-"), UInt8(ascii: "_")]
            }
        }
    }

    /// - Returns: the text of the bytes, without padding.
    static func encode(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(character(UInt8(pending >> UInt32(bits) & 63), alphabet))
            }
        }
        if bits > 0 { text.append(character(UInt8(pending << UInt32(6 - bits) & 63), alphabet)) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads what `encode` wrote, and nothing else: no padding, no other characters, no bits left over that are not 0.
    ///
    /// - Returns: the bytes; nil when the text is not the one way to write them.
    static func decode(_ text: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var pending: UInt32 = 0
        var bits = 0
        for character in text {
            guard let value = value(character, alphabet) else { return nil }
            pending = pending << 6 | UInt32(value)
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(pending >> UInt32(bits) & 255))
        }
        guard bits < 6, pending & ((1 << UInt32(bits)) - 1) == 0 else { return nil }
        return bytes
    }

    private static func character(_ value: UInt8, _ alphabet: Alphabet) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        default: alphabet.last[Int(value) - 62]
        }
    }

    private static func value(_ character: UInt8, _ alphabet: Alphabet) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        default: alphabet.last.firstIndex(of: character).map { UInt8($0) + 62 }
        }
    }
}
