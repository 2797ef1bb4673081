import MotivatorPlatform

/// Numbers (RFC 8259, section 6) and words (section 3).
extension JSONScanner {
    /// Consumes a number. The next byte is a digit, a sign or a decimal point.
    /// - Returns: The number, or the probable meaning of a malformed number. Nil means that no meaning is probable.
    mutating func takeNumber() throws(JSONError) -> JSONValue.Content? {
        let start = location
        let number = bytes[start.offset...].prefix(while: \.isNumberLike)
        take(number.count)
        let text = text(from: start.offset)
        guard !number.isJSONNumber else { return .number(text) }
        // A number at the end of the text may be cut off.
        try report(
            byte == nil ? .cutOff(location, inside: .number, opened: start) : .malformedNumber(start, text: text))
        return Self.meaning(ofNumber: text)
    }

    /// Consumes a word of JSON or another language: letters, digits, `_` and `$`.
    mutating func takeWord() -> String {
        let start = offset
        while let byte, byte.isWordLike { take() }
        return text(from: start)
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

extension Unicode.Scalar {
    /// Whether the scalar is a letter, a digit or a character of a path pattern.
    fileprivate var mayBeText: Bool {
        properties.isAlphabetic || properties.numericType != nil || self == "*" || self == "/"
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

extension ArraySlice<UInt8> {
    /// Whether the bytes are a number: an optional minus sign, digits, and an optional fraction and exponent.
    fileprivate var isJSONNumber: Bool {
        var rest = self
        rest.drop("-")
        let integer = rest.takeDigits()
        guard integer.first != UInt8(ascii: "0") || integer.count == 1, !integer.isEmpty else { return false }
        if rest.drop("."), rest.takeDigits().isEmpty { return false }
        if rest.drop("eE") {
            rest.drop("+-")
            if rest.takeDigits().isEmpty { return false }
        }
        return rest.isEmpty
    }

    /// Removes the first byte if it is one of `characters`, and returns whether it was.
    @discardableResult
    private mutating func drop(_ characters: String) -> Bool {
        guard let first, characters.utf8.contains(first) else { return false }
        removeFirst()
        return true
    }

    private mutating func takeDigits() -> ArraySlice<UInt8> {
        let digits = prefix(while: \.isDigit)
        removeFirst(digits.count)
        return digits
    }
}
