/// Strings (RFC 8259, section 7).
extension JSONScanner {
    /// Takes a string, from its opening quote to its closing one.
    mutating func takeString() throws(JSONFault) -> String {
        let opened = place
        typographicQuote = nil
        take()
        var resolved: [UInt8] = []
        // Most strings have no escape, and then their bytes are copied once.
        var plainStart = offset
        while let byte {
            switch byte {
            case UInt8(ascii: "\""):
                let text = String(decoding: resolved + bytes[plainStart..<offset], as: UTF8.self)
                take()
                return text
            case UInt8(ascii: "\\"):
                resolved += bytes[plainStart..<offset]
                resolved += Array(String(try takeEscape(opened)).utf8)
                plainStart = offset
            case 0..<0x20:
                throw controlCharacter(byte, opened)
            case 0x80...:
                let scalar = try scalar(inStringAt: opened)
                if scalar.isTypographicQuote { typographicQuote = (place, scalar) }
                take(scalar)
            default:
                take()
            }
        }
        throw endOfText(opened)
    }

    private func scalar(inStringAt opened: TextPlace) throws(JSONFault) -> Unicode.Scalar {
        do {
            return try scalar()
        } catch .cutOff(let place, _, _) {
            throw .cutOff(place, inside: .string, opened: opened)
        }
    }

    private func controlCharacter(_ byte: UInt8, _ opened: TextPlace) -> JSONFault {
        guard byte == .lineFeed || byte == .carriageReturn else {
            return .controlCharacter(place, Unicode.Scalar(byte))
        }
        if let typographicQuote { return .typographicQuote(typographicQuote.place, typographicQuote.scalar) }
        return .unclosedString(opened)
    }

    /// A quote after which only brackets come was meant to close the string; anything else may be a text cut off.
    private func endOfText(_ opened: TextPlace) -> JSONFault {
        if let typographicQuote {
            let rest = bytes[(typographicQuote.place.offset + UTF8.width(typographicQuote.scalar))...]
            let onlyBrackets = rest.allSatisfy { " ]},:".utf8.contains($0) }
            if onlyBrackets, !rest.isEmpty { return .typographicQuote(typographicQuote.place, typographicQuote.scalar) }
        }
        return .cutOff(place, inside: .string, opened: opened)
    }

    private mutating func takeEscape(_ opened: TextPlace) throws(JSONFault) -> Unicode.Scalar {
        let start = place
        take()
        guard let byte else { throw .cutOff(place, inside: .string, opened: opened) }
        let scalar: Unicode.Scalar
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(byte)
        case UInt8(ascii: "b"): scalar = "\u{8}"
        case UInt8(ascii: "f"): scalar = "\u{C}"
        case UInt8(ascii: "n"): scalar = "\n"
        case UInt8(ascii: "r"): scalar = "\r"
        case UInt8(ascii: "t"): scalar = "\t"
        case UInt8(ascii: "u"):
            take()
            return try takeUnicodeEscape(start, opened)
        default:
            // A scalar, not the byte: the message shows what was written.
            throw .unknownEscape(start, try self.scalar(inStringAt: opened))
        }
        take()
        return scalar
    }

    private mutating func takeUnicodeEscape(
        _ start: TextPlace, _ opened: TextPlace
    ) throws(JSONFault) -> Unicode.Scalar {
        let first = try takeFourDigits(start, opened)
        if let scalar = Unicode.Scalar(first) { return scalar }
        let lone = JSONFault.loneSurrogate(start, escape: escape(first))
        guard first < 0xDC00 else { throw lone }
        for expected in "\\u".utf8 {
            guard let byte else { throw .cutOff(place, inside: .string, opened: opened) }
            guard byte == expected else { throw lone }
            take()
        }
        let second = try takeFourDigits(start, opened)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw lone }
        return scalar
    }

    private mutating func takeFourDigits(_ start: TextPlace, _ opened: TextPlace) throws(JSONFault) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte else { throw .cutOff(place, inside: .string, opened: opened) }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw .shortEscape(start) }
            value = value << 4 | UInt16(digit)
            take()
        }
        return value
    }

    private func escape(_ unit: UInt16) -> String { "\\u" + String(unit, radix: 16, uppercase: true) }
}
