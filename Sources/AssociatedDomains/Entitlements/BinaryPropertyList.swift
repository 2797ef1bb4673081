/// Reads the top of a binary property list (`bplist00`): its dictionary, and the elements of the arrays in it.
///
/// The format is the one of CoreFoundation's `CFBinaryPList.c`. References are followed two steps deep and no further,
/// so that a list which refers to itself is read like any other.
struct BinaryPropertyList {
    typealias Fault = Entitlements.Fault

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let tableOffset: Int
    /// How many bytes of strings and references may still be read: each of a real list is read about once, but objects
    /// of a hostile one may refer to the same bytes a hundred thousand times.
    private var budget = Entitlements.maximumSize

    /// The value that a list holds.
    ///
    /// - Parameter bytes: the list, which begins with `bplist00`; at most `Entitlements.maximumSize` of them.
    package static func root(of bytes: [UInt8]) throws(Fault) -> PropertyListValue {
        let trailerSize = 32
        guard bytes.count > 8 + trailerSize else { throw .binary(offset: bytes.count, .tooShort) }
        let trailer = bytes.count - trailerSize
        func number(at offset: Int) -> Int? { integer(bytes[(trailer + offset)..<(trailer + offset + 8)]) }
        let (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let objectCount = number(at: 8), let top = number(at: 16), let tableOffset = number(at: 24),
            (8...trailer).contains(tableOffset), objectCount > top,
            objectCount <= (trailer - tableOffset) / offsetSize
        else { throw .binary(offset: trailer, .trailer) }
        var list = BinaryPropertyList(
            bytes: bytes, offsetSize: offsetSize, referenceSize: referenceSize, objectCount: objectCount,
            tableOffset: tableOffset)
        return try list.value(top, depth: 0)
    }

    private init(bytes: [UInt8], offsetSize: Int, referenceSize: Int, objectCount: Int, tableOffset: Int) {
        self.bytes = bytes
        self.offsetSize = offsetSize
        self.referenceSize = referenceSize
        self.objectCount = objectCount
        self.tableOffset = tableOffset
    }

    /// A number in network order, or nil when it is too large to count the bytes of a list.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value: UInt64 = 0
        for byte in bytes {
            guard value <= UInt64.max >> 8 else { return nil }
            value = value << 8 | UInt64(byte)
        }
        return value <= UInt64(UInt32.max) ? Int(value) : nil
    }

    /// Where an object begins.
    private func offset(of reference: Int) throws(Fault) -> Int {
        let entry = tableOffset + reference * offsetSize
        guard let offset = Self.integer(bytes[entry..<(entry + offsetSize)]), (8..<tableOffset).contains(offset) else {
            throw .binary(offset: entry, .offset)
        }
        return offset
    }

    /// - Parameters:
    ///   - reference: the number of an object, below `objectCount`.
    ///   - depth: 0 for the top, whose values are at 1 and the elements of their arrays at 2.
    private mutating func value(_ reference: Int, depth: Int) throws(Fault) -> PropertyListValue {
        let start = try offset(of: reference)
        func opaque(_ kind: PropertyListValue.Kind) -> PropertyListValue {
            PropertyListValue(place: nil, content: .opaque(kind))
        }
        switch bytes[start] >> 4 {
        case 0x0: return try opaque(simple(bytes[start], at: start))
        case 0x1, 0x2: return opaque(.number)
        case 0x3: return opaque(.date)
        case 0x4: return opaque(.data)
        case 0x5, 0x6: return PropertyListValue(place: nil, content: .string(try string(at: start)))
        case 0x8, 0xB, 0xC: return opaque(.other)
        case 0xA where depth < 2: return try array(at: start, depth: depth)
        case 0xA: return PropertyListValue(place: nil, content: .array([]))
        case 0xD where depth < 1: return try dictionary(at: start)
        case 0xD: return PropertyListValue(place: nil, content: .dictionary([]))
        case _: throw .binary(offset: start, .unknownObject)
        }
    }

