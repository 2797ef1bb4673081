package enum ErrorFormat: Sendable {
    case html, json, text

    /// Selects the format (RFC 9110 §12.5.1).
    ///
    /// An API always uses JSON, because its clients decode errors and many of them send no Accept field. On other
    /// paths, a client that names `text/html`, as browsers do, gets HTML. A client that names only `application/json`,
    /// or gives it a higher weight, gets JSON. All other clients get text, because command-line tools send `*/*`.
    /// - Parameter accepted: every line of the Accept field.
    package init(_ accepted: FieldLines, isAPI: Bool) {
        let html = accepted.weight(of: "text", "html")
        let json = accepted.weight(of: "application", "json")
        self = isAPI ? .json : html == 0 && json == 0 ? .text : html >= json ? .html : .json
    }
}

extension FieldLines {
    /// Returns the highest weight of the media ranges in an Accept field that name a type in full, in thousandths; 0
    /// without such a range (RFC 9110 §12.5.1).
    ///
    /// Wildcards do not count. Many programs send `*/*`, and only a full name shows which type a client prefers. The
    /// parser ignores malformed members. The only parameter of this server's types is `charset=utf-8`, so a range with
    /// another parameter matches no type.
    /// - Parameter type: the type in lowercase, such as `text`.
    package func weight(of type: StaticString, _ subtype: StaticString) -> Int {
        var weight = 0
        for line in self {
            for range in ListMembers(line).lazy.compactMap({ MediaRange($0) }) where !range.hasForeignParameter {
                guard range.type.equalsIgnoringCase(type), range.subtype.equalsIgnoringCase(subtype) else { continue }
                weight = Swift.max(weight, range.weight)
            }
        }
        return weight
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
