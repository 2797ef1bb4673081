/// The built-in substitution variables that stand for one character of ASCII each (Apple, "applinks").
package enum CharacterClass: String, CaseIterable, Sendable {
    case alpha
    case upper
    case lower
    case alnum
    case digit
    case xdigit

    /// What a sentence calls such a character.
    var phrase: String {
        switch self {
        case .alpha: "a letter"
        case .upper: "an upper-case letter"
        case .lower: "a lower-case letter"
        case .alnum: "a letter or digit"
        case .digit: "a digit"
        case .xdigit: "a hexadecimal digit"
        }
    }

    /// The class when case does not count, for text in folded case.
    var folded: CharacterClass {
        switch self {
        case .alpha, .upper, .lower: .alpha
        case .alnum, .digit, .xdigit: self
        }
    }

    package func contains(_ scalar: UInt32) -> Bool {
        let isUpper = 0x41...0x5A ~= scalar
        let isLower = 0x61...0x7A ~= scalar
        let isDigit = 0x30...0x39 ~= scalar
        return switch self {
        case .alpha: isUpper || isLower
        case .upper: isUpper
        case .lower: isLower
        case .alnum: isUpper || isLower || isDigit
        case .digit: isDigit
        case .xdigit: isDigit || 0x41...0x46 ~= scalar || 0x61...0x66 ~= scalar
        }
    }
}