    private func simple(_ marker: UInt8, at start: Int) throws(Fault) -> PropertyListValue.Kind {
        switch marker {
        case 0x08, 0x09: .boolean
        case 0x00: .other
        case _: throw .binary(offset: start, .unknownObject)
        }
    }

    private mutating func array(at start: Int, depth: Int) throws(Fault) -> PropertyListValue {
        let (content, count) = try size(at: start)
        var elements: [PropertyListValue] = []
        // Only the elements of an array in the top dictionary are asked for.
        guard depth == 1 else { return PropertyListValue(place: nil, content: .array([])) }
        for reference in try references(at: content, count: count) {
            elements.append(try value(reference, depth: depth + 1))
        }
        return PropertyListValue(place: nil, content: .array(elements))
    }

    private mutating func dictionary(at start: Int) throws(Fault) -> PropertyListValue {
        let (content, count) = try size(at: start)
        let both = try references(at: content, count: count.multipliedReportingOverflow(by: 2).partialValue)
        var members: [PropertyListValue.Member] = []
        for (key, held) in zip(both.prefix(count), both.dropFirst(count)) {
            guard case .string(let text) = try value(key, depth: 2).content else {
                throw .binary(offset: try offset(of: key), .key)
            }
            members.append(PropertyListValue.Member(key: text, place: nil, value: try value(held, depth: 1)))
        }
        return PropertyListValue(place: nil, content: .dictionary(members))
    }

    /// Where the content of a string, array or dictionary begins, and how many units, elements or members it has.
    private func size(at start: Int) throws(Fault) -> (content: Int, count: Int) {
        let low = Int(bytes[start] & 0x0F)
        guard low == 0x0F else { return (start + 1, low) }
        // An integer object follows: its marker has the power of two of its length.
        guard start + 1 < tableOffset, bytes[start + 1] >> 4 == 1, bytes[start + 1] & 0x0F <= 3 else {
            throw .binary(offset: start, .length)
        }
        let length = 1 << Int(bytes[start + 1] & 0x0F)
        guard length <= tableOffset - start - 2,
            let count = Self.integer(bytes[(start + 2)..<(start + 2 + length)])
        else { throw .binary(offset: start, .length) }
        return (start + 2 + length, count)
    }

    private mutating func references(at start: Int, count: Int) throws(Fault) -> [Int] {
        guard count <= (tableOffset - start) / referenceSize else { throw .binary(offset: start, .length) }
        try spend(count * referenceSize, at: start)
        var references: [Int] = []
        for index in 0..<count {
            let position = start + index * referenceSize
            guard let reference = Self.integer(bytes[position..<(position + referenceSize)]), reference < objectCount
            else { throw .binary(offset: position, .reference) }
            references.append(reference)
        }
        return references
    }

    private mutating func string(at start: Int) throws(Fault) -> String {
        let (content, count) = try size(at: start)
        let isWide = bytes[start] >> 4 == 0x6
        let width = isWide ? 2 : 1
        guard count <= (tableOffset - content) / width else { throw .binary(offset: start, .length) }
        try spend(count * width, at: start)
        let text = bytes[content..<(content + count * width)]
        guard isWide else {
            guard text.allSatisfy({ $0 < 0x80 }) else { throw .binary(offset: start, .text) }
            return String(decoding: text, as: UTF8.self)
        }
        let units = stride(from: content, to: content + count * 2, by: 2).map { index in
            UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
        }
        guard let decoded = String(validating: units, as: UTF16.self) else { throw .binary(offset: start, .text) }
        return decoded
    }

    private mutating func spend(_ count: Int, at start: Int) throws(Fault) {
        // One more for the object itself: empty strings cost too.
        guard budget > count else { throw .binary(offset: start, .repetition) }
        budget -= count + 1
    }
}
