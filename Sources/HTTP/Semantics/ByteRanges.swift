/// The bytes of a representation that a Range field requests (RFC 9110 §14.1.2, §14.2).
///
/// The field applies only if it has one line, the unit `bytes`, and one valid range. Otherwise, the server ignores the
/// field, as §14.2 allows, and sends the whole representation. It never sends a multipart response.
package enum ByteRanges: Equatable, Sendable {
    /// 200 with the whole representation.
    case whole
    /// 206 with these bytes; the range is not empty.
    case part(Range<Int>)
    /// 416: the field is valid, but the representation contains none of the requested bytes.
    case unsatisfiable

    /// Parses the Range field of a GET request whose If-Range field allows a range.
    /// - Parameters:
    ///   - lines: every line of the Range field; more than one line makes the field invalid.
    ///   - length: the length of the representation in bytes, zero or more.
    package init(_ lines: FieldLines, of length: Int) {
        let ranges = lines.only.flatMap(Self.rangeSet).map { Array(ListMembers($0).prefix(2)) } ?? []
        self = ranges.count == 1 ? Self.range(ranges[0], of: length) : .whole
    }

    /// Returns the value of the Content-Range field (RFC 9110 §14.4); nil if the response has none.
    package func contentRange(of length: Int) -> [UInt8]? {
        switch self {
        case .whole: nil
        case .unsatisfiable: Array("bytes */\(length)".utf8)
        case .part(let part): Array("bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)".utf8)
        }
    }

    /// Returns the text after `bytes=`; nil if the unit is missing or not `bytes`. Units are case-insensitive (§14.1).
    private static func rangeSet(of value: FieldBytes) -> FieldBytes? {
        guard let sign = value.firstIndex(of: UInt8(ascii: "=")),
            value.part(0..<sign).equalsIgnoringCase("bytes")
        else { return nil }
        return value.part(sign + 1..<value.count)
    }

    /// Returns the range of a member (§14.1.1): `first-last`, `first-` or `-count`. Any other text selects the whole.
    /// A `last` less than `first` also selects the whole.
    ///
    /// A number that overflows counts as `Int.max`. No representation is that long.
    private static func range(_ member: FieldBytes, of length: Int) -> ByteRanges {
        var cursor = FieldCursor(member)
        let start = cursor.take(while: .digit)
        guard cursor.take("-") else { return .whole }
        let end = cursor.take(while: .digit)
        guard cursor.isAtEnd, !start.isEmpty || !end.isEmpty else { return .whole }
        let last = end.decimal ?? .max
        if start.isEmpty {
            guard last > 0 else { return .unsatisfiable }
            // A suffix of an empty representation is satisfiable (§14.1.2), but Content-Range cannot express it.
            return length == 0 ? .whole : .part(length - min(last, length)..<length)
        }
        let first = start.decimal ?? .max
        guard first <= last else { return .whole }
        return first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
    }
}
