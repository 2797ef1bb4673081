import Foundation
import MotivatorPlatform
import SourceJSON

/// The top-level dictionary of an XML or binary property list, with the locations of its parts in XML.
///
/// Foundation parses the list. Its parser limits nesting and does not expand entities.
struct PropertyList {
    let root: [String: Any]
    private let bytes: [UInt8]
    private let texts: [Text]
    /// The last location. Offsets mostly increase, so the lines before it are counted once.
    private var last = SourceLocation.start

    /// - Parameter bytes: The list, at most `Entitlements.maximumSize` bytes.
    init(_ bytes: [UInt8]) throws(Entitlements.Failure) {
        let form = try EntitlementsForm(bytes)
        if form == .binary, !BinaryListLimits.areMet(by: bytes) {
            throw .malformed(nil, "its objects are damaged or repeated")
        }
        let list: Any
        var format = PropertyListSerialization.PropertyListFormat.xml
        do {
            list = try unsafe PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: &format)
        } catch {
            throw PropertyList.malformed(error, form, bytes)
        }
        guard format == (form == .binary ? .binary : .xml) else { throw .malformed(nil, "it is in an old format") }
        if list is [AnyHashable: Any], !(list is [String: Any]) { throw .malformed(nil, "a key is not a string") }
        guard let root = list as? [String: Any] else { throw .notADictionary(found: PropertyList.kind(of: list)) }
        self.root = root
        self.bytes = form == .xml ? bytes : []
        texts = PropertyList.texts(in: self.bytes)
    }

    /// Creates a list from a dictionary inside another list. Its parts have no location.
    init(root: [String: Any]) {
        self.root = root
        (bytes, texts) = ([], [])
    }

    /// Returns the kind of a value, as worded in messages.
    static func kind(of value: Any) -> String {
        switch value {
        case is String: "a string"
        case is [Any]: "an array"
        case is [String: Any]: "a dictionary"
        case is Data: "data"
        case is Date: "a date"
        default: "a number or a Boolean"
        }
    }

    /// Returns the error from Foundation, with the line that it reports.
    private static func malformed(_ error: any Error, _ form: EntitlementsForm, _ bytes: [UInt8])
        -> Entitlements.Failure
    {
        guard form == .xml else { return .malformed(nil, "its objects are damaged or repeated") }
        let reason = (error as NSError).userInfo["NSDebugDescription"] as? String ?? "it is not valid XML"
        // The description can contain characters from the list.
        let description = reason.unicodeScalars.prefix(200).filter { $0.properties.generalCategory != .control }.text
        guard let line = description.firstMatch(of: #/\bline (\d+)\b/#).flatMap({ Int($0.1) }) else {
            return .malformed(nil, description)
        }
        let ends = bytes.indices.lazy.filter { bytes[$0] == .lineFeed }
        let offset = line > 1 ? ends.dropFirst(line - 2).first.map { $0 + 1 } : 0
        return .malformed(offset.map { SourceLocation(line: line, column: 1, offset: $0) }, description)
    }

    // MARK: Locations

    /// A `<key>` or `<string>` in XML: the number of dictionaries and arrays around it, and the start of its content.
    private struct Text {
        let isKey: Bool
        let depth: Int
        let start: Int
    }

    /// The start and the end of each kind of markup. Tags come last, because every kind begins with `<`.
    private static let markup = [
        (start: "<!--", end: "-->"), (start: "<![CDATA[", end: "]]>"), (start: "<?", end: "?>"), (start: "<", end: ">"),
    ]

    /// Returns the keys and strings of a list in XML. Comments can contain text that looks like one.
    private static func texts(in bytes: [UInt8]) -> [Text] {
        var (texts, depth, rest) = ([Text](), 0, bytes[...])
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            guard let form = markup.first(where: { rest.starts(with: $0.start.utf8) }) else { break }
            let content = rest.dropFirst(form.start.utf8.count)
            guard let end = content.indices.first(where: { content[$0...].starts(with: form.end.utf8) }) else { break }
            rest = content[(end + form.end.utf8.count)...]
            guard form.start == "<" else { continue }
            let name = content[..<end].prefix { !" \t\r\n".utf8.contains($0) }
            switch String(decoding: name, as: UTF8.self) {
            case "dict", "array": if content[..<end].last != UInt8(ascii: "/") { depth += 1 }
            case "/dict", "/array": depth -= 1
            case "key": texts.append(Text(isKey: true, depth: depth, start: end + 1))
            case "string", "string/": texts.append(Text(isKey: false, depth: depth, start: end + 1))
            case _: break
            }
        }
        return texts
    }

    /// Returns the location in XML of a key of the outer dictionary.
    /// - Parameter number: 0 for the first occurrence of the key.
    mutating func location(ofKey key: String, number: Int = 0) -> SourceLocation? {
        indices(ofKey: key).dropFirst(number).first.map { location(of: texts[$0].start) }
    }

    /// Returns the locations in XML of the strings in a key's array.
    ///
    /// The search ends at the first string that the XML does not contain literally, for example because of an entity.
    mutating func locations(ofStrings strings: [String], in key: String) -> [SourceLocation] {
        guard let index = indices(ofKey: key).first else { return [] }
        let starts = texts[index...].filter { !$0.isKey && $0.depth == 2 }.map(\.start)
        let literal = zip(strings, starts).prefix { $0.isEmpty || hasText($0, at: $1) }
        return literal.map { location(of: $1) }
    }

    private mutating func location(of offset: Int) -> SourceLocation {
        last = (offset < last.offset ? .start : last).advanced(to: offset, in: bytes)
        return last
    }

    private func indices(ofKey key: String) -> [Int] {
        texts.indices.filter { texts[$0].isKey && texts[$0].depth == 1 && hasText(key, at: texts[$0].start) }
    }

    private func hasText(_ text: String, at start: Int) -> Bool {
        bytes[start...].starts(with: "\(text)<".utf8)
    }
}

