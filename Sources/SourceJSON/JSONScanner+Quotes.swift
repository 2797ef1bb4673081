import Platform

/// Where a string was meant to end whose closing quote is missing or is no straight one.
extension JSONScanner {
    /// Reads a string again up to the location where it was meant to end, and stops after the quote there.
    ///
    /// Its faults are known from the first time, and the last one told that it ends elsewhere.
    ///
    /// - Returns: the content, or nil when no other end can be told; then nothing is taken.
    mutating func takeAgain(_ mark: StringMark) throws(JSONFault) -> String? {
        guard isForgiving, let end = intendedEnd(mark) else { return nil }
        // A fault behind the end is already told, with the location that it has in the longer string. The last one is
        // what showed the other end.
        let inside = faults[min(mark.faultCount, faults.count)...].dropLast()
        guard inside.allSatisfy({ $0.location.offset < end.lowerBound }) else { return nil }
        goBack(to: mark.opened)
        let opened = location
        take()
        let text = try takingUnheard { scanner throws(JSONFault) in
            try scanner.takeContent(opened, until: end.lowerBound)
        }
        if !end.isEmpty { takeAny() }
        typographicQuote = nil
        lastString = nil
        return mark.closed <= end.lowerBound ? text.withoutDoubledQuote : text
    }

    /// Reads the last string again when what follows touches its closing quote: that quote was meant to open the
    /// next string.
    mutating func takeLastAgain() throws(JSONFault) -> String? {
        guard let mark = lastString, isAfterString || typographicQuote != nil else { return nil }
        return try takeAgain(mark)
    }

    /// Takes something whose faults are known.
    private mutating func takingUnheard<Result>(
        _ body: (inout JSONScanner) throws(JSONFault) -> Result
    ) throws(JSONFault) -> Result {
        let wasMuted = isMuted
        isMuted = true
        defer { isMuted = wasMuted }
        return try body(&self)
    }

    /// Whether nothing stands between the string that was read last and the next byte.
    var isAfterString: Bool { lastString?.closed == offset }

    /// The closing quote that was meant, or the empty range before which it is missing.
    private func intendedEnd(_ mark: StringMark) -> Range<Int>? {
        let content = mark.content
        if let typographicQuote {
            let start = typographicQuote.location.offset
            let end = start + UTF8.width(typographicQuote.scalar)
            if content.contains(start), canFollowString(at: end) { return start..<end }
        }
        // Otherwise only what touches the string can belong to it.
        guard mark.closed == content.upperBound || mark.closed == offset else { return nil }
        return endBeforePunctuation(mark) ?? (mark.closed == offset ? endBehindInnerQuotes(mark) : nil)
    }

    /// The location where a closing quote is missing, by the punctuation at the end of a string: it belongs to what is
    /// around the string.
    private func endBeforePunctuation(_ mark: StringMark) -> Range<Int>? {
        let content = mark.content
        switch mark.role {
        case .key: return bytes[content].firstIndex(of: UInt8(ascii: ":")).map { $0..<$0 }
        case .value(let end):
            let tail = bytes[content].reversed().prefix { ",[]{} \t".utf8.contains($0) }
            let start = content.upperBound - tail.count
            let mark = bytes[start..<content.upperBound].first { !$0.isJSONSpace }
            // Other brackets at the end belong to the text.
            return mark == UInt8(ascii: ",") || mark != nil && mark == end ? start..<start : nil
        }
    }

