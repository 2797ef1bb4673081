/// The faults between tokens, and what a forgiving parser makes of them.
extension JSONParser {
    package mutating func cutOff() throws(JSONFault) -> Step {
        // An object without brackets needs no end.
        if let container = open.last, !container.isImplied {
            try scanner.report(.cutOff(scanner.tokenEnd, inside: container.construct, opened: container.location))
        }
        return .end
    }

    /// Goes on where a value has to be and is not.
    package mutating func noValue(_ byte: UInt8) throws(JSONFault) -> Step {
        let location = scanner.location
        if let container = open.last {
            switch byte {
            case UInt8(ascii: ",") where !container.isObject:
                try scanner.report(.strayComma(location))
                return try skipCommas()
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
                if container.isObject {
                    try scanner.report(.missingValue(scanner.tokenEnd, key: container.key ?? ""))
                    return byte == UInt8(ascii: ",") || isAtEnd ? .comma : closeOthers(byte, from: .value)
                }
                // Only after another fault: where a value has to be, strict reading never meets this bracket.
                if isAtEnd { return endContainer() }
                return try mismatch(byte, container, from: .value)
            default: break
            }
        }
        if let fault = try quoteFault(byte) {
            try scanner.report(fault)
            if open.isEmpty, scanner.bytes[location.offset...].starts(with: Array("```".utf8)) {
                return skipToBracket()
            }
            return complete(location, .string(try scanner.takeOddString()))
        }
        try scanner.report(.unexpected(location, found: try scanner.scalar(), expected: .value))
        if isAtEscapedQuote { return complete(location, .string(try scanner.takeOddString())) }
        if byte == UInt8(ascii: "("), !open.isEmpty, open.count < JSONDocument.maximumDepth {
            open.append(Container(location, isObject: false, end: UInt8(ascii: ")")))
            scanner.take()
            return .value
        }
        return try takeBareValue(from: location)
    }

    /// Goes on where a key has to be and is not.
    mutating func noKey(_ byte: UInt8) throws(JSONFault) -> Step {
        let location = scanner.location
        if byte == UInt8(ascii: ",") {
            try scanner.report(.strayComma(location))
            return try skipCommas()
        }
        if isAtEnd { return endContainer() }
        if let container = open.last, byte == UInt8(ascii: "]") { return try mismatch(byte, container, from: .key) }
        if byte.isWordLike {
            var ahead = scanner
            try scanner.report(.unquotedKey(location, key: ahead.takeWord()))
            return try takeBareKey()
        }
        if let fault = try quoteFault(byte) {
            try scanner.report(fault)
            return try takeColon(after: try scanner.takeOddString(), location)
        }
        try scanner.report(.unexpected(location, found: try scanner.scalar(), expected: .key))
        if isAtEscapedQuote { return try takeColon(after: try scanner.takeOddString(), location) }
        if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { return expectValue(of: nil, location) }
        return try takeBareKey()
    }

    /// Goes on where a colon has to be and is not.
    package mutating func noColon(_ byte: UInt8, _ key: String, _ location: SourceLocation) throws(JSONFault) -> Step {
        if let quote = scanner.typographicQuote {
            try scanner.report(.typographicQuote(quote.location, quote.scalar))
        } else {
            try scanner.report(.missingColon(scanner.tokenEnd, key: key))
        }
        if let again = try scanner.takeLastAgain() { return try takeColon(after: again, location) }
        switch byte {
        case UInt8(ascii: ",") where isCommaForColon: return takeColon(key, location)
        case UInt8(ascii: ","):
            convertToArray(key, location)
            return .comma
        case _ where isAtEnd: return .comma
        case UInt8(ascii: "]"), UInt8(ascii: "}"): return closeOthers(byte, from: .comma)
        case UInt8(ascii: "\"") where isKeyAhead: return .key
        default:
            skipSigns()
            return expectValue(of: key, location)
        }
    }

