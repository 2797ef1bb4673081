/// Puts tokens together to a value, with its own stack: the depth of a text costs no depth of calls.
struct JSONParser {
    /// The value of the text, once it is complete.
    package var root: JSONValue?
    /// The keys that stood twice in their object.
    private(set) var duplicateKeys: [JSONDocument.DuplicateKey] = []

    package var scanner: JSONScanner
    var open: [Container] = []

    /// What comes next: a value, a key with its colon, or what follows a value in an object or array.
    enum Step {
        case value, key, comma, end
    }

    /// An object or an array that is not closed yet.
    package struct Container {
        var isObject: Bool
        package let end: UInt8
        package let location: SourceLocation
        package var members: [JSONObject.Member] = []
        package var elements: [JSONValue] = []
        /// The key whose value comes next, or nil when that value has none and is left out.
        package var key: String?
        package var keyLocation: SourceLocation
        /// Whether the brackets are those of the other kind: then both kinds can close it.
        var hasOtherBrackets = false
        /// Whether the opening bracket is missing: then the closing one may be missing too.
        var isImplied = false

        package init(_ location: SourceLocation, isObject: Bool, end: UInt8? = nil) {
            (self.location, keyLocation, self.isObject) = (location, location, isObject)
            self.end = end ?? (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        }

        package var construct: JSONFault.Construct { isObject ? .object : .array }

        package func isClosed(by byte: UInt8?) -> Bool {
            byte == end || hasOtherBrackets && (byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]"))
        }
    }

    init(_ bytes: [UInt8], isForgiving: Bool) {
        scanner = JSONScanner(bytes, isForgiving: isForgiving)
    }

    /// Reads the one value of the text.
    ///
    /// - Throws: the first fault, or the one that a forgiving scanner had to stop at.
    package mutating func parse() throws(JSONFault) {
        try scanner.checkBeginning()
        try scanner.takeSpace()
        guard let first = scanner.byte else {
            return try scanner.report(.empty(SourceLocation(line: 1, column: 1, offset: 0)))
        }
        if first == UInt8(ascii: "<") { try scanner.refuse(.html(scanner.location)) }
        var step = Step.value
        repeat {
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
            if let byte = scanner.byte { step = try noEnd(byte) }
        } while step != .end
    }

    /// Closes everything that is open, when nothing else will.
    mutating func closeAll() {
        _ = close(leaving: 0)
    }

    /// Takes a value as a whole, or the beginning of an object or array that is not empty.
    private mutating func takeValue() throws(JSONFault) -> Step {
        try scanner.takeSpace()
        scanner.typographicQuote = nil
        scanner.lastString = nil
        let location = scanner.location
        guard let byte = scanner.byte else { return try cutOff() }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try beginContainer(byte)
        case UInt8(ascii: "\""): return complete(location, .string(try scanner.takeString(.value(end: open.last?.end))))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "."):
            guard let number = try scanner.takeNumber() else { return try skipItem() }
            return complete(location, number)
        case _ where byte.isWordLike: return try takeWord()
        default: return try noValue(byte)
        }
    }

    private mutating func beginContainer(_ byte: UInt8) throws(JSONFault) -> Step {
        let location = scanner.location
        guard open.count < JSONDocument.maximumDepth else {
            try scanner.refuse(.tooDeep(location, limit: JSONDocument.maximumDepth))
        }
        open.append(Container(location, isObject: byte == UInt8(ascii: "{")))
        scanner.take()
        try scanner.takeSpace()
        if isAtEnd { return endContainer() }
        return nextItem
    }

    private mutating func takeWord() throws(JSONFault) -> Step {
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

    /// Takes the key and its colon.
    private mutating func takeKey() throws(JSONFault) -> Step {
        try scanner.takeSpace()
        let location = scanner.location
        guard let byte = scanner.byte else { return try cutOff() }
        guard byte == UInt8(ascii: "\"") else { return try noKey(byte) }
        return try takeColon(after: try scanner.takeString(.key), location)
    }

    mutating func takeColon(after key: String, _ location: SourceLocation) throws(JSONFault) -> Step {
        if let again = try takeAgainBeforeComment() { return try takeColon(after: again, location) }
        try scanner.takeSpace()
        guard let next = scanner.byte else { return try cutOff() }
        guard next == UInt8(ascii: ":") else { return try noColon(next, key, location) }
        return takeColon(key, location)
    }

    /// Takes the byte between a key and its value.
    mutating func takeColon(_ key: String?, _ location: SourceLocation) -> Step {
        scanner.take()
        return expectValue(of: key, location)
    }

    mutating func expectValue(of key: String?, _ location: SourceLocation) -> Step {
        open[open.count - 1].key = key
        open[open.count - 1].keyLocation = location
        return .value
    }

    /// Takes what follows a value in an object or array: a comma or the end.
    private mutating func takeComma() throws(JSONFault) -> Step {
        if let again = try takeAgainBeforeComment() { replaceLast(again) }
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
    var isAtEnd: Bool { open.last?.isClosed(by: scanner.byte) ?? false }

    /// A key in an object, a value in an array.
    var nextItem: Step { open.last?.isObject == true ? .key : .value }

    /// Puts a value where it belongs.
    package mutating func complete(_ location: SourceLocation, _ content: JSONValue.Content) -> Step {
        let value = JSONValue(location: location, content: content)
        guard let top = open.indices.last else {
            root = value
            return .end
        }
        if !open[top].isObject {
            open[top].elements.append(value)
        } else if let key = open[top].key {
            open[top].members.append(JSONObject.Member(key: key, keyLocation: open[top].keyLocation, value: value))
        } else if let object = value.object, open[top].members.isEmpty {
            // Doubled brackets
            open[top].members = object.members
        }
        return .comma
    }

    mutating func endContainer() -> Step {
        scanner.take()
        return close(leaving: open.count - 1)
    }

    /// Closes the innermost objects and arrays.
    package mutating func close(leaving depth: Int) -> Step {
        scanner.typographicQuote = nil
        scanner.lastString = nil
        while open.count > depth {
            let container = open.removeLast()
            if container.isObject { noteDuplicates(container.members) }
            let content =
                container.isObject
                ? JSONValue.Content.object(JSONObject(members: container.members)) : .array(container.elements)
            if complete(container.location, content) == .end { return .end }
        }
        return .comma
    }

    private func repeatsEarlier(_ index: Int, of members: [JSONObject.Member]) -> Bool {
        let key = members[index].key.utf8
        let count = key.count
        for earlier in 0..<index {
            let other = members[earlier].key.utf8
            if other.count == count, other.elementsEqual(key) { return true }
        }
        return false
    }

    private mutating func noteDuplicates(_ members: [JSONObject.Member]) {
        // Most objects have few members, which are compared in less time than they are hashed.
        guard members.count > 8 || members.indices.contains(where: { repeatsEarlier($0, of: members) }) else { return }
        // Bytes, because two strings that Swift calls equal may be different keys.
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
