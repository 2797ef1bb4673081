import Platform

extension PasswordRules {
    /// Why a text holds no password rules. Columns count Unicode scalars from 1.
    public enum Malformed: ExplainedError, Hashable, Sendable {
        /// Something else than the name of a rule where one begins.
        case unknownRule(String, column: Int)
        /// A name that is not followed by a colon.
        case noColon(rule: String, column: Int)
        /// A rule that may stand once stands a second time.
        case repeated(rule: String, column: Int)
        /// No number where one is needed, or one with a sign, a fraction or a unit.
        case noNumber(rule: String, text: String, column: Int)
        case outOfRange(rule: String, number: String, range: ClosedRange<Int>, column: Int)
        /// Something else than a class where one is needed.
        case unknownClass(rule: String, text: String, column: Int)
        /// Brackets with nothing between them.
        case emptyBrackets(column: Int)
        /// An opening bracket without a closing one.
        case openBrackets(column: Int)
        /// A hyphen in brackets that is not the first character: it makes no range.
        case hyphen(column: Int)
        /// A character in brackets that is not printable ASCII.
        case bracketCharacter(Unicode.Scalar, column: Int)
        /// Something after a value that is neither a comma nor a semicolon.
        case noSeparator(rule: String, text: String, column: Int)
        case minimumOverMaximum(minimum: Int, maximum: Int, column: Int)

        public var problem: String {
            switch self {
            case .unknownRule("", let column): "a rule is missing at column \(column)"
            case .unknownRule(let text, let column): "\(text.quoted) at column \(column) is no password rule"
            case .noColon(let rule, let column): "there is no colon after \(rule) at column \(column)"
            case .repeated(let rule, let column): "the rule \(rule) stands a second time at column \(column)"
            case .noNumber(let rule, "", let column): "\(rule) has no number at column \(column)"
            case .noNumber(let rule, let text, let column):
                "\(rule) has \(text.quoted) at column \(column), which is no number"
            case .outOfRange(let rule, let number, _, let column): "\(rule) is \(number) at column \(column)"
            case .unknownClass(let rule, "", let column): "\(rule) has no class of characters at column \(column)"
            case .unknownClass(let rule, let text, let column):
                "\(rule) has \(text.quoted) at column \(column), which is no class of characters"
            case .emptyBrackets(let column): "the brackets \"[]\" at column \(column) hold no character"
            case .openBrackets(let column): "the bracket \"[\" at column \(column) is not closed"
            case .hyphen(let column): "there is a \"-\" between other characters in brackets at column \(column)"
            case .bracketCharacter(let scalar, let column):
                "there is \(String(scalar).quoted) in brackets at column \(column), which is not printable ASCII"
            case .noSeparator(let rule, let text, let column):
                "after the value of \(rule) there is \(text.quoted) at column \(column)"
            case .minimumOverMaximum(let minimum, let maximum, let column):
                "minlength \(minimum) is greater than maxlength \(maximum) at column \(column)"
            }
        }

        public var remedy: String {
            switch self {
            case .unknownRule: "Write minlength, maxlength, required, allowed or max-consecutive, in lower case"
            case .noColon(let rule, _): "Write \(rule): and its value"
            case .repeated: "Keep one of the two"
            case .noNumber: "Write a number of characters, such as 20"
            case .outOfRange(_, _, let range, _):
                range.upperBound == PasswordRules.longestMinimum
                    ? "Write a number from \(range.lowerBound) to \(range.upperBound)"
                    : "Write a number from \(range.lowerBound) on, of at most 9 digits"
            case .unknownClass:
                "Write upper, lower, digit, special, ascii-printable, unicode, or characters in brackets such as [-!?]"
            case .emptyBrackets: "Put characters between them, or leave the brackets out"
            case .openBrackets: "Put a \"]\" after the last character"
            case .hyphen: "Put the hyphen first, as in [-!?]; a range is written as all its characters"
            case .bracketCharacter: "List only printable characters of ASCII, or write unicode"
            case .noSeparator: "Put a semicolon before the next rule, and a comma between classes"
            case .minimumOverMaximum: "Lower the one or raise the other"
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}
