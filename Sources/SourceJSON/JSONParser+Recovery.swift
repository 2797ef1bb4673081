import Platform

/// What a forgiving parser takes in the location of what has to be there.
extension JSONParser {
    /// Takes the commas that have nothing in front of them.
    mutating func skipCommas() throws(JSONFault) -> Step {
        while scanner.byte == UInt8(ascii: ",") {
            scanner.take()
            try scanner.takeSpace()
        }
        return isAtEnd ? endContainer() : nextItem
    }

    /// Goes on after something that is no value, not even a malformed one: in front of a value it is a mere sign.
    mutating func skipItem() throws(JSONFault) -> Step {
        if open.isEmpty { return .end }
        try scanner.takeSpace()
        return scanner.byte == nil || scanner.byte == UInt8(ascii: ",") || isAtEnd ? .comma : .value
    }

    /// Goes on after the value of the text, when that was the first key of an object without brackets.
    mutating func noEnd(_ byte: UInt8) throws(JSONFault) -> Step {
        let fault = JSONFault.extraContent(scanner.location, found: try scanner.scalar())
        guard byte == UInt8(ascii: ":"), let value = root, let key = value.string else { try scanner.refuse(fault) }
        try scanner.report(fault)
        root = nil
        open.append(Container(value.location, isObject: true))
        open[0].isImplied = true
        return takeColon(key, value.location)
    }

    /// Takes signs that are neither brackets, quotes nor commas.
    mutating func skipSigns() {
        while let byte = scanner.byte, !byte.isWordLike, !byte.isJSONSpace, !"{}[]\"',-".utf8.contains(byte) {
            guard !scanner.beginsQuote else { return }
            scanner.takeAny()
        }
    }

    /// Takes a text without quotes, from the location of its first character; some of it may be taken already.
    ///
    /// Outside of everything, what comes before the first bracket is no value: the head of a message, or code.
    mutating func takeBareValue(from location: SourceLocation) throws(JSONFault) -> Step {
        let text = scanner.takeBareText(from: location.offset, endsAtColon: false)
        let content = JSONScanner.meaning(of: text)
        if open.isEmpty {
            guard let content, !scanner.isAtBracket else { return skipToBracket() }
            if case .string = content { return skipToBracket() }
            return complete(location, content)
        }
        // `name({…})`, or a sign in front of the value
        if scanner.isAtBracket { return .value }
        guard let content else { return try skipItem() }
        return complete(location, content)
    }

    /// Takes everything up to the first bracket of the text.
    mutating func skipToBracket() -> Step {
        while scanner.byte != nil, !scanner.isAtBracket { scanner.takeAny() }
        return scanner.byte == nil ? .end : .value
    }

    /// Takes a key without quotes and its colon.
    mutating func takeBareKey() throws(JSONFault) -> Step {
        let location = scanner.location
        let key = scanner.takeBareText(from: location.offset, endsAtColon: true)
        try scanner.takeSpace()
        if scanner.byte == UInt8(ascii: ":") { return takeColon(key.isEmpty ? nil : key, location) }
        if scanner.byte == nil || scanner.byte == UInt8(ascii: ",") || isAtEnd { return .comma }
        if scanner.beginsQuote, JSONScanner.meaning(of: key) == nil { return .key }
        skipSigns()
        return expectValue(of: key, location)
    }

    /// Reads the last string again when a comment follows right after its closing quote: `"/a/*, "/*"` lacks a quote.
    mutating func takeAgainBeforeComment() throws(JSONFault) -> String? {
        guard scanner.isForgiving, scanner.isAfterString, scanner.beginsComment(at: scanner.offset) else { return nil }
        let (before, location) = (scanner, scanner.location)
        try scanner.report(.comment(location))
        if let again = try scanner.takeLastAgain() { return again }
        scanner = before
        return nil
    }

    /// Gives the last value, a string, another text.
    mutating func replaceLast(_ text: String) {
        guard let top = open.indices.last else { return }
        if !open[top].isObject {
            guard let last = open[top].elements.popLast() else { return }
            _ = complete(last.location, .string(text))
        } else if open[top].key != nil, let last = open[top].members.popLast() {
            _ = complete(last.value.location, .string(text))
        }
    }

    /// Takes a colon after a string that stands where a value has to be: the string was meant to be a key.
    mutating func takeLastAsKey() -> Step? {
        let top = open.count - 1
        if open[top].isObject {
            guard open[top].key != nil, let value = open[top].members.last?.value, let key = value.string else {
                return nil
            }
            let isBracketMissing = isBalanced(open.map(\.end) + [UInt8(ascii: "}")])
            if isBracketMissing, open.count < JSONDocument.maximumDepth {
                let last = open[top].members.removeLast()
                _ = expectValue(of: last.key, last.keyLocation)
                open.append(Container(value.location, isObject: true))
            } else {
                open[top].members.removeLast()
            }
            return takeColon(key, value.location)
        }
        guard let value = open[top].elements.last, let key = value.string else { return nil }
        if open[top].elements.count == 1 {
            open[top].elements = []
            open[top].isObject = true
            open[top].hasOtherBrackets = true
        } else {
            // The array was to end before its last element.
            guard top > 0, open[top - 1].isObject else { return nil }
            open[top].elements.removeLast()
            _ = close(leaving: top)
        }
        return takeColon(key, value.location)
    }

    /// Takes a first key without a colon for the first element of an array in the brackets of an object.
    mutating func convertToArray(_ key: String, _ location: SourceLocation) {
        let top = open.count - 1
        guard open[top].members.isEmpty else { return }
        open[top].isObject = false
        open[top].hasOtherBrackets = true
        _ = complete(location, .string(key))
    }
}

extension JSONScanner {
    var isAtBracket: Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

    /// Whether a quote of any kind comes next.
    var beginsQuote: Bool {
        guard let byte else { return false }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return true }
        do throws(JSONFault) {
            let scalar = try scalar()
            return scalar.isTypographicQuote || scalar.isTypographicSingleQuote
        } catch {
            return false
        }
    }

    /// Takes a text without quotes up to punctuation or the end of its line, and a closing quote that touches it.
    ///
    /// - Returns: the text without the space at its end.
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
        let touches = end == offset && Self.meaning(of: text) != nil
        if touches, byte != UInt8(ascii: "'"), beginsQuote { takeAny() }
        return text
    }
}
