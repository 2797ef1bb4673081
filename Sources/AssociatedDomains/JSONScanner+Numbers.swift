/// Numbers (RFC 8259, section 6) and words (section 3).
extension JSONScanner {
    /// Takes a number, whose first character is a digit or a minus sign.
    mutating func takeNumber() throws(JSONFault) -> String {
        let start = place
        if byte == UInt8(ascii: "-") { take() }
        switch byte {
        case .none: throw .cutOff(place, inside: .number, opened: start)
        case UInt8(ascii: "0"):
            take()
            if let byte, byte.isDigit { throw malformedNumber(start, .leadingZero) }
        case .some(let byte) where byte.isDigit: takeDigits()
        case UInt8(ascii: "."): throw malformedNumber(start, .noDigitBeforePoint)
        case .some: throw malformedNumber(start, .noDigitAfterMinus)
        }
        if byte == UInt8(ascii: ".") {
            take()
            try takeDigits(of: start, or: .noDigitAfterPoint)
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            take()
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { take() }
            try takeDigits(of: start, or: .noDigitInExponent)
        }
        if let byte, byte.isNumberLike { throw malformedNumber(start, .notDecimal) }
        return String(decoding: bytes[start.offset..<offset], as: UTF8.self)
    }

    /// The fault of a number, with all the characters that were meant to be part of it.
    func malformedNumber(_ start: TextPlace, _ mistake: JSONFault.NumberMistake) -> JSONFault {
        let rest = bytes[start.offset...]
        let end = rest.firstIndex { !$0.isNumberLike } ?? bytes.count
        return .malformedNumber(start, text: String(decoding: rest[..<end], as: UTF8.self), mistake)
    }

    /// Takes letters, digits, `_` and `$`: a word of JSON, or one of another language.
    mutating func takeWord() -> String {
        let start = offset
        while let byte, byte.isWordLike { take() }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func takeDigits() {
        while let byte, byte.isDigit { take() }
    }

    private mutating func takeDigits(
        of start: TextPlace, or mistake: JSONFault.NumberMistake
    ) throws(JSONFault) {
        guard let byte else { throw .cutOff(place, inside: .number, opened: start) }
        guard byte.isDigit else { throw malformedNumber(start, mistake) }
        takeDigits()
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isWordLike: Bool {
        let lowered = self | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowered) || isDigit
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "$")
    }

    fileprivate var isNumberLike: Bool {
        isWordLike || self == UInt8(ascii: ".") || self == UInt8(ascii: "+") || self == UInt8(ascii: "-")
    }
}
