/// A member of a byte range set (RFC 9110 §14.1.1), before the length of the representation is known.
enum RangeSpecification {
    /// From the byte `first` to the byte `last`, or to the end if `last` is nil.
    case from(first: Int, last: Int?)
    /// The last `count` bytes.
    case suffix(count: Int)

    /// Parses `first-last`, `first-` or `-count`. Returns nil for any other text, and if `last` is less than `first`.
    init?(_ member: FieldBytes) {
        var cursor = FieldCursor(member)
        let first = cursor.take(while: .digit)
        guard cursor.take("-") else { return nil }
        let last = cursor.take(while: .digit)
        guard cursor.isAtEnd else { return nil }
        switch (first.isEmpty, last.isEmpty) {
        case (true, true): return nil
        case (true, false): self = .suffix(count: Self.number(last))
        case (false, true): self = .from(first: Self.number(first), last: nil)
        case (false, false):
            guard Self.isOrdered(first, last) else { return nil }
            self = .from(first: Self.number(first), last: Self.number(last))
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

    /// Returns the number, or `Int.max` if the number overflows. No representation is that long.
    private static func number(_ digits: FieldBytes) -> Int {
        var number = 0
        for digit in digits {
            let (shifted, overflowed) = number.multipliedReportingOverflow(by: 10)
            let (sum, carried) = shifted.addingReportingOverflow(Int(digit - 0x30))
            if overflowed || carried { return .max }
            number = sum
        }
        return number
    }

    /// Returns whether `first` is at most `last`. Both numbers may exceed `Int.max`.
    private static func isOrdered(_ first: FieldBytes, _ last: FieldBytes) -> Bool {
        let first = first.drop { $0 == UInt8(ascii: "0") }
        let last = last.drop { $0 == UInt8(ascii: "0") }
        if first.count != last.count { return first.count < last.count }
        return !last.lexicographicallyPrecedes(first)
    }
}
