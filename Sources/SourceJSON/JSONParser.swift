/// Builds a value from tokens. An explicit stack replaces recursion for nested values.
struct JSONParser {
    /// The value of the text, once it is complete.
    var root: JSONValue?
    private(set) var duplicateKeys: [JSONDocument.DuplicateKey] = []
    /// The locations of the objects and arrays that are incomplete after a repair.
    private(set) var incomplete: Set<SourceLocation> = []

    var scanner: JSONScanner
    var open: [Container] = []

    /// The next step: a value, a key with its colon, the comma or bracket after a value, or the end.
    enum Step { case value, key, comma, end }

    /// An object or array that is not closed yet.
    struct Container {
        let isObject: Bool
        let location: SourceLocation
        var members: [JSONObject.Member] = []
        var elements: [JSONValue] = []
        var key: String?
        var keyLocation: SourceLocation
        /// Whether a repair omitted a member or an element.
        var isIncomplete = false

        init(_ location: SourceLocation, isObject: Bool) {
            (self.location, keyLocation, self.isObject) = (location, location, isObject)
        }

        var construct: JSONError.Construct { isObject ? .object : .array }
        var end: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
    }

    init(_ bytes: [UInt8], isRecovering: Bool) {
        scanner = JSONScanner(bytes, isRecovering: isRecovering)
    }

    /// Parses the text, which contains one value.
    /// - Throws: The first error. A recovering parser throws only an error that it cannot recover from.
    mutating func parse() throws(JSONError) {
        try scanner.checkBeginning()
        try scanner.takeSpace()
        guard let first = scanner.byte else { return try scanner.report(.empty(.start)) }
        if first == UInt8(ascii: "<") { try scanner.refuse(.html(scanner.location)) }
        var step = Step.value
        while step != .end {
            switch step {
            case .value: step = try takeValue()
            case .key: step = try takeKey()
            case .comma: step = try takeComma()
            case .end: break
            }
        }
        closeAll()
        try scanner.takeSpace()
        guard scanner.byte != nil else { return }
        // A scalar before other content, such as a key without its object, is not the value of the file.
        if root?.object == nil, root?.array == nil { root = nil }
        let rest = scanner.bytes[scanner.offset...].drop { $0.isJSONSpace || $0 == UInt8(ascii: ",") }
        // A comma does not belong to the second document.
        if scanner.byte == UInt8(ascii: ","), rest.first.map({ "{[".utf8.contains($0) }) == true { _ = skipToBracket() }
        try scanner.refuse(.extraContent(scanner.location, found: try scanner.scalar()))
    }

    /// Closes the containers that are still open when the text ends or the parser stops.
    mutating func closeAll() {
        for index in open.indices { open[index].isIncomplete = true }
        _ = close(leaving: 0)
    }

