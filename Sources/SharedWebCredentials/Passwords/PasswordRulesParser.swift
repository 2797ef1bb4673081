/// A parser for password rules.
struct PasswordRulesParser {
    private enum Rule: String, CaseIterable {
        case minimumLength = "minlength"
        case maximumLength = "maxlength"
        case required
        case allowed
        case maximumConsecutive = "max-consecutive"
    }

    private let scalars: [Unicode.Scalar]
    private var index = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private var column: Int { index + 1 }

    mutating func parse() throws(PasswordRules.Malformed) -> PasswordRules {
        var rules = PasswordRules()
        skipSpace()
        while next != nil {
            let rule = try parseName()
            try parseValue(of: rule, into: &rules)
            skipSpace()
            guard let separator = next else { break }
            guard separator == ";" else {
                let text = word()
                throw .noSeparator(
                    rule: rule.rawValue, text: text.isEmpty ? String(separator) : text, column: column)
            }
            index += 1
            skipSpace()
        }
        return rules
    }

    private mutating func parseName() throws(PasswordRules.Malformed) -> Rule {
        let start = column
        let name = word()
        guard let rule = Rule(rawValue: name) else { throw .unknownRule(name, column: start) }
        index += name.unicodeScalars.count
        skipSpace()
        guard next == ":" else { throw .noColon(rule: name, column: column) }
        index += 1
        skipSpace()
        return rule
    }

    private mutating func parseValue(
        of rule: Rule, into rules: inout PasswordRules
    ) throws(PasswordRules.Malformed) {
        let start = column
        switch rule {
        case .required: rules.required.insert(try parseClasses(of: rule))
        case .allowed:
            let classes = try parseClasses(of: rule)
            rules.allowed = rules.allowed?.union(classes) ?? classes
        case .minimumLength: try parseNumber(of: rule, to: PasswordRules.longestMinimum, into: &rules.minimumLength)
        case .maximumLength: try parseNumber(of: rule, to: 999_999_999, into: &rules.maximumLength)
        case .maximumConsecutive: try parseNumber(of: rule, to: 999_999_999, into: &rules.maximumConsecutive)
        }
        if let minimum = rules.minimumLength, let maximum = rules.maximumLength, minimum > maximum {
            throw .minimumOverMaximum(minimum: minimum, maximum: maximum, column: start)
        }
    }

    private mutating func parseNumber(
        of rule: Rule, to most: Int, into value: inout Int?
    ) throws(PasswordRules.Malformed) {
        let text = word()
        guard value == nil else { throw .repeated(rule: rule.rawValue, column: column) }
        guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            throw .noNumber(rule: rule.rawValue, text: text, column: column)
        }
        guard let number = Int(text), (1...most).contains(number) else {
            throw .outOfRange(rule: rule.rawValue, number: text, range: 1...most, column: column)
        }
        value = number
        index += text.utf8.count
    }

    private mutating func parseClasses(of rule: Rule) throws(PasswordRules.Malformed) -> CharacterClasses {
        var classes = try parseClass(of: rule)
        skipSpace()
        while next == "," {
            index += 1
            skipSpace()
            classes = classes.union(try parseClass(of: rule))
            skipSpace()
        }
        return classes
    }

    private mutating func parseClass(of rule: Rule) throws(PasswordRules.Malformed) -> CharacterClasses {
        if next == "[" { return CharacterClasses(listed: try parseBrackets()) }
        let name = word()
        guard let known = CharacterClasses.Name(rawValue: name) else {
            throw .unknownClass(rule: rule.rawValue, text: name, column: column)
        }
        index += name.unicodeScalars.count
        return CharacterClasses(names: [known])
    }

    /// Parses the characters in brackets. They include a closing bracket if another closing bracket follows.
    private mutating func parseBrackets() throws(PasswordRules.Malformed) -> ASCIISet {
        let opening = column
        var characters = ASCIISet()
        index += 1
        while let scalar = next {
            if scalar == "]", index + 1 >= scalars.count || scalars[index + 1] != "]" {
                guard !characters.isEmpty else { throw .emptyBrackets(column: opening) }
                index += 1
                return characters
            }
            guard ASCIISet.printable.contains(scalar) else { throw .bracketCharacter(scalar, column: column) }
            guard scalar != "-" || column == opening + 1 else { throw .hyphen(column: column) }
            characters.insert(UInt8(truncatingIfNeeded: scalar.value))
            index += 1
            if scalar == "]" {
                index += 1
                return characters
            }
        }
        throw .openBrackets(column: opening)
    }

    /// Returns the text up to a space or a delimiter.
    private func word() -> String {
        var text = String.UnicodeScalarView()
        for scalar in scalars[index...] {
            if scalar.isSpace || scalar == ";" || scalar == ":" || scalar == "," || scalar == "[" { break }
            text.append(scalar)
        }
        return String(text)
    }

    private mutating func skipSpace() {
        while let scalar = next, scalar.isSpace { index += 1 }
    }
}

extension Unicode.Scalar {
    /// Whether the character is ASCII whitespace in HTML.
    fileprivate var isSpace: Bool {
        self == " " || self == "\t" || self == "\n" || self == "\u{C}" || self == "\r"
    }
}