/// Checks a binary list before Foundation parses it.
///
/// Foundation expands an object for each reference to it, so a small list could use unlimited time and memory.
private struct BinaryListLimits {
    private let bytes: [UInt8]
    private let offsetSize: Int
    private let table: Int

    /// Returns whether a list meets the limits.
    ///
    /// Sets are not allowed. Each array or dictionary may be referenced at most once. The total size of strings is
    /// limited.
    static func areMet(by bytes: [UInt8]) -> Bool {
        guard bytes.count >= 40 else { return false }
        let trailer = bytes.count - 32
        let (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        let integer = { (index: Int) in BinaryListLimits.integer(bytes, at: trailer + 8 * index, size: 8) }
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), let count = integer(1),
            let top = integer(2), let table = integer(3), count > 0, count <= trailer,
            table <= trailer - count * offsetSize
        else { return false }
        let list = BinaryListLimits(bytes: bytes, offsetSize: offsetSize, table: table)
        var seen: Set<Int> = [top]
        var (references, size) = (0, 0)
        for object in 0..<count {
            guard let (kind, length, start) = list.object(object) else { return false }
            // The format supports sets, but property lists must not contain them. Some sets crash Foundation on Linux.
            guard kind != 0xB, kind != 0xC else { return false }
            guard kind == 0xA || kind == 0xD else { continue }
            let members = kind == 0xD ? 2 * length : length
            references += members
            guard references <= bytes.count, start + members * referenceSize <= table else { return false }
            for member in 0..<members {
                let offset = start + member * referenceSize
                guard let reference = BinaryListLimits.integer(bytes, at: offset, size: referenceSize),
                    reference < count, let (kind, length, _) = list.object(reference)
                else { return false }
                if kind >= 0xA { guard seen.insert(reference).inserted else { return false } }
                size += length
            }
        }
        return size <= 4 * Entitlements.maximumSize
    }

    /// Returns the kind of an object, its length in bytes or members, and the offset of its content.
    private func object(_ index: Int) -> (kind: UInt8, length: Int, start: Int)? {
        guard let offset = Self.integer(bytes, at: table + index * offsetSize, size: offsetSize), offset < table else {
            return nil
        }
        let (kind, low) = (bytes[offset] >> 4, bytes[offset] & 0xF)
        // Booleans, numbers and dates have no length field.
        guard kind >= 0x4 else { return (kind, 8, offset + 1) }
        guard low == 0xF else { return (kind, Int(low), offset + 1) }
        guard offset + 1 < table, bytes[offset + 1] >> 4 == 1 else { return nil }
        let size = 1 << Int(bytes[offset + 1] & 0xF)
        guard let length = Self.integer(bytes, at: offset + 2, size: size) else { return nil }
        return (kind, length, offset + 2 + size)
    }

    /// Returns a big-endian number, or nil if it is larger than any offset in the list.
    private static func integer(_ bytes: [UInt8], at offset: Int, size: Int) -> Int? {
        guard size <= 8, offset + size <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[offset..<(offset + size)] {
            value = value << 8 | Int(byte)
            guard value <= bytes.count else { return nil }
        }
        return value
    }
}
