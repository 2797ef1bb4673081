/// The bytes of a representation that a Range field requests (RFC 9110 §14.1.2, §14.2).
///
/// The field applies only if it has one line, the unit `bytes`, and 1 to ``limit`` valid ranges. The ranges must
/// overlap or adjoin to form a single range. Otherwise, the server ignores the field, as §14.2 allows, and sends the
/// whole representation. It never sends a multipart response.
package enum ByteRanges: Equatable, Sendable {
    /// 200 with the whole representation.
    case whole
    /// 206 with these bytes; the range is not empty.
    case part(Range<Int>)
    /// 416: the field is valid, but the representation contains none of the requested bytes.
    case unsatisfiable

    /// The maximum number of ranges in a field. Media players and download tools send one or two. A field with hundreds
    /// of ranges is an attack on servers that send each range as a part (RFC 9110 §17.15).
    package static let limit = 16

    /// Parses the Range field of a GET request whose If-Range field allows a range.
    /// - Parameters:
    ///   - lines: every line of the Range field; more than one line makes the field invalid.
    ///   - length: the length of the representation in bytes, zero or more.
    package init(_ lines: FieldLines, of length: Int) {
        guard let value = lines.only, let set = Self.rangeSet(of: value) else {
            self = .whole
            return
        }
        var satisfiable: [Range<Int>] = []
        var count = 0
        for member in ListMembers(set) {
            count += 1
            guard count <= Self.limit, let range = RangeSpecification(member) else {
                self = .whole
                return
            }
            switch range.resolved(for: length) {
            case .whole:
                self = .whole
                return
            case .part(let part): satisfiable.append(part)
            case .unsatisfiable: break
            }
        }
        self = count == 0 ? .whole : Self.joined(satisfiable)
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
            value.extracting(0..<sign).equalsIgnoringCase("bytes")
        else { return nil }
        return value.extracting(sign + 1..<value.count)
    }

    private static func joined(_ parts: [Range<Int>]) -> ByteRanges {
        guard var union = parts.first else { return .unsatisfiable }
        guard parts.count > 1 else { return .part(union) }
        let sorted = parts.sorted { $0.lowerBound < $1.lowerBound }
        union = sorted[0]
        for part in sorted {
            guard part.lowerBound <= union.upperBound else { return .whole }
            union = union.lowerBound..<max(union.upperBound, part.upperBound)
        }
        return .part(union)
    }
}

/// A member of a byte range set (RFC 9110 §14.1.1), before the length of the representation is known.
private enum RangeSpecification {
    /// From the byte `first` to the byte `last`, or to the end if `last` is nil.
    case from(first: Int, last: Int?)
    /// The last `count` bytes.
    case suffix(count: Int)

    /// Parses `first-last`, `first-` or `-count`. Returns nil for any other text, and if `last` is less than `first`.
    ///
    /// A number that overflows becomes `Int.max`. No representation is that long.
    init?(_ member: FieldBytes) {
        var cursor = FieldCursor(member)
        let first = cursor.take(while: .digit)
        guard cursor.take("-") else { return nil }
        let last = cursor.take(while: .digit)
        guard cursor.isAtEnd else { return nil }
        if first.isEmpty {
            guard !last.isEmpty else { return nil }
            self = .suffix(count: last.decimal ?? .max)
        } else {
            guard last.isEmpty || Self.isOrdered(first, last) else { return nil }
            self = .from(first: first.decimal ?? .max, last: last.isEmpty ? nil : last.decimal ?? .max)
        }
    }

    /// Returns the range that applies to a representation of `length` bytes.
    ///
    /// A suffix of an empty representation is satisfiable (§14.1.2), but Content-Range cannot express it. The response
    /// is then the whole, empty representation.
    func resolved(for length: Int) -> ByteRanges {
        switch self {
        case .from(let first, let last):
            guard first < length else { return .unsatisfiable }
            return .part(first..<min(last ?? length - 1, length - 1) + 1)
        case .suffix(let count):
            guard count > 0 else { return .unsatisfiable }
            return length == 0 ? .whole : .part(length - min(count, length)..<length)
        }
    }

    /// Returns whether `first` is at most `last`. Both numbers may exceed `Int.max`.
    private static func isOrdered(_ first: FieldBytes, _ last: FieldBytes) -> Bool {
        let first = first.drop { $0 == UInt8(ascii: "0") }
        let last = last.drop { $0 == UInt8(ascii: "0") }
        if first.count != last.count { return first.count < last.count }
        return !last.lexicographicallyPrecedes(first)
    }
}