    /// The closing quote of a string with straight quotes inside, on the same line.
    private func endBehindInnerQuotes(_ mark: StringMark) -> Range<Int>? {
        var index = mark.closed
        guard index < bytes.count, !":;=+.{[]},".utf8.contains(bytes[index]) else { return nil }
        // Between two quotes a comma is missing, unless the string ends with the second one.
        if bytes[index] == UInt8(ascii: "\"") { return canFollowString(at: index + 1) ? index..<(index + 1) : nil }
        while index < bytes.count, bytes[index] != .lineFeed, bytes[index] != .carriageReturn {
            if bytes[index] == UInt8(ascii: "\""), canFollowString(at: index + 1) { return index..<(index + 1) }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// Whether a string goes on in the next line; the end of this line comes next.
    func goesOnAfterLine() -> Bool {
        guard let index = bytes[offset...].firstIndex(where: { !$0.isJSONSpace }) else { return false }
        switch bytes[index] {
        case UInt8(ascii: "\""):
            // A quote that something has to follow opens the next string.
            let next = bytes[(index + 1)...].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            return next.map { ",]}\n\r".utf8.contains($0) } ?? true
        case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","): return false
        default: return !beginsComment(at: index)
        }
    }

    /// Takes a string in other quotes than straight double ones, from its opening quote to its closing one.
    mutating func takeOddString() throws(JSONFault) -> String {
        let opened = location
        let first = try scalar()
        let family = QuoteFamily(first)
        take(first)
        if family == .escaped { take() }
        typographicQuote = nil
        lastString = nil
        if let end = closingQuote(family) {
            let text = try takeContent(opened, until: end.lowerBound, quote: family == .single ? first.ascii : nil)
            while offset < end.upperBound { takeAny() }
            typographicQuote = nil
            return text
        }
        let content = offset..<lineEnd
        let tail = bytes[content].reversed().prefix { ",]} \t".utf8.contains($0) }
        let text = try takeContent(opened, until: content.upperBound - tail.count)
        typographicQuote = nil
        return text
    }

    private var lineEnd: Int {
        bytes[offset...].firstIndex { $0 == .lineFeed || $0 == .carriageReturn } ?? bytes.count
    }

    /// The quotes that belong together.
    private enum QuoteFamily {
        case single, double
        /// `\"`, of a text that was copied out of a string.
        case escaped

        init(_ quote: Unicode.Scalar) {
            if quote == "\\" {
                self = .escaped
            } else {
                self = quote.isTypographicQuote ? .double : .single
            }
        }

        package func contains(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .single: "'`´".unicodeScalars.contains(scalar) || scalar.isTypographicSingleQuote
            case .double: scalar == "\"" || scalar.isTypographicQuote
            case .escaped: false
            }
        }
    }

    /// The closing quote on this line: the first one after which a string can end; an apostrophe is none.
    private func closingQuote(_ family: QuoteFamily) -> Range<Int>? {
        var ahead = self
        var (first, other): (Range<Int>?, Range<Int>?)
        while let byte = ahead.byte, byte != .lineFeed, byte != .carriageReturn {
            let start = ahead.offset
            let isEscape = byte == UInt8(ascii: "\\")
            ahead.takeAny()
            if isEscape {
                let isQuote = ahead.byte == UInt8(ascii: "\"")
                ahead.takeAny()
                if family == .escaped, isQuote { return start..<ahead.offset }
            } else {
                let quote = start..<ahead.offset
                let isStraight = byte == UInt8(ascii: "\"")
                let isOfFamily = family.contains(scalar(in: quote))
                guard isStraight || isOfFamily else { continue }
                if canFollowString(at: quote.upperBound) {
                    if isOfFamily { return quote }
                    other = other ?? quote
                }
                if isOfFamily { first = first ?? quote }
            }
        }
        return other ?? first
    }

    private func scalar(in range: Range<Int>) -> Unicode.Scalar {
        String(decoding: bytes[range], as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
    }

    /// Whether what stands at an offset can follow a string.
    private func canFollowString(at index: Int) -> Bool {
        let next = bytes[index...].firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        guard let next else { return true }
        switch bytes[next] {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"), .lineFeed, .carriageReturn:
            return true
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return next > index
        default: return beginsComment(at: next)
        }
    }
}

extension Unicode.Scalar {
    /// The byte of a character of ASCII.
    package var ascii: UInt8? { isASCII ? UInt8(value) : nil }
}

extension String {
    /// The text without the second of two quotes that begin or end a string.
    fileprivate var withoutDoubledQuote: String {
        guard utf8.count(where: { $0 == UInt8(ascii: "\"") }) == 1 else { return self }
        if unicodeScalars.first == "\"" { return String(unicodeScalars.dropFirst()) }
        return unicodeScalars.last == "\"" ? String(unicodeScalars.dropLast()) : self
    }
}

extension UInt8 {
    /// White space of JSON (RFC 8259, section 2).
    var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == .lineFeed || self == .carriageReturn }
}
