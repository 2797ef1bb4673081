/// How much a client wants one member of an Accept field (RFC 9110 §12.4.2), in thousandths: 0 means not acceptable.
enum Weight {
    static let full = 1000

    /// Reads `0` or `1` with up to three decimals; nil for anything else, and for more than 1.
    static func thousandths(_ value: FieldBytes) -> Int? {
        var cursor = FieldCursor(value)
        guard let whole = cursor.takeNumber(digits: 1), whole <= 1 else { return nil }
        var weight = whole * full
        if cursor.take(".") {
            var place = 100
            for digit in cursor.take(while: FieldSyntax.isDigit) {
                guard place > 0 else { return nil }
                weight += Int(digit - 0x30) * place
                place /= 10
            }
        }
        return cursor.isAtEnd && weight <= full ? weight : nil
    }
}
