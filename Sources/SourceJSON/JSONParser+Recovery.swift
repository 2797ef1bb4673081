import MotivatorPlatform

/// Error recovery for a recovering parser.
///
/// It repairs errors that are common in real files. After any other error, it continues at the next `,`, `}` or `]`.
extension JSONParser {
    /// Skips to the next comma or closing bracket.
    mutating func resynchronize() -> Step {
        guard !open.isEmpty else { return .end }
        open[open.count - 1].isIncomplete = true
        var depth = 0
        while let byte = scanner.byte {
            switch byte {
            case UInt8(ascii: ",") where depth == 0: return .comma
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return .comma }
                depth -= 1
            default: break
            }
            scanner.takeAny()
        }
        return .comma
    }

    mutating func cutOff() throws(JSONError) -> Step {
        if let container = open.last {
            try scanner.report(.cutOff(scanner.tokenEnd, inside: container.construct, opened: container.location))
        }
        return .end
    }

    mutating func noValue(_ byte: UInt8) throws(JSONError) -> Step {
        let location = scanner.location
        if let container = open.last, ",}]".utf8.contains(byte) {
            if container.isObject {
                try scanner.report(.missingValue(scanner.tokenEnd, key: container.key ?? ""))
                open[open.count - 1].isIncomplete = true
                return byte == UInt8(ascii: ",") || isAtEnd ? .comma : closeOthers(byte, from: .value)
            }
            if byte == UInt8(ascii: ",") { return try skipCommas() }
            // This happens only after another error; the strict parser never finds this bracket here.
            return isAtEnd ? endContainer() : try mismatch(byte, container, from: .value)
        }
        if let error = try quoteError(byte) {
            try scanner.report(error)
            // A Markdown code fence.
            if open.isEmpty, scanner.bytes[location.offset...].starts(with: Array("```".utf8)) {
                return skipToBracket()
            }
            return complete(location, .string(try scanner.takeOddString(end: open.last?.end)))
        }
        try scanner.report(.unexpected(location, found: try scanner.scalar(), expected: .value))
        return try takeBareValue(from: location)
    }

    mutating func noKey(_ byte: UInt8) throws(JSONError) -> Step {
        let location = scanner.location
        if byte == UInt8(ascii: ",") { return try skipCommas() }
        if isAtEnd { return endContainer() }
        if let container = open.last, byte == UInt8(ascii: "]") { return try mismatch(byte, container, from: .key) }
        if byte.isWordLike {
            var ahead = scanner
            try scanner.report(.unquotedKey(location, key: ahead.takeWord()))
            return try takeColon(after: scanner.takeBareText(from: location.offset, endsAtColon: true), location)
        }
        if let error = try quoteError(byte) {
            try scanner.report(error)
            return try takeColon(after: try scanner.takeOddString(end: nil), location)
        }
        try scanner.report(.unexpected(location, found: try scanner.scalar(), expected: .key))
        return resynchronize()
    }

    mutating func noColon(_ byte: UInt8, _ key: String, _ location: SourceLocation) throws(JSONError) -> Step {
        if let quote = scanner.typographicQuote {
            try scanner.report(.typographicQuote(quote.location, quote.scalar))
            if let repaired = try scanner.repairLastString() { return try takeColon(after: repaired, location) }
        } else if scanner.errors.last?.location != location || !scanner.isRecovering {
            // A key without quotes counts as one error, regardless of what follows it.
            try scanner.report(.missingColon(scanner.tokenEnd, key: key))
        }
        switch byte {
        case UInt8(ascii: ","): return resynchronize()
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            open[open.count - 1].isIncomplete = true
            return isAtEnd ? .comma : closeOthers(byte, from: .comma)
        case UInt8(ascii: "\"") where isKeyAhead:
            open[open.count - 1].isIncomplete = true
            return .key
        case _ where scanner.isAfterString && byte.isWordLike: return resynchronize()
        default:
            skipPunctuation()
            try scanner.takeSpace()
            if let byte = scanner.byte, ",}]".utf8.contains(byte) { return resynchronize() }
            return expectValue(of: key, location)
        }
    }

    /// Recovers from a missing comma or a missing end of the object or array.
    mutating func noComma(_ byte: UInt8) throws(JSONError) -> Step {
        guard let container = open.last else { return .end }
        if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            return try mismatch(byte, container, from: .comma)
        }
        let last = container.isObject ? container.members.last?.value : container.elements.last
        if case .unclosedString(let opened)? = scanner.errors.last, opened == last?.location,
            !container.isObject || !isKeyAhead
        {
            // This text is the rest of a string that continues on the next line.
            return resynchronize()
        }
        let isQuote = byte == UInt8(ascii: "\"")
        // Before another quote, a string that contains typographic quotes is probably complete.
        if let quote = scanner.typographicQuote, !isQuote {
            try scanner.report(.typographicQuote(quote.location, quote.scalar))
            if let repaired = try scanner.repairLastString() {
                replaceLast(repaired)
                return .comma
            }
        }
        let scalar = try scanner.scalar()
        let beginsNext =
            byte.isWordLike || "\"'{[-".utf8.contains(byte) || scalar.isTypographicQuote
            || scalar.isTypographicSingleQuote
        if scanner.typographicQuote == nil || isQuote {
            try scanner.report(
                beginsNext
                    ? .missingComma(scanner.tokenEnd, next: scanner.location)
                    : .unexpected(
                        scanner.location, found: scalar, expected: container.isObject ? .commaOrBrace : .commaOrBracket)
            )
        }
        if scanner.isAfterString, beginsNext, !isQuote || container.isObject {
            // A quote inside the string lacks its backslash, or the string lacks its closing quote before a comma.
            if let text = last?.string?.trimmedComma { replaceLast(text) }
            return resynchronize()
        }
        if byte == UInt8(ascii: ":"), container.isObject, last?.string != nil {
            // The string was probably a key.
            open[open.count - 1].members.removeLast()
        }
        if !beginsNext { skipPunctuation() }
        try scanner.takeSpace()
        if scanner.byte == nil || scanner.byte == UInt8(ascii: ",") || isAtEnd { return .comma }
        return !container.isObject || isKeyAhead ? nextItem : resynchronize()
    }

    /// Skips commas that have no value before them.
    private mutating func skipCommas() throws(JSONError) -> Step {
        try scanner.report(.strayComma(scanner.location))
        while scanner.byte == UInt8(ascii: ",") {
            scanner.take()
            try scanner.takeSpace()
        }
        return isAtEnd ? endContainer() : nextItem
    }

    /// Recovers from punctuation that is not a value.
    mutating func skipItem() throws(JSONError) -> Step {
        guard let top = open.indices.last else { return .end }
        open[top].isIncomplete = true
        try scanner.takeSpace()
        return scanner.byte == nil || scanner.byte == UInt8(ascii: ",") || isAtEnd ? .comma : .value
    }

    /// Skips punctuation such as `=` or `;` up to the next bracket, quote, comma or word.
    private mutating func skipPunctuation() {
        while let byte = scanner.byte, !byte.isWordLike, !byte.isJSONSpace, !"{}[]\"',-".utf8.contains(byte) {
            guard !scanner.beginsQuote else { return }
            scanner.takeAny()
        }
    }

    /// Consumes the rest of the unquoted text that begins at the given location.
    ///
    /// Before the first bracket of the file, such text is not a value. It may be HTTP headers or code.
    mutating func takeBareValue(from location: SourceLocation) throws(JSONError) -> Step {
        let text = scanner.takeBareText(from: location.offset, endsAtColon: false)
        let content = JSONScanner.meaning(of: text)
        if open.isEmpty {
            guard let content, !scanner.isAtBracket else { return skipToBracket() }
            if case .string = content { return skipToBracket() }
            return complete(location, content)
        }
        // Punctuation or a function name precedes the value.
        if scanner.isAtBracket { return .value }
        guard let content else { return try skipItem() }
        return complete(location, content)
    }

    /// Skips everything before the first bracket of the text.
    mutating func skipToBracket() -> Step {
        while scanner.byte != nil, !scanner.isAtBracket { scanner.takeAny() }
        return scanner.byte == nil ? .end : .value
    }

    private func quoteError(_ byte: UInt8) throws(JSONError) -> JSONError? {
        let scalar = try scanner.scalar()
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") { return .singleQuote(scanner.location) }
        if scalar.isTypographicQuote || scalar.isTypographicSingleQuote {
            return .typographicQuote(scanner.location, scalar)
        }
        return nil
    }

    /// Whether a key comes next: a quoted string or a word, followed by a colon.
    private var isKeyAhead: Bool {
        var ahead = scanner
        ahead.isMuted = true
        do throws(JSONError) {
            if ahead.byte == UInt8(ascii: "\"") {
                _ = try ahead.takeString(end: nil)
            } else if ahead.beginsQuote {
                _ = try ahead.takeOddString(end: nil)
            } else if ahead.takeWord().isEmpty {
                return false
            }
            try ahead.takeSpace()
            return ahead.byte == UInt8(ascii: ":")
        } catch {
            return false
        }
    }

    // MARK: Typographic quotes

    mutating func replaceLast(_ text: String) {
        guard let top = open.indices.last else { return }
        if !open[top].isObject {
            guard let last = open[top].elements.popLast() else { return }
            _ = complete(last.location, .string(text))
        } else if let last = open[top].members.popLast() {
            _ = complete(last.value.location, .string(text))
        }
    }

    // MARK: Brackets

    private mutating func mismatch(_ byte: UInt8, _ container: Container, from step: Step) throws(JSONError) -> Step {
        try scanner.report(
            .mismatchedBracket(
                scanner.location, found: Unicode.Scalar(byte), inside: container.construct, opened: container.location))
        return closeOthers(byte, from: step)
    }

    /// Consumes a bracket that cannot close the innermost container.
    ///
    /// Brackets are missing before it, its kind is wrong, or it is superfluous. The parser assumes the first of these
    /// causes that balances the brackets in the rest of the text.
    private mutating func closeOthers(_ byte: UInt8, from step: Step) -> Step {
        scanner.take()
        let fitting = open.lastIndex { $0.end == byte }
        // The number of containers that remain open.
        let depths = [fitting, open.count - 1, open.count].compactMap(\.self)
        guard let depth = depths.first(where: { isBalanced(open.prefix($0).map(\.end)) }) ?? fitting else {
            return step
        }
        return depth < open.count ? close(leaving: depth) : .comma
    }

    /// Returns whether the brackets in the rest of the text match the expected closing brackets, outermost first.
    private func isBalanced(_ ends: [UInt8]) -> Bool {
        var ends = ends
        var (isInString, isEscaped) = (false, false)
        for byte in scanner.bytes[scanner.offset...] {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case .lineFeed, .carriageReturn: isInString = false
            case _ where isInString: break
            case UInt8(ascii: "{"): ends.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["): ends.append(UInt8(ascii: "]"))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): guard ends.popLast() == byte else { return false }
            default: break
            }
        }
        return ends.isEmpty
    }
}

extension String {
    /// The text without its trailing comma and white space, or nil if it has no trailing comma.
    fileprivate var trimmedComma: String? {
        let text = utf8.reversed().drop { $0.isJSONSpace }
        guard text.first == UInt8(ascii: ",") else { return nil }
        return String(decoding: text.dropFirst().reversed(), as: UTF8.self)
    }
}
