import MotivatorPlatform

/// Numbers (RFC 8259, section 6) and words (section 3).
extension JSONScanner {
    /// Consumes a number. The next byte is a digit, a sign or a decimal point.
    /// - Returns: The number, or the probable meaning of a malformed number. Nil means that no meaning is probable.
    mutating func takeNumber() throws(JSONError) -> JSONValue.Content? {
        let start = location
        if let problem = takeWellFormedNumber() {
            // The text ends where a digit is required, so the number may be cut off.
            if byte == nil, problem.canBeCompleted {
                try report(.cutOff(location, inside: .number, opened: start))
            } else {
                let rest = bytes[start.offset...]
                take((rest.firstIndex { !$0.isNumberLike } ?? bytes.count) - offset)
                try report(.malformedNumber(start, text: text(from: start.offset), problem))
            }
            return Self.meaning(ofNumber: text(from: start.offset))
        }
        return .number(text(from: start.offset))
    }

    /// Consumes a number up to its first error and returns that error.
    private mutating func takeWellFormedNumber() -> JSONError.NumberError? {
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

    /// Consumes a word of JSON or another language: letters, digits, `_` and `$`.
    mutating func takeWord() -> String {
        let start = offset
        while let byte, byte.isWordLike { take() }
        return text(from: start)
    }

    private mutating func takeDigits() {
        while let byte, byte.isDigit { take() }
    }

    /// Returns the text from an offset to the current position.
    func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

    /// Returns the probable meaning of a malformed number: a number in another notation, or text.
    private static func meaning(ofNumber text: String) -> JSONValue.Content? {
        let digits = text.utf8.filter(\.isDigit)
        let isNumber = text.utf8.allSatisfy { $0.isDigit || "+-._eExXaAbBcCdDfF".utf8.contains($0) }
        return isNumber && !digits.isEmpty ? .number(text) : meaning(of: text)
    }

    /// Returns the probable meaning of unquoted text, or nil if it is only punctuation.
    static func meaning(of text: String) -> JSONValue.Content? {
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
    /// Whether the scalar is a letter, a digit or a character of a path pattern.
    fileprivate var mayBeText: Bool {
        properties.isAlphabetic || properties.numericType != nil || self == "*" || self == "/"
    }
}

extension JSONScanner {
    var isAtBracket: Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    /// Whether a quote of any kind except "`" comes next.
    var beginsQuote: Bool {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return true }
        guard byte != nil, let scalar = try? scalar() else { return false }
        return scalar.isTypographicQuote || scalar.isTypographicSingleQuote
    }

    /// Consumes unquoted text up to punctuation or the end of its line, and a closing quote directly after the text.
    mutating func takeBareText(from start: Int, endsAtColon: Bool) -> String {
        var end = offset
        while let byte, byte != .lineFeed, byte != .carriageReturn, !"{}[],\"".utf8.contains(byte) {
            if endsAtColon, byte == UInt8(ascii: ":") || byte == UInt8(ascii: "=") { break }
            let isSpace = byte.isJSONSpace
            if !isSpace, end < offset, beginsComment(at: offset) || beginsQuote { break }
            if byte >= 0x80, beginsQuote { break }
            takeAny()
            if !isSpace { end = offset }
        }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        if end == offset, Self.meaning(of: text) != nil, byte != UInt8(ascii: "'"), beginsQuote { takeAny() }
        return text
    }
}

extension UInt8 {
    /// Whether the byte is JSON white space (RFC 8259, section 2).
    var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == .lineFeed || self == .carriageReturn }

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

extension JSONError.NumberError {
    fileprivate var canBeCompleted: Bool {
        switch self {
        case .noDigitAfterMinus, .noDigitAfterPoint, .noDigitInExponent: true
        case .leadingZero, .leadingPlus, .noDigitBeforePoint, .notDecimal: false
        }
    }
}
