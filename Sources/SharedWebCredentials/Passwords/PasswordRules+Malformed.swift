import AssociatedDomains
public import MotivatorPlatform

extension PasswordRules {
    /// A mistake in password rules. Devices accept some of them. Columns count Unicode scalars from 1.
    public enum Malformed: ExplainedError, Hashable, Sendable {
        /// The name of a rule is unknown.
        case unknownRule(String, column: Int)
        /// The colon after a name is missing.
        case noColon(rule: String, column: Int)
        /// An equals sign instead of the colon, or a space before the colon.
        case equalsSign(rule: String, value: String, sign: String = "=", column: Int)
        /// A rule that is allowed only once is repeated.
        case repeated(rule: String, column: Int)
        /// The number is missing, or has a sign, a fraction or a unit.
        case noNumber(rule: String, text: String, column: Int)
        /// A space follows the number. Devices ignore the rule.
        case spaceAfterNumber(rule: String, column: Int)
        case outOfRange(rule: String, number: String, range: ClosedRange<Int>, column: Int)
        /// The name of a class is unknown.
        case unknownClass(rule: String, text: String, column: Int)
        /// The name of a class is not in lower case.
        case upperCaseClass(String, column: Int)
        /// The brackets are empty.
        case emptyBrackets(column: Int)
        /// The closing bracket is missing.
        case openBrackets(column: Int)
        /// A hyphen in brackets is not the first character. Ranges are not supported. `insteadOf` has the classes with
        /// the same characters, or is nil if a range is not a whole class.
        case hyphen(insteadOf: String? = nil, column: Int)
        /// A character in brackets is not printable ASCII.
        case bracketCharacter(Unicode.Scalar, column: Int)
        /// The text after a value is neither a comma nor a semicolon.
        case noSeparator(rule: String, text: String, column: Int)
        case minimumOverMaximum(minimum: Int, maximum: Int, column: Int)

        public var problem: String {
            switch self {
            case .unknownRule("", let column): "no rule begins at column \(column), so devices ignore the rest"
            case .unknownRule(let text, let column): "unknown password rule \(text.quoted) at column \(column)"
            case .noColon(let rule, let column): "the colon after \(rule) is missing at column \(column)"
            case .equalsSign(let rule, _, let sign, let column):
                "\(rule) has \(sign.quoted) instead of a colon at column \(column)"
            case .repeated(let rule, let column): "the rule \(rule) is repeated at column \(column)"
            case .noNumber(let rule, "", let column): "\(rule) has no number at column \(column)"
            case .noNumber(let rule, let text, let column):
                "the value \(text.quoted) of \(rule) at column \(column) is not a number"
            case .spaceAfterNumber(let rule, let column):
                "a space follows the value of \(rule) at column \(column), so devices ignore the rule"
            case .outOfRange(let rule, let number, _, let column): "\(rule) is \(number) at column \(column)"
            case .unknownClass(let rule, "", let column): "\(rule) has no character class at column \(column)"
            case .unknownClass(let rule, let text, let column):
                "\(rule) has the unknown character class \(text.quoted) at column \(column)"
            case .upperCaseClass(let text, let column):
                "the character class \(text.quoted) at column \(column) is not in lower case"
            case .emptyBrackets(let column): "the brackets \"[]\" at column \(column) are empty"
            case .openBrackets(let column): "the bracket \"[\" at column \(column) is not closed"
            case .hyphen(_, let column):
                "a \"-\" follows other characters in brackets at column \(column), so devices skip it"
            case .bracketCharacter(let scalar, let column):
                "devices skip \(String(scalar).quoted) in brackets at column \(column), which is not printable ASCII"
            case .noSeparator(let rule, let text, let column):
                "unexpected \(text.quoted) after the value of \(rule) at column \(column)"
            case .minimumOverMaximum(let minimum, let maximum, let column):
                "minlength \(minimum) is greater than maxlength \(maximum) at column \(column)"
            }
        }

        public var fix: String {
            switch self {
            case .unknownRule("", _): "Remove this character; one semicolon separates two rules"
            case .unknownRule(let text, _):
                text.nearest(of: PasswordRulesParser.names, within: 2).map { "Write \($0)" }
                    ?? "Use one of these rules, in lower case: \(PasswordRulesParser.names.joined(separator: ", "))"
            case .noColon(let rule, _): "Write \(rule): followed by its value"
            case .equalsSign(let rule, let value, _, _): "Write \("\(rule): \(value);".excerpt)"
            case .repeated: "Remove one of the two rules"
            case .noNumber(let rule, let text, _):
                Int(text.trimming { !("0"..."9").contains($0) }).map { "Write \"\(rule): \($0);\"" }
                    ?? "Use a number of characters, such as 20"
            case .spaceAfterNumber: "Remove the space"
            case .outOfRange(_, _, let range, _):
                range.upperBound == PasswordRules.longestMinimum
                    ? "Use a number from \(range.lowerBound) to \(range.upperBound)"
                    : "Use a number of at least \(range.lowerBound) with at most 9 digits"
            case .unknownClass(_, let text, _):
                Self.classes[String(text.loweredASCII.prefix(3))].map { "Write \($0)" }
                    ?? "Use upper, lower, digit, special, ascii-printable, unicode, or characters such as [-!?]"
            case .upperCaseClass(let text, _): "Write \(text.loweredASCII)"
            case .emptyBrackets: "Add characters, or remove the brackets"
            case .openBrackets: "Add a \"]\" after the last character"
            case .hyphen(let classes?, _): "Brackets have no ranges. Write \"\(classes)\" instead of the brackets"
            case .hyphen: "Put the hyphen first, as in [-!?], or list all characters of the range"
            case .bracketCharacter: "List only printable ASCII characters, or use unicode"
            case .noSeparator(_, ",", _): "Write a semicolon instead of each comma between rules"
            case .noSeparator: "Add a semicolon before the next rule, or a comma between classes"
            case .minimumOverMaximum: "Lower minlength or raise maxlength"
            }
        }

        /// The classes that people mean by words such as `uppercase` and `numbers`, by their beginnings.
        private static let classes = [
            "upp": "upper", "low": "lower", "dig": "digit", "num": "digit", "spe": "special", "sym": "special",
            "asc": "ascii-printable",
        ]

        public var exitCode: ExitCode { .badInput }
    }
}
