/// Puts tokens together to a value, with its own stack: the depth of a text costs no depth of calls.
struct JSONParser {
    /// The keys that stood twice in their object.
    private(set) var duplicateKeys: [JSONDocument.DuplicateKey] = []

    private var scanner: JSONScanner
    private var open: [Container] = []

    /// An object or an array that is not closed yet.
    private struct Container {
        let isObject: Bool
        let place: TextPlace
        var members: [JSONObject.Member] = []
        var elements: [JSONValue] = []
        /// The key whose value comes next.
        var key = ""
        var keyPlace: TextPlace

        var construct: JSONFault.Construct { isObject ? .object : .array }
        var end: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    }

    init(_ bytes: [UInt8]) {
        scanner = JSONScanner(bytes)
    }

    /// Reads the one value of the text.
    mutating func parse() throws(JSONFault) -> JSONValue {
        try scanner.checkBeginning()
        try scanner.takeSpace()
        guard let first = scanner.byte else { throw .empty(TextPlace(line: 1, column: 1, offset: 0)) }
        if first == UInt8(ascii: "<") { throw .html(scanner.place) }
        while true {
            var complete = try beginValue()
            while let value = complete {
                guard !open.isEmpty else { return try last(value) }
                add(value)
                complete = try afterValue()
            }
        }
    }

    private mutating func last(_ value: JSONValue) throws(JSONFault) -> JSONValue {
        try scanner.takeSpace()
        guard scanner.byte == nil else { throw .extraContent(scanner.place, found: try scanner.scalar()) }
        return value
    }

    /// Takes a value as a whole, or the beginning of an object or array that is not empty and then answers nil.
    private mutating func beginValue() throws(JSONFault) -> JSONValue? {
        try scanner.takeSpace()
        scanner.typographicQuote = nil
        let place = scanner.place
        guard let byte = scanner.byte else { throw cutOff() }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try beginContainer(byte)
        case UInt8(ascii: "\""): return JSONValue(place: place, content: .string(try scanner.takeString()))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return JSONValue(place: place, content: .number(try scanner.takeNumber()))
        case UInt8(ascii: "+"): throw scanner.malformedNumber(place, .leadingPlus)
        case UInt8(ascii: "."): throw scanner.malformedNumber(place, .noDigitBeforePoint)
        case _ where byte.isWordLike: return JSONValue(place: place, content: try word())
        default: throw try noValue(byte)
        }
    }

    private mutating func beginContainer(_ byte: UInt8) throws(JSONFault) -> JSONValue? {
        let place = scanner.place
        guard open.count < JSONDocument.maximumDepth else {
            throw .tooDeep(place, limit: JSONDocument.maximumDepth)
        }
        let container = Container(isObject: byte == UInt8(ascii: "{"), place: place, keyPlace: place)
        open.append(container)
        scanner.take()
        try scanner.takeSpace()
        if scanner.byte == container.end { return endContainer() }
        if container.isObject { try takeKey() }
        return nil
    }

    private mutating func word() throws(JSONFault) -> JSONValue.Content {
        let place = scanner.place
        let word = scanner.takeWord()
        switch word {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default:
            let isBeginning = ["true", "false", "null"].contains { $0.hasPrefix(word) }
            guard scanner.byte == nil, isBeginning else { throw .unknownWord(place, word: word) }
            throw .cutOff(scanner.place, inside: .word, opened: place)
        }
    }

    /// Takes the key and its colon.
    private mutating func takeKey() throws(JSONFault) {
        let place = scanner.place
        guard let byte = scanner.byte else { throw cutOff() }
        guard byte == UInt8(ascii: "\"") else { throw try noKey(byte) }
        let key = try scanner.takeString()
        try scanner.takeSpace()
        guard let next = scanner.byte else { throw cutOff() }
        guard next == UInt8(ascii: ":") else {
            if let quote = scanner.typographicQuote { throw .typographicQuote(quote.place, quote.scalar) }
            throw .missingColon(scanner.tokenEnd, key: key)
        }
        scanner.take()
        open[open.count - 1].key = key
        open[open.count - 1].keyPlace = place
    }

    private mutating func add(_ value: JSONValue) {
        let top = open.count - 1
        if open[top].isObject {
            open[top].members.append(
                JSONObject.Member(key: open[top].key, keyPlace: open[top].keyPlace, value: value))
        } else {
            open[top].elements.append(value)
        }
    }

    /// Takes what follows a value in an object or array: a comma, and then answers nil, or the end, and answers
    /// the object or array.
    private mutating func afterValue() throws(JSONFault) -> JSONValue? {
        let container = (isObject: open[open.count - 1].isObject, end: open[open.count - 1].end)
        try scanner.takeSpace()
        guard let byte = scanner.byte else { throw cutOff() }
        if byte == container.end { return endContainer() }
        guard byte == UInt8(ascii: ",") else { throw try noComma(byte) }
        let comma = scanner.place
        scanner.take()
        try scanner.takeSpace()
        if scanner.byte == container.end {
            throw .trailingComma(comma, in: container.isObject ? .object : .array)
        }
        if container.isObject { try takeKey() }
        return nil
    }

    private mutating func endContainer() -> JSONValue {
        scanner.take()
        scanner.typographicQuote = nil
        let container = open.removeLast()
        guard container.isObject else { return JSONValue(place: container.place, content: .array(container.elements)) }
        noteDuplicates(container.members)
        return JSONValue(place: container.place, content: .object(JSONObject(members: container.members)))
    }

    private mutating func noteDuplicates(_ members: [JSONObject.Member]) {
        guard members.count > 1 else { return }
        // Bytes, because two strings that Swift calls equal may be different keys.
        var places: [[UInt8]: TextPlace] = [:]
        for member in members {
            let key = Array(member.key.utf8)
            if let first = places[key] {
                duplicateKeys.append(
                    JSONDocument.DuplicateKey(key: member.key, first: first, second: member.keyPlace))
            } else {
                places[key] = member.keyPlace
            }
        }
    }
}

