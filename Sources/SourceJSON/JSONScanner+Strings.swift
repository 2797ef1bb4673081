import MotivatorPlatform

/// Strings (RFC 8259, section 7).
extension JSONScanner {
    /// The position of a string, used to read it again with a different end.
    struct StringMark {
        let opened: Cursor
        /// The offset after the closing quote.
        let closed: Int
    }

    /// Consumes a string, from its opening quote to its closing quote.
    /// - Parameter end: The closing bracket of the array or object that contains the string as a value.
    mutating func takeString(end: UInt8?) throws(JSONError) -> String {
        let (opened, start) = (location, cursor)
        typographicQuote = nil
        lastString = nil
        take()
        let contentStart = offset
        let text = try takeContent(opened)
        switch byte {
        case UInt8(ascii: "\""):
            take()
            lastString = StringMark(opened: start, closed: offset)
            return text
        case .none: try report(endOfText(opened))
        case .some:
            try report(
                typographicQuote.map { JSONError.typographicQuote($0.location, $0.scalar) } ?? .unclosedString(opened))
        }
        // The string lacks its closing quote.
        if let quote = typographicQuote { return try takeAgain(from: start, until: quote) }
        return try takeAgain(from: start, until: bareEnd(contentStart..<offset, end: end))
    }

    /// Rereads the last string up to its typographic quote.
    /// - Returns: The repaired text, or nil if the text has no typographic quote or a later error was already reported.
    mutating func repairLastString() throws(JSONError) -> String? {
        guard let quote = typographicQuote, let mark = lastString,
            !errors.contains(where: { $0.location > quote.location && $0.location.offset < mark.closed })
        else { return nil }
        return try takeAgain(from: mark.opened, until: quote)
    }

    /// Whether the last string touches the next byte.
    var isAfterString: Bool { lastString?.closed == offset }

    private mutating func takeAgain(
        from start: Cursor, until quote: (location: SourceLocation, scalar: Unicode.Scalar)
    ) throws(JSONError) -> String {
        let text = try takeAgain(from: start, until: quote.location.offset)
        takeAny()
        return text
    }

    private mutating func takeAgain(from start: Cursor, until end: Int) throws(JSONError) -> String {
        goBack(to: start)
        let (opened, wasMuted) = (location, isMuted)
        take()
        // The first pass already reported the errors.
        isMuted = true
        defer { isMuted = wasMuted }
        let text = try takeContent(opened, until: end)
        typographicQuote = nil
        lastString = nil
        return text
    }

    /// Returns the end of an unclosed string: the offset before the comma or bracket at the end of its line.
    private func bareEnd(_ content: Range<Int>, end: UInt8?) -> Int {
        let tail = bytes[content].reversed().prefix { ",[]{} \t".utf8.contains($0) }
        let start = content.upperBound - tail.count
        let mark = bytes[start..<content.upperBound].first { !$0.isJSONSpace }
        // Other brackets at the end belong to the text.
        return mark == UInt8(ascii: ",") || mark != nil && mark == end ? start : content.upperBound
    }

    /// Consumes a string in typographic or single quotes.
    mutating func takeOddString(end: UInt8?) throws(JSONError) -> String {
        let opened = location
        let first = try scalar()
        take(first)
        typographicQuote = nil
        lastString = nil
        let escaped = first.isTypographicQuote ? nil : first.ascii
        defer { typographicQuote = nil }
        if let quote = closingQuote(of: first) {
            let text = try takeContent(opened, until: quote, quote: escaped)
            takeAny()
            return text
        }
        let lineEnd = bytes[offset...].firstIndex { $0 == .lineFeed || $0 == .carriageReturn } ?? bytes.count
        return try takeContent(opened, until: bareEnd(offset..<lineEnd, end: end), quote: escaped)
    }

