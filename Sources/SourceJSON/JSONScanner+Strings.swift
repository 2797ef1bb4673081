import Platform

/// Strings (RFC 8259, section 7).
extension JSONScanner {
    /// What a string stands for: it tells where one without a closing quote was meant to end.
    enum Role {
        case key
        /// A value in a container that the byte ends; nil outside of any.
        case value(end: UInt8?)
    }

    /// A string that was read, to read it again.
    struct StringMark {
        let role: Role
        package let opened: Cursor
        /// The bytes between its quotes.
        package let content: Range<Int>
        package let closed: Int
        /// How many faults there were in front of it.
        let faultCount: Int
    }

    /// Takes a string, from its opening quote to its closing one.
    mutating func takeString(_ role: Role) throws(JSONFault) -> String {
        let (opened, start, faultCount) = (place, cursor, faults.count)
        typographicQuote = nil
        lastString = nil
        take()
        let contentStart = offset
        var text = String()
        // A forgiving scanner may find that a string goes on after the end of its line.
        var isUnclosed = false
        while true {
            text += try takeContent(opened)
            switch byte {
            case UInt8(ascii: "\""):
                let content = contentStart..<offset
                take()
                if !isUnclosed {
                    lastString = StringMark(
                        role: role, opened: start, content: content, closed: offset, faultCount: faultCount)
                }
                return text
            case .none where isUnclosed:
                // What is open around the string lacks its end for the same reason.
                isMuted = true
                return text
            case .none: try report(endOfText(opened))
            case .some where !isUnclosed: try report(endOfLine(opened))
            case .some: break
            }
            let mark = StringMark(
                role: role, opened: start, content: contentStart..<offset, closed: offset, faultCount: faultCount)
            if !isUnclosed, let again = try takeAgain(mark) { return again }
            typographicQuote = nil
            guard byte != nil, goesOnAfterLine() else { return text }
            isUnclosed = true
            let space = offset
            while let byte, byte.isJSONSpace { takeAny() }
            text += String(decoding: bytes[space..<offset], as: UTF8.self)
        }
    }

    /// Takes the content of a string up to a straight quote, the end of the line or of the text, or a given offset.
    ///
    /// - Parameter quote: the quote that opened the string where it is no straight one: it may have a needless escape.
    mutating func takeContent(
        _ opened: TextPlace, until end: Int? = nil, quote: UInt8? = nil
    ) throws(JSONFault) -> String {
        var resolved: [UInt8] = []
        // Most strings have no escape, and then their bytes are copied once.
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
                try report(.controlCharacter(place, Unicode.Scalar(byte)))
                while let byte = self.byte, byte < 0x20, byte != .lineFeed, byte != .carriageReturn { take() }
            case 0x80...:
                if let scalar = try validScalar(inStringAt: opened) {
                    if scalar.isTypographicQuote { typographicQuote = (place, scalar) }
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

    /// Takes the bytes of ASCII that mean only themselves in a string: nearly all that there are.
    private mutating func takePlain(until end: Int) {
        var index = offset
        while index < end {
            let byte = bytes[index]
            guard 0x20..<0x80 ~= byte, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else { break }
            index += 1
        }
        take(index - offset)
    }

    /// The next scalar, which is not taken, or nil when the next bytes begin none and that is reported.
    private mutating func validScalar(inStringAt opened: TextPlace) throws(JSONFault) -> Unicode.Scalar? {
        do throws(JSONFault) {
            return try scalar()
        } catch {
            guard case .cutOff(let place, _, _) = error else {
                try report(error)
                return nil
            }
            try report(.cutOff(place, inside: .string, opened: opened))
            return nil
        }
    }

    private func endOfLine(_ opened: TextPlace) -> JSONFault {
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
}

/// Escapes. What cannot be told is nil or U+FFFD, after a report.
extension JSONScanner {
    private mutating func takeEscape(_ opened: TextPlace) throws(JSONFault) -> Unicode.Scalar? {
        let start = place
        take()
        guard let byte else {
            try report(.cutOff(place, inside: .string, opened: opened))
            return nil
        }
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
        default: return try takeUnknownEscape(start, opened)
        }
        take()
        return scalar
    }

    /// Takes the character after a backslash as itself; the end of a line is left out, as in JavaScript.
    private mutating func takeUnknownEscape(
        _ start: TextPlace, _ opened: TextPlace
    ) throws(JSONFault) -> Unicode.Scalar? {
        // A scalar, not the byte: the message shows what was written.
        guard let scalar = try validScalar(inStringAt: opened) else {
            takeInvalid()
            return "\u{FFFD}"
        }
        try report(.unknownEscape(start, scalar))
        takeAny()
        return scalar == "\n" || scalar == "\r" ? nil : scalar
    }

    private mutating func takeUnicodeEscape(
        _ start: TextPlace, _ opened: TextPlace
    ) throws(JSONFault) -> Unicode.Scalar {
        guard let first = try takeFourDigits(start, opened) else { return "\u{FFFD}" }
        if let scalar = Unicode.Scalar(first) { return scalar }
        let afterFirst = cursor
        let lone = JSONFault.loneSurrogate(start, escape: escape(first))
        guard first < 0xDC00 else { return try loneSurrogate(lone, afterFirst) }
        for expected in "\\u".utf8 {
            guard let byte else {
                try report(.cutOff(place, inside: .string, opened: opened))
                return "\u{FFFD}"
            }
            guard byte == expected else { return try loneSurrogate(lone, afterFirst) }
            take()
        }
        guard let second = try takeFourDigits(start, opened) else { return "\u{FFFD}" }
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { return try loneSurrogate(lone, afterFirst) }
        return scalar
    }

    private mutating func loneSurrogate(_ fault: JSONFault, _ end: Cursor) throws(JSONFault) -> Unicode.Scalar {
        try report(fault)
        cursor = end
        return "\u{FFFD}"
    }

    private mutating func takeFourDigits(_ start: TextPlace, _ opened: TextPlace) throws(JSONFault) -> UInt16? {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte else {
                try report(.cutOff(place, inside: .string, opened: opened))
                return nil
            }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                try report(.shortEscape(start))
                return nil
            }
            value = value << 4 | UInt16(digit)
            take()
        }
        return value
    }

    private func escape(_ unit: UInt16) -> String { "\\u" + unit.hexadecimal(uppercase: true) }
}