/// The faults between tokens.
extension JSONParser {
    private func cutOff() -> JSONFault {
        guard let container = open.last else { return .empty(scanner.place) }
        return .cutOff(scanner.tokenEnd, inside: container.construct, opened: container.place)
    }

    private func noValue(_ byte: UInt8) throws(JSONFault) -> JSONFault {
        let place = scanner.place
        let container = open.last
        switch byte {
        case UInt8(ascii: ",") where container?.isObject == false: return .strayComma(place)
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard let container else { break }
            if container.isObject { return .missingValue(scanner.tokenEnd, key: container.key) }
            return mismatch(byte, container)
        default: break
        }
        return try quoteFault(byte) ?? .unexpected(place, found: scanner.scalar(), expected: .value)
    }

    private func noKey(_ byte: UInt8) throws(JSONFault) -> JSONFault {
        let place = scanner.place
        if byte == UInt8(ascii: ",") { return .strayComma(place) }
        if let container = open.last, byte == UInt8(ascii: "]") { return mismatch(byte, container) }
        if byte.isWordLike {
            var ahead = scanner
            return .unquotedKey(place, key: ahead.takeWord())
        }
        return try quoteFault(byte) ?? .unexpected(place, found: scanner.scalar(), expected: .key)
    }

    private func noComma(_ byte: UInt8) throws(JSONFault) -> JSONFault {
        guard let container = open.last else { return .extraContent(scanner.place, found: try scanner.scalar()) }
        if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { return mismatch(byte, container) }
        // Before another quote, a string that holds typographic quotes is more likely to be complete.
        if let quote = scanner.typographicQuote, byte != UInt8(ascii: "\"") {
            return .typographicQuote(quote.place, quote.scalar)
        }
        let scalar = try scanner.scalar()
        let beginsNext =
            byte.isWordLike || "\"'{[-".utf8.contains(byte) || scalar.isTypographicQuote
            || scalar.isTypographicSingleQuote
        if beginsNext { return .missingComma(scanner.tokenEnd, next: scanner.place) }
        return .unexpected(
            scanner.place, found: scalar, expected: container.isObject ? .commaOrBrace : .commaOrBracket)
    }

    private func mismatch(_ byte: UInt8, _ container: Container) -> JSONFault {
        .mismatchedBracket(
            scanner.place, found: Unicode.Scalar(byte), inside: container.construct, opened: container.place)
    }

    private func quoteFault(_ byte: UInt8) throws(JSONFault) -> JSONFault? {
        let scalar = try scanner.scalar()
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") { return .singleQuote(scanner.place) }
        if scalar.isTypographicQuote || scalar.isTypographicSingleQuote {
            return .typographicQuote(scanner.place, scalar)
        }
        return nil
    }
}
