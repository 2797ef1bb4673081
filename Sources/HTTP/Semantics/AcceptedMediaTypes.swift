/// The media types that the client accepts (Accept, RFC 9110 §12.5.1).
///
/// The parser ignores malformed members. If the field is missing or has no valid member, every type is acceptable. The
/// only parameter of this server's types is `charset=utf-8`, so a range with another parameter matches no type. This
/// value must not outlive the receive buffer.
package struct AcceptedMediaTypes {
    private let lines: FieldLines

    package init(_ lines: FieldLines) {
        self.lines = lines
    }

    /// Returns the weight of a type in thousandths, from 0 (not acceptable) to 1000. The most specific matching range
    /// determines the weight. Among equally specific ranges, the highest weight applies.
    /// - Parameter type: the type in lowercase, such as `text`.
    package func weight(of type: StaticString, _ subtype: StaticString) -> Int {
        best(type, subtype).weight
    }

    /// Returns the weight of a type in thousandths if a range names it in full; 0 if only a wildcard such as `text/*`
    /// or `*/*` matches.
    ///
    /// Many programs send `*/*`. Only a full name shows which type a client prefers.
    package func namedWeight(of type: StaticString, _ subtype: StaticString) -> Int {
        let (weight, specificity) = best(type, subtype)
        return specificity == .exact ? weight : 0
    }

    private enum Specificity: Int {
        case none, any, type, exact
    }

    private func best(_ type: StaticString, _ subtype: StaticString) -> (weight: Int, specificity: Specificity) {
        var best = (weight: 0, specificity: Specificity.none)
        var isEmpty = true
        for line in lines {
            for member in ListMembers(line) {
                guard let range = MediaRange(member) else { continue }
                isEmpty = false
                let specificity = Self.specificity(of: range, type, subtype)
                if specificity.rawValue > best.specificity.rawValue {
                    best = (range.weight, specificity)
                } else if specificity == best.specificity, specificity != .none {
                    best.weight = max(best.weight, range.weight)
                }
            }
        }
        return isEmpty ? (Weight.full, .any) : best
    }

    private static func specificity(
        of range: MediaRange, _ type: StaticString, _ subtype: StaticString
    ) -> Specificity {
        if range.hasForeignParameter { return .none }
        if range.type.equalsIgnoringCase("*") { return .any }
        guard range.type.equalsIgnoringCase(type) else { return .none }
        if range.subtype.equalsIgnoringCase("*") { return .type }
        return range.subtype.equalsIgnoringCase(subtype) ? .exact : .none
    }
}

/// A member of an Accept field (RFC 9110 §12.5.1): a type or a wildcard, parameters, and a weight.
struct MediaRange {
    let type: FieldBytes
    let subtype: FieldBytes
    /// The weight in thousandths. The parameter `q` sets the weight, regardless of its position (§12.4.2).
    private(set) var weight = Weight.full
    /// Whether the range has a parameter other than `q` and `charset=utf-8`.
    private(set) var hasForeignParameter = false

    /// Parses a member, or returns nil if it is malformed, such as `*/html`.
    init?(_ member: FieldBytes) {
        var cursor = FieldCursor(member)
        type = cursor.take(while: .token)
        guard !type.isEmpty, cursor.take("/") else { return nil }
        subtype = cursor.take(while: .token)
        guard !subtype.isEmpty else { return nil }
        guard !type.equalsIgnoringCase("*") || subtype.equalsIgnoringCase("*") else { return nil }
        cursor.skipOptionalWhitespace()
        var hasWeight = false
        while !cursor.isAtEnd {
            guard cursor.take(";") else { return nil }
            cursor.skipOptionalWhitespace()
            // §5.6.6 allows empty parameters, as in `text/html;;q=1`.
            if cursor.isAtEnd || cursor.current == UInt8(ascii: ";") { continue }
            let name = cursor.take(while: .token)
            guard !name.isEmpty, cursor.take("=") else { return nil }
            let isQuoted = cursor.current == ByteClass.quote
            let text = isQuoted ? cursor.takeQuotedString() : cursor.take(while: .token)
            guard let text, isQuoted || !text.isEmpty else { return nil }
            if name.equalsIgnoringCase("q") {
                guard !hasWeight, !isQuoted, let weight = Weight.thousandths(text) else { return nil }
                self.weight = weight
                hasWeight = true
            } else if !(name.equalsIgnoringCase("charset") && text.equalsIgnoringCase("utf-8")) {
                hasForeignParameter = true
            }
            cursor.skipOptionalWhitespace()
        }
    }
}

/// The weight of an Accept field member (RFC 9110 §12.4.2) in thousandths; 0 means not acceptable.
enum Weight {
    static let full = 1000

    /// Parses a number from 0 to 1 with up to three decimals; returns nil for any other text.
    static func thousandths(_ value: FieldBytes) -> Int? {
        var cursor = FieldCursor(value)
        guard let whole = cursor.takeNumber(digits: 1), whole <= 1 else { return nil }
        var weight = whole * full
        if cursor.take(".") {
            var unit = 100
            for digit in cursor.take(while: .digit) {
                guard unit > 0 else { return nil }
                weight += Int(digit - 0x30) * unit
                unit /= 10
            }
        }
        return cursor.isAtEnd && weight <= full ? weight : nil
    }
}
