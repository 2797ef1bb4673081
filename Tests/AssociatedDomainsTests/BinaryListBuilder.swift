/// A binary property list built from raw objects. A test can create lists that no encoder writes.
struct BinaryListBuilder {
    var objects: [[UInt8]] = []
    var top: UInt64 = 0
    var referenceSize: UInt8 = 1
    /// Replaces the actual number of objects.
    var claimedCount: UInt64?
    /// Replaces the actual offsets.
    var offsets: [Int]?

    static func ascii(_ text: String) -> [UInt8] { marker(0x50, text.utf8.count) + Array(text.utf8) }

    static func wide(_ text: String) -> [UInt8] {
        marker(0x60, text.utf16.count) + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    static func array(_ references: [UInt8]) -> [UInt8] { marker(0xA0, references.count) + references }

    static func dictionary(_ members: [(key: UInt8, value: UInt8)]) -> [UInt8] {
        marker(0xD0, members.count) + members.map(\.key) + members.map(\.value)
    }

    /// Returns a marker with its count. A count above 14 is stored in a 4-byte integer object.
    static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind | UInt8(count)] : [kind | 0x0F, 0x12] + number(UInt64(count), 4)
    }

    static func number(_ value: UInt64, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }
    }

    var bytes: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var found: [Int] = []
        for object in objects {
            found.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets ?? found { bytes += Self.number(UInt64(offset), 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, referenceSize]
        bytes += Self.number(claimedCount ?? UInt64(objects.count), 8)
        bytes += Self.number(top, 8)
        return bytes + Self.number(UInt64(table), 8)
    }
}
