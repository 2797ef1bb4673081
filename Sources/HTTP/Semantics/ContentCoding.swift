/// The content coding of a response, chosen by Accept-Encoding (RFC 9110 §12.5.3).
package enum ContentCoding: Sendable {
    /// Gzip, with a Content-Encoding field.
    case gzip
    /// The content without a coding.
    case identity
    /// The client accepts neither coding. The response is 406, because §12.5.3 allows identity only if the client does
    /// not exclude it.
    case none

    /// Chooses the coding with the higher weight, or gzip if the weights are equal.
    ///
    /// The parser ignores malformed members. If a coding occurs more than once, its highest weight applies. `x-gzip` is
    /// an alias of gzip (§8.4.1.3).
    /// - Parameter lines: every line of the Accept-Encoding field. Without the field, the server chooses identity,
    ///   because the client may not support gzip. An empty field also selects identity.
    package init(_ lines: FieldLines, isGzipAvailable: Bool) {
        var named: Int?
        var plain: Int?
        var others: Int?
        for line in lines {
            for member in ListMembers(line) {
                guard let (coding, weight) = Self.parse(member) else { continue }
                if coding.equalsIgnoringCase("gzip") || coding.equalsIgnoringCase("x-gzip") {
                    named = max(named ?? 0, weight)
                } else if coding.equalsIgnoringCase("identity") {
                    plain = max(plain ?? 0, weight)
                } else if coding.equalsIgnoringCase("*") {
                    others = max(others ?? 0, weight)
                }
            }
        }
        let gzip = named ?? others ?? 0
        let identity = plain ?? others ?? 0
        if isGzipAvailable, gzip > 0, gzip >= identity {
            self = .gzip
        } else {
            self = (plain ?? others) == 0 ? .none : .identity
        }
    }

    /// Parses `coding` or `coding;q=weight`. Codings have no other parameters.
    private static func parse(_ member: FieldBytes) -> (coding: FieldBytes, weight: Int)? {
        var cursor = FieldCursor(member)
        let coding = cursor.take(while: .token)
        guard !coding.isEmpty else { return nil }
        if cursor.isAtEnd { return (coding, Weight.full) }
        cursor.skipOptionalWhitespace()
        guard cursor.take(";") else { return nil }
        cursor.skipOptionalWhitespace()
        guard cursor.take("q=") || cursor.take("Q=") else { return nil }
        guard let weight = Weight.thousandths(&cursor) else { return nil }
        return (coding, weight)
    }
}

/// The weight of a member (RFC 9110 §12.4.2) in thousandths; 0 means not acceptable.
private enum Weight {
    static let full = 1000

    /// Consumes a number from 0 to 1 with up to three decimals; returns nil for any other text up to the end.
    static func thousandths(_ cursor: inout FieldCursor) -> Int? {
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