    /// Goes on where a comma or the end has to be and is not.
    mutating func noComma(_ byte: UInt8) throws(JSONFault) -> Step {
        guard let container = open.last else { return .end }
        if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            return try mismatch(byte, container, from: .comma)
        }
        let scalar = try scanner.scalar()
        let beginsNext =
            byte.isWordLike || "\"'{[-".utf8.contains(byte) || scalar.isTypographicQuote
            || scalar.isTypographicSingleQuote
        let isQuote = byte == UInt8(ascii: "\"")
        if let quote = scanner.typographicQuote, !isQuote {
            // Before another quote, a string that holds typographic quotes is more likely to be complete.
            try scanner.report(.typographicQuote(quote.location, quote.scalar))
        } else if beginsNext {
            try scanner.report(.missingComma(scanner.tokenEnd, next: scanner.location))
        } else if isAfterDroppedKey(byte, container) {
            return takeColon(nil, container.keyLocation)
        } else {
            try scanner.report(
                .unexpected(
                    scanner.location, found: scalar, expected: container.isObject ? .commaOrBrace : .commaOrBracket))
        }
        if !isQuote || scanner.isAfterString, let again = try scanner.takeLastAgain() {
            replaceLast(again)
            return .comma
        }
        if byte == UInt8(ascii: ":"), let step = takeLastAsKey() { return step }
        if !beginsNext { skipSigns() }
        try scanner.takeSpace()
        if scanner.byte == nil || scanner.byte == UInt8(ascii: ",") || isAtEnd { return .comma }
        guard container.isObject, !isKeyAhead else { return nextItem }
        return expectValue(of: nil, scanner.location)
    }

    private func quoteFault(_ byte: UInt8) throws(JSONFault) -> JSONFault? {
        let scalar = try scanner.scalar()
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") { return .singleQuote(scanner.location) }
        if scalar.isTypographicQuote || scalar.isTypographicSingleQuote {
            return .typographicQuote(scanner.location, scalar)
        }
        return nil
    }
}

/// Looking ahead, which only a fault makes necessary.
extension JSONParser {
    var isKeyAhead: Bool { Self.isKey(scanner) }

    /// Whether the comma that comes next stands in the location of a colon: a string and then another key follow.
    private var isCommaForColon: Bool {
        var ahead = scanner
        ahead.isMuted = true
        do throws(JSONFault) {
            ahead.take()
            try ahead.takeSpace()
            guard ahead.byte == UInt8(ascii: "\"") else { return false }
            _ = try ahead.takeString(.value(end: nil))
            try ahead.takeSpace()
            guard ahead.byte == UInt8(ascii: ",") else { return false }
            ahead.take()
            try ahead.takeSpace()
            return Self.isKey(ahead)
        } catch {
            return false
        }
    }

    /// Whether a key comes next: something in quotes, or a word, before a colon.
    static func isKey(_ scanner: JSONScanner) -> Bool {
        var ahead = scanner
        ahead.isMuted = true
        do throws(JSONFault) {
            guard let byte = ahead.byte else { return false }
            if byte == UInt8(ascii: "\"") {
                _ = try ahead.takeString(.key)
            } else if byte.isWordLike {
                _ = ahead.takeWord()
            } else {
                let scalar = try ahead.scalar()
                let isQuote = scalar == "'" || scalar.isTypographicQuote || scalar.isTypographicSingleQuote
                guard isQuote else { return false }
                _ = try ahead.takeOddString()
            }
            try ahead.takeSpace()
            return ahead.byte == UInt8(ascii: ":")
        } catch {
            return false
        }
    }

    /// `\"`, of a text that was copied out of a string.
    private var isAtEscapedQuote: Bool { scanner.bytes[scanner.offset...].starts(with: Array("\\\"".utf8)) }

    /// A colon after a value that stood in the location of a key.
    private func isAfterDroppedKey(_ byte: UInt8, _ container: Container) -> Bool {
        scanner.isForgiving && byte == UInt8(ascii: ":") && container.isObject && container.key == nil
    }
}