    /// Returns the offset of the quote that closes a string on this line. An apostrophe does not close it.
    private func closingQuote(of first: Unicode.Scalar) -> Int? {
        var ahead = self
        var (paired, straight): (Int?, Int?)
        while let byte = ahead.byte, byte != .lineFeed, byte != .carriageReturn {
            let start = ahead.offset
            let scalar = String(decoding: bytes[start...].prefix(4), as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
            ahead.takeAny()
            if scalar == "\\" {
                ahead.takeAny()
            } else if scalar.isQuote(pairedWith: first) {
                if canFollowString(at: ahead.offset) { return start }
                paired = paired ?? start
            } else if scalar == "\"", canFollowString(at: ahead.offset) {
                straight = straight ?? start
            }
        }
        return straight ?? paired
    }

    private func canFollowString(at index: Int) -> Bool {
        let next = bytes[index...].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        return next.map { ",:]}\n\r".utf8.contains($0) } ?? true
    }

    /// Consumes the content of a string up to a straight quote, a line ending, the end of the text, or a given offset.
    /// - Parameter quote: The opening quote if it is not a straight double quote. The content may escape this quote.
    mutating func takeContent(
        _ opened: SourceLocation, until end: Int? = nil, quote: UInt8? = nil
    ) throws(JSONError) -> String {
        var resolved: [UInt8] = []
        // A string without escapes is copied only once.
        var plainStart = offset
        content: while let byte, offset < end ?? bytes.count {
            switch byte {
            case UInt8(ascii: "\"") where end == nil: break content
            case .lineFeed, .carriageReturn: break content
            case UInt8(ascii: "\\"):
                resolved += bytes[plainStart..<offset]
                if let quote, offset + 1 < bytes.count, bytes[offset + 1] == quote {
                    resolved.append(quote)
                    take(2)
                } else if let scalar = try takeEscape(opened) {
                    resolved += Array(String(scalar).utf8)
                }
                plainStart = offset
            case 0..<0x20:
                try report(.controlCharacter(location, Unicode.Scalar(byte)))
                while let byte = self.byte, byte < 0x20, byte != .lineFeed, byte != .carriageReturn { take() }
            case 0x80...:
                if let scalar = try validScalar(inStringAt: opened) {
                    if scalar.isTypographicQuote { typographicQuote = (location, scalar) }
                    take(scalar)
                } else {
                    resolved += bytes[plainStart..<offset]
                    resolved += Array("\u{FFFD}".utf8)
                    takeInvalid()
                    plainStart = offset
                }
            default:
                take()
                takePlain(until: end ?? bytes.count)
            }
        }
        let rest = bytes[plainStart..<offset]
        return String(decoding: resolved.isEmpty ? rest : (resolved + rest)[...], as: UTF8.self)
    }

    /// Consumes ASCII bytes other than quotes, backslashes and control characters.
    private mutating func takePlain(until end: Int) {
        var index = offset
        while index < end {
            let byte = bytes[index]
            guard 0x20..<0x80 ~= byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { break }
            index += 1
        }
        take(index - offset)
    }

    /// Returns the error for a string that is open at the end of the text.
    ///
    /// If only brackets, separators and white space follow a typographic quote, this quote was probably meant to close
    /// the string. Otherwise, the error reports that the text may be cut off.
    private func endOfText(_ opened: SourceLocation) -> JSONError {
        if let typographicQuote {
            let rest = bytes[(typographicQuote.location.offset + UTF8.width(typographicQuote.scalar))...]
            let onlyBrackets = rest.allSatisfy { " ]},:".utf8.contains($0) }
            if onlyBrackets, !rest.isEmpty {
                return .typographicQuote(typographicQuote.location, typographicQuote.scalar)
            }
        }
        return .cutOff(location, inside: .string, opened: opened)
    }
}

/// Escapes. The scanner reports an invalid escape and returns nil or U+FFFD for it.
extension JSONScanner {
    /// The characters that a letter or mark after a backslash represents.
    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t",
    ]

    private mutating func takeEscape(_ opened: SourceLocation) throws(JSONError) -> Unicode.Scalar? {
        let start = location
        take()
        guard let byte = try nextByte(inStringAt: opened) else { return nil }
        if byte == UInt8(ascii: "u") {
            take()
            return try takeUnicodeEscape(start, opened)
        }
        guard let scalar = Self.escapes[Unicode.Scalar(byte)] else { return try takeUnknownEscape(start, opened) }
        take()
        return scalar
    }

    /// Consumes the character after a backslash and returns it unless it is a line ending, as in JavaScript.
    private mutating func takeUnknownEscape(
        _ start: SourceLocation, _ opened: SourceLocation
    ) throws(JSONError) -> Unicode.Scalar? {
        // The message shows the whole scalar.
        guard let scalar = try validScalar(inStringAt: opened) else {
            takeInvalid()
            return "\u{FFFD}"
        }
        try report(.unknownEscape(start, scalar))
        takeAny()
        return scalar == "\n" || scalar == "\r" ? nil : scalar
    }

    private mutating func takeUnicodeEscape(
        _ start: SourceLocation, _ opened: SourceLocation
    ) throws(JSONError) -> Unicode.Scalar {
        guard let first = try takeFourDigits(start, opened) else { return "\u{FFFD}" }
        if let scalar = Unicode.Scalar(first) { return scalar }
        let afterFirst = cursor
        let lone = JSONError.loneSurrogate(start, escape: escape(first))
        guard first < 0xDC00 else { return try loneSurrogate(lone, afterFirst) }
        for expected in "\\u".utf8 {
            guard let byte = try nextByte(inStringAt: opened) else { return "\u{FFFD}" }
            guard byte == expected else { return try loneSurrogate(lone, afterFirst) }
            take()
        }
        guard let second = try takeFourDigits(start, opened) else { return "\u{FFFD}" }
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { return try loneSurrogate(lone, afterFirst) }
        return scalar
    }

    private mutating func loneSurrogate(_ error: JSONError, _ end: Cursor) throws(JSONError) -> Unicode.Scalar {
        try report(error)
        cursor = end
        return "\u{FFFD}"
    }

    private mutating func takeFourDigits(_ start: SourceLocation, _ opened: SourceLocation) throws(JSONError) -> UInt16?
    {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = try nextByte(inStringAt: opened) else { return nil }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                try report(.shortEscape(start))
                return nil
            }
            value = value << 4 | UInt16(digit)
            take()
        }
        return value
    }

    /// Returns the next byte, or reports that the text ends inside a string.
    private mutating func nextByte(inStringAt opened: SourceLocation) throws(JSONError) -> UInt8? {
        if byte == nil { try report(.cutOff(location, inside: .string, opened: opened)) }
        return byte
    }

    private func escape(_ unit: UInt16) -> String { "\\u" + unit.hexadecimal(uppercase: true) }
}

extension Unicode.Scalar {
    /// The byte of an ASCII character, or nil for any other character.
    var ascii: UInt8? { isASCII ? UInt8(value) : nil }

    fileprivate func isQuote(pairedWith first: Unicode.Scalar) -> Bool {
        if first.isTypographicQuote { return self == "\"" || isTypographicQuote }
        return "'`´".unicodeScalars.contains(self) || isTypographicSingleQuote
    }
}
