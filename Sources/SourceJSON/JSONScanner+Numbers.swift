/// Numbers (RFC 8259, section 6) and words (section 3).
extension JSONScanner {
    /// Takes a number, whose first character is a digit, a sign or a point.
    ///
    /// - Returns: the number, or what a malformed one was meant to be; nil when that cannot be told.
    mutating func takeNumber() throws(JSONFault) -> JSONValue.Content? {
        let start = location
        if let mistake = takeWellFormedNumber() {
            // The text ends where a digit has to come: it may be the beginning of a valid one.
            if byte == nil, mistake.mayGoOn {
                try report(.cutOff(location, inside: .number, opened: start))
            } else {
                let rest = bytes[start.offset...]
                take((rest.firstIndex { !$0.isNumberLike } ?? bytes.count) - offset)
                try report(.malformedNumber(start, text: text(from: start.offset), mistake))
            }
            return Self.meaning(ofNumber: text(from: start.offset))
        }
        return .number(text(from: start.offset))
    }

    /// Takes a number up to the first mistake in it.
    private mutating func takeWellFormedNumber() -> JSONFault.NumberMistake? {
        if byte == UInt8(ascii: "+") { return .leadingPlus }
        if byte == UInt8(ascii: "-") { take() }
        switch byte {
        case .none: return .noDigitAfterMinus
        case UInt8(ascii: "0"):
            take()
            if let byte, byte.isDigit { return .leadingZero }
        case .some(let byte) where byte.isDigit: takeDigits()
        case UInt8(ascii: "."): return .noDigitBeforePoint
        case .some: return .noDigitAfterMinus
        }
        if byte == UInt8(ascii: ".") {
            take()
            guard let byte, byte.isDigit else { return .noDigitAfterPoint }
            takeDigits()
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            take()
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { take() }
            guard let byte, byte.isDigit else { return .noDigitInExponent }
            takeDigits()
        }
        if let byte, byte.isNumberLike { return .notDecimal }
        return nil
    }

    /// Takes letters, digits, `_` and `$`: a word of JSON, or one of another language.
    mutating func takeWord() -> String {
        let start = offset
        while let byte, byte.isWordLike { take() }
        return text(from: start)
    }

    private mutating func takeDigits() {
        while let byte, byte.isDigit { take() }
    }

    /// The text from an offset up to the next byte.
    package func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

    /// What a number that is none was meant to be: a number in another notation, or a text that begins like one.
    private static func meaning(ofNumber text: String) -> JSONValue.Content? {
        let digits = text.utf8.filter(\.isDigit)
        let isNumber = text.utf8.allSatisfy { $0.isDigit || "+-._eExXaAbBcCdDfF".utf8.contains($0) }
        return isNumber && !digits.isEmpty ? .number(text) : meaning(of: text)
    }

    /// What a text without quotes was meant to be; nil when there is nothing in it but punctuation.
    package static func meaning(of text: String) -> JSONValue.Content? {
        switch text.lowercased() {
        case "true", "yes", "on", "tru", "tr", "t": .boolean(true)
        case "false", "no", "off", "fals", "fal", "fa", "f": .boolean(false)
        case "null", "nil", "none", "undefined", "nan", "infinity", "-infinity", "nul", "nu", "n": .null
        case _ where text.unicodeScalars.contains(where: \.mayBeText): .string(text)
        case _: nil
        }
    }
}

extension Unicode.Scalar {
    /// A letter, a digit, or what a pattern of a path is made of.
    fileprivate var mayBeText: Bool {
        properties.isAlphabetic || properties.numericType != nil || self == "*" || self == "/"
    }
}

extension UInt8 {
    package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    var isWordLike: Bool {
        let lowered = self | 0x20
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowered) || isDigit
            || self == UInt8(ascii: "_") || self == UInt8(ascii: "$")
    }

    fileprivate var isNumberLike: Bool {
        isWordLike || self == UInt8(ascii: ".") || self == UInt8(ascii: "+") || self == UInt8(ascii: "-")
    }
}

extension JSONFault.NumberMistake {
    /// Whether digits after the text would mend the number.
    fileprivate var mayGoOn: Bool {
        switch self {
        case .noDigitAfterMinus, .noDigitAfterPoint, .noDigitInExponent: true
        case .leadingZero, .leadingPlus, .noDigitBeforePoint, .notDecimal: false
        }
    }
}
