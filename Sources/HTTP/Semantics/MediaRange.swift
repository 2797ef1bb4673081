/// One member of an Accept field (RFC 9110 §12.5.1): a type or a pattern of types, parameters, and a weight.
struct MediaRange {
    let type: FieldBytes
    let subtype: FieldBytes
    /// In thousandths. The parameter `q` is the weight wherever it stands, as §12.4.2 asks of recipients.
    private(set) var weight = Weight.full
    /// Whether there is a parameter other than `q` and `charset=utf-8`.
    private(set) var hasForeignParameter = false

    /// Reads a member, or returns nil if it is malformed, `*/html` included.
    init?(_ member: FieldBytes) {
        var cursor = FieldCursor(member)
        type = cursor.take(while: FieldSyntax.isTokenByte)
        guard !type.isEmpty, cursor.take("/") else { return nil }
        subtype = cursor.take(while: FieldSyntax.isTokenByte)
        guard !subtype.isEmpty else { return nil }
        guard !type.equalsIgnoringCase("*") || subtype.equalsIgnoringCase("*") else { return nil }
        cursor.skipOptionalWhitespace()
        var hasWeight = false
        while !cursor.isAtEnd {
            guard cursor.take(";") else { return nil }
            cursor.skipOptionalWhitespace()
            // §5.6.6 lets a parameter be empty, as in `text/html;;q=1`.
            if cursor.isAtEnd || cursor.current == UInt8(ascii: ";") {
                continue
            }
            let name = cursor.take(while: FieldSyntax.isTokenByte)
            guard !name.isEmpty, cursor.take("=") else { return nil }
            let isQuoted = cursor.current == FieldSyntax.quote
            let text = isQuoted ? cursor.takeQuotedString() : cursor.take(while: FieldSyntax.isTokenByte)
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