    /// Consumes a complete value, or the beginning of an object or array that is not empty.
    private mutating func takeValue() throws(JSONError) -> Step {
        try scanner.takeSpace()
        scanner.typographicQuote = nil
        scanner.lastString = nil
        let location = scanner.location
        guard let byte = scanner.byte else { return try cutOff() }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try beginContainer(byte)
        case UInt8(ascii: "\""): return complete(location, .string(try scanner.takeString(end: open.last?.end)))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "."):
            guard let number = try scanner.takeNumber() else { return try skipItem() }
            return complete(location, number)
        case _ where byte.isWordLike: return try takeWord()
        default: return try noValue(byte)
        }
    }

    private mutating func beginContainer(_ byte: UInt8) throws(JSONError) -> Step {
        let location = scanner.location
        guard open.count < JSONDocument.maximumDepth else {
            try scanner.refuse(.tooDeep(location, limit: JSONDocument.maximumDepth))
        }
        open.append(Container(location, isObject: byte == UInt8(ascii: "{")))
        scanner.take()
        try scanner.takeSpace()
        return isAtEnd ? endContainer() : nextItem
    }

    private mutating func takeWord() throws(JSONError) -> Step {
        let location = scanner.location
        let word = scanner.takeWord()
        switch word {
        case "true": return complete(location, .boolean(true))
        case "false": return complete(location, .boolean(false))
        case "null": return complete(location, .null)
        default:
            let isBeginning = ["true", "false", "null"].contains { $0.hasPrefix(word) }
            if scanner.byte == nil, isBeginning {
                try scanner.report(.cutOff(scanner.location, inside: .word, opened: location))
            } else {
                try scanner.report(.unknownWord(location, word: word))
            }
            return try takeBareValue(from: location)
        }
    }

    private mutating func takeKey() throws(JSONError) -> Step {
        try scanner.takeSpace()
        let location = scanner.location
        guard let byte = scanner.byte else { return try cutOff() }
        guard byte == UInt8(ascii: "\"") else { return try noKey(byte) }
        return try takeColon(after: try scanner.takeString(end: nil), location)
    }

    mutating func takeColon(after key: String, _ location: SourceLocation) throws(JSONError) -> Step {
        try scanner.takeSpace()
        guard let next = scanner.byte else { return try cutOff() }
        guard next == UInt8(ascii: ":") else { return try noColon(next, key, location) }
        scanner.take()
        return expectValue(of: key, location)
    }

    mutating func expectValue(of key: String, _ location: SourceLocation) -> Step {
        open[open.count - 1].key = key
        open[open.count - 1].keyLocation = location
        return .value
    }

    /// Consumes the comma or closing bracket after a value in an object or array.
    private mutating func takeComma() throws(JSONError) -> Step {
        try scanner.takeSpace()
        guard let byte = scanner.byte else { return try cutOff() }
        if isAtEnd { return endContainer() }
        guard byte == UInt8(ascii: ",") else { return try noComma(byte) }
        let comma = scanner.location
        scanner.take()
        try scanner.takeSpace()
        if isAtEnd {
            try scanner.report(.trailingComma(comma, in: open[open.count - 1].construct))
            return endContainer()
        }
        return nextItem
    }

    /// Whether the bracket that closes the innermost object or array comes next.
    var isAtEnd: Bool { open.indices.last.map { open[$0].end == scanner.byte } ?? false }

    /// The step that takes the next item: a key in an object, or a value in an array.
    var nextItem: Step { open.indices.last.map { open[$0].isObject } == true ? .key : .value }

    /// Adds a value to the innermost object or array.
    mutating func complete(_ location: SourceLocation, _ content: JSONValue.Content) -> Step {
        let value = JSONValue(location: location, content: content)
        guard let top = open.indices.last else {
            root = value
            return .end
        }
        if !open[top].isObject {
            open[top].elements.append(value)
        } else if let key = open[top].key {
            open[top].members.append(JSONObject.Member(key: key, keyLocation: open[top].keyLocation, value: value))
        }
        return .comma
    }

    mutating func endContainer() -> Step {
        scanner.take()
        return close(leaving: open.count - 1)
    }

    /// Closes the innermost objects and arrays until `depth` containers remain open.
    mutating func close(leaving depth: Int) -> Step {
        scanner.typographicQuote = nil
        scanner.lastString = nil
        while open.count > depth {
            let container = open.removeLast()
            if container.isObject { noteDuplicates(container.members) }
            if container.isIncomplete { incomplete.insert(container.location) }
            let content =
                container.isObject
                ? JSONValue.Content.object(JSONObject(members: container.members)) : .array(container.elements)
            if complete(container.location, content) == .end { return .end }
        }
        return .comma
    }

    private mutating func noteDuplicates(_ members: [JSONObject.Member]) {
        // Most objects have few members, which are faster to compare than to hash.
        let isRepeated = { (index: Int) in members[..<index].contains { $0.hasKey(members[index].key) } }
        guard members.count > 8 || members.indices.contains(where: isRepeated) else { return }
        // Compare bytes, because Swift considers canonically equivalent strings equal.
        var locations: [[UInt8]: SourceLocation] = [:]
        for member in members {
            let key = Array(member.key.utf8)
            if let first = locations[key] {
                duplicateKeys.append(
                    JSONDocument.DuplicateKey(key: member.key, first: first, second: member.keyLocation))
            } else {
                locations[key] = member.keyLocation
            }
        }
    }
}
