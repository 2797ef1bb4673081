/// A CBOR value (RFC 8949) in the canonical form of CTAP 2.1 §8: attestation objects, COSE keys and extension outputs.
package enum CBOR: Sendable, Equatable {
    case unsigned(UInt64)
    /// The integer −1 − n.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([Entry])
    case boolean(Bool)
    case null

    package struct Entry: Sendable, Equatable {
        package let key: CBOR
        package let value: CBOR

        package init(_ key: CBOR, _ value: CBOR) { (self.key, self.value) = (key, value) }
    }

    /// The maximum depth of arrays and maps (CTAP 2.1 §8).
    package static let maximumLevels = 4
    /// The maximum number of entries in an array or a map. The largest known attestation statement has six.
    package static let maximumEntries = 64

    package init(_ number: Int) {
        self = number < 0 ? .negative(UInt64(-1 - number)) : .unsigned(UInt64(number))
    }

    /// The integer; nil for another kind of value and for an integer that `Int` cannot hold.
    package var integer: Int? {
        switch self {
        case .unsigned(let number): Int(exactly: number)
        case .negative(let number): Int(exactly: number).map { -1 - $0 }
        case .bytes, .text, .array, .map, .boolean, .null: nil
        }
    }

    package var byteString: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    package var string: String? { if case .text(let text) = self { text } else { nil } }
    package var elements: [CBOR]? { if case .array(let elements) = self { elements } else { nil } }
    package var entries: [Entry]? { if case .map(let entries) = self { entries } else { nil } }
    package var truth: Bool? { if case .boolean(let truth) = self { truth } else { nil } }

    /// The value of an entry of a map; nil if the value is not a map or has no such key.
    package subscript(key: CBOR) -> CBOR? { entries?.first { $0.key == key }?.value }
    package subscript(key: Int) -> CBOR? { self[CBOR(key)] }
    package subscript(key: String) -> CBOR? { self[.text(key)] }

    /// Decodes one value without bytes after it.
    package init(_ bytes: [UInt8]) throws(CBORError) {
        var end = 0
        self = try CBOR(prefixOf: bytes, at: &end)
        guard end == bytes.count else { throw CBORError(.bytesLeft, at: end) }
    }

    /// Decodes the value that starts at an offset, and moves the offset to its end.
    package init(prefixOf bytes: [UInt8], at offset: inout Int) throws(CBORError) {
        var decoder = Decoder(bytes: bytes, offset: offset)
        self = try decoder.value(level: 1)
        offset = decoder.offset
    }

    /// The canonical encoding. Entries of maps are sorted by their keys.
    package var encoded: [UInt8] {
        switch self {
        case .unsigned(let number): Self.head(0, number)
        case .negative(let number): Self.head(1, number)
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let elements): Self.head(4, UInt64(elements.count)) + elements.flatMap(\.encoded)
        case .map(let entries):
            Self.head(5, UInt64(entries.count))
                + entries.map { (key: $0.key.encoded, value: $0.value.encoded) }
                .sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { $0.key + $0.value }
        case .boolean(let truth): [truth ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        let count = argument < 24 ? 0 : argument < 1 << 8 ? 1 : argument < 1 << 16 ? 2 : argument < 1 << 32 ? 4 : 8
        guard count > 0 else { return [major << 5 | UInt8(argument)] }
        let bytes = (0..<count).reversed().map { UInt8(truncatingIfNeeded: argument >> (8 * UInt64($0))) }
        return [major << 5 | UInt8(24 + count.trailingZeroBitCount)] + bytes
    }
}

/// Why bytes are not canonical CBOR.
package struct CBORError: Error, Equatable {
    package enum Rule: String, Sendable {
        case truncated = "the value is longer than the remaining bytes"
        case bytesLeft = "bytes follow the value"
        case indefinite = "a length is indefinite or reserved"
        case notShortest = "an integer or length is not in its shortest form"
        case key = "a map key is neither an integer nor text"
        case order = "the map keys are not sorted"
        case duplicate = "a map key is repeated"
        case notUTF8 = "text is not UTF-8"
        case tag = "tags are not allowed"
        case simple = "floats and simple values other than true, false and null are not allowed"
        case levels = "arrays and maps are nested in more than 4 levels"
        case entries = "an array or map has more than 64 entries"
        case notMap = "the value is not a map"
        case attestationMembers = "the members are not exactly fmt (text), attStmt (map) and authData (bytes)"
    }

    package let rule: Rule
    /// The offset of the item that breaks the rule.
    package let offset: Int

    package init(_ rule: Rule, at offset: Int) { (self.rule, self.offset) = (rule, offset) }
}

private struct Decoder {
    let bytes: [UInt8]
    var offset: Int

    mutating func value(level: Int) throws(CBORError) -> CBOR {
        let start = offset
        guard let initial = take(1)?.first else { throw CBORError(.truncated, at: start) }
        let major = initial >> 5
        if major == 7 { return try simple(initial, at: start) }
        let argument = try argument(initial & 31, at: start)
        switch major {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return .bytes(Array(try content(argument, at: start)))
        case 3:
            guard let text = String(validating: try content(argument, at: start), as: UTF8.self) else {
                throw CBORError(.notUTF8, at: start)
            }
            return .text(text)
        case 4:
            var elements: [CBOR] = []
            for _ in 0..<(try entries(argument, level, at: start)) { elements.append(try value(level: level + 1)) }
            return .array(elements)
        case 5: return try map(try entries(argument, level, at: start), level: level)
        // Only major type 6 remains.
        default: throw CBORError(.tag, at: start)
        }
    }

    private mutating func map(_ count: Int, level: Int) throws(CBORError) -> CBOR {
        var entries: [CBOR.Entry] = []
        var last: ArraySlice<UInt8> = []
        for _ in 0..<count {
            let start = offset
            // Integers and text are major types 0, 1 and 3.
            if start < bytes.count, ![0, 1, 3].contains(bytes[start] >> 5) { throw CBORError(.key, at: start) }
            let key = try value(level: level + 1)
            let encoded = bytes[start..<offset]
            guard encoded != last else { throw CBORError(.duplicate, at: start) }
            // For shortest forms, this is the order of CTAP: major type, then length, then bytes.
            guard last.lexicographicallyPrecedes(encoded) else { throw CBORError(.order, at: start) }
            last = encoded
            entries.append(CBOR.Entry(key, try value(level: level + 1)))
        }
        return .map(entries)
    }

    private func simple(_ initial: UInt8, at start: Int) throws(CBORError) -> CBOR {
        switch initial {
        case 0xF4: return .boolean(false)
        case 0xF5: return .boolean(true)
        case 0xF6: return .null
        default: throw CBORError(.simple, at: start)
        }
    }

    private mutating func argument(_ information: UInt8, at start: Int) throws(CBORError) -> UInt64 {
        guard information >= 24 else { return UInt64(information) }
        guard information < 28 else { throw CBORError(.indefinite, at: start) }
        guard let following = take(1 << Int(information - 24)) else { throw CBORError(.truncated, at: start) }
        let argument = following.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let minimums: [UInt64] = [24, 1 << 8, 1 << 16, 1 << 32]
        guard argument >= minimums[Int(information - 24)] else { throw CBORError(.notShortest, at: start) }
        return argument
    }

    private mutating func content(_ count: UInt64, at start: Int) throws(CBORError) -> ArraySlice<UInt8> {
        guard let count = Int(exactly: count), let content = take(count) else {
            throw CBORError(.truncated, at: start)
        }
        return content
    }

    private func entries(_ count: UInt64, _ level: Int, at start: Int) throws(CBORError) -> Int {
        guard level <= CBOR.maximumLevels else { throw CBORError(.levels, at: start) }
        guard count <= UInt64(bytes.count - offset) else { throw CBORError(.truncated, at: start) }
        guard count <= UInt64(CBOR.maximumEntries) else { throw CBORError(.entries, at: start) }
        return Int(count)
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}
