import AssociatedDomains
import MotivatorPlatform

/// A parser for password rules that accepts what Apple's parser accepts.
///
/// The parser records what a strict reader refuses. Everything that makes a device drop the rules is also a mistake.
struct PasswordRulesParser {
    private enum Rule: String, CaseIterable {
        case minimumLength = "minlength"
        case maximumLength = "maxlength"
        case required
        case allowed
        case maximumConsecutive = "max-consecutive"
        case maximumRepeating = "max-repeating"
        case maximumSequential = "max-sequential"
    }

    static let names = Rule.allCases.map(\.rawValue)

    /// The maximum number. Larger numbers have the same effect, and sums of them could overflow.
    private static let largestNumber = 999_999_999

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private(set) var mistakes: [PasswordRules.Malformed] = []

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private var column: Int { index + 1 }

    private var isAtEndOfValue: Bool { next == nil || next == ";" }

    /// Returns the rules that a device follows; nil if it drops the whole text.
    mutating func parse() -> PasswordRules? {
        var rules = PasswordRules()
        skipSpace()
        while let first = next {
            guard first.isNameCharacter else {
                // A device keeps the rules before text that does not begin a rule.
                mistakes.append(.unknownRule(word(), column: column))
                return rules
            }
            if let rule = parseName() { parseValue(of: rule, into: &rules) }
            skipSpace()
            guard isAtEndOfValue else { return nil }
            index += 1
            skipSpace()
        }
        return rules
    }

    private mutating func parseName() -> Rule? {
        let name = word()
        guard let rule = Rule(rawValue: name) else {
            mistakes.append(.unknownRule(name, column: column))
            return nil
        }
        index += name.unicodeScalars.count
        guard next == ":" else {
            let end = column
            skipSpace()
            let sign = next == ":" ? " :" : next == "=" ? "=" : nil
            let value = sign == nil ? "" : scalars[index...].prefix { $0 != ";" }.text.trimming { ":=\" ".contains($0) }
            mistakes.append(
                value.isEmpty
                    ? .noColon(rule: name, column: next == ":" ? end : column)
                    : .equalsSign(rule: name, value: value, sign: sign ?? "", column: next == ":" ? end : column))
            return nil
        }
        index += 1
        skipSpace()
        return rule
    }

    private mutating func parseValue(of rule: Rule, into rules: inout PasswordRules) {
        let start = column
        switch rule {
        case .required: if let classes = parseClasses(of: rule) { rules.required.insert(classes) }
        case .allowed:
            if let classes = parseClasses(of: rule) { rules.allowed = rules.allowed?.union(classes) ?? classes }
        case .minimumLength:
            parseNumber(of: rule, to: PasswordRules.longestMinimum, into: &rules.minimumLength, choosing: max)
        case .maximumLength: parseNumber(of: rule, into: &rules.maximumLength, choosing: min)
        case .maximumConsecutive: parseNumber(of: rule, into: &rules.maximumConsecutive, choosing: min)
        case .maximumRepeating: parseNumber(of: rule, into: &rules.maximumRepeating, choosing: min)
        case .maximumSequential: parseNumber(of: rule, into: &rules.maximumSequential, choosing: min)
        }
        if let minimum = rules.minimumLength, let maximum = rules.maximumLength, minimum > maximum,
            rule == .minimumLength || rule == .maximumLength
        {
            mistakes.append(.minimumOverMaximum(minimum: minimum, maximum: maximum, column: start))
        }
    }

    private mutating func parseNumber(
        of rule: Rule, to most: Int = largestNumber, into value: inout Int?, choosing choose: (Int, Int) -> Int
    ) {
        let (text, start) = (word(), column)
        guard !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return mistakes.append(.noNumber(rule: rule.rawValue, text: text, column: start))
        }
        index += text.utf8.count
        guard isAtEndOfValue else {
            let end = column
            skipSpace()
            return mistakes.append(
                isAtEndOfValue ? .spaceAfterNumber(rule: rule.rawValue, column: end) : noSeparator(after: rule))
        }
        let number = Int(text) ?? .max
        if value != nil { mistakes.append(.repeated(rule: rule.rawValue, column: start)) }
        if !(1...most).contains(number) {
            mistakes.append(.outOfRange(rule: rule.rawValue, number: text, range: 1...most, column: start))
        }
        guard number > 0 else { return }
        let limited = min(number, Self.largestNumber)
        value = value.map { choose($0, limited) } ?? limited
    }

    /// Parses a list of classes. Returns nil if the device ignores the rule.
    private mutating func parseClasses(of rule: Rule) -> CharacterClasses? {
        var classes = CharacterClasses()
        while true {
            if next == "[" {
                classes = classes.union(CharacterClasses(listed: parseBrackets()))
            } else {
                let name = word()
                guard let known = CharacterClasses.Name(rawValue: name.loweredASCII) else {
                    mistakes.append(.unknownClass(rule: rule.rawValue, text: name, column: column))
                    return nil
                }
                if name != known.rawValue { mistakes.append(.upperCaseClass(name, column: column)) }
                index += name.unicodeScalars.count
                classes = classes.union(CharacterClasses(names: [known]))
            }
            skipSpace()
            if isAtEndOfValue { return classes == CharacterClasses() ? nil : classes }
            guard next == "," else {
                mistakes.append(noSeparator(after: rule))
                return nil
            }
            index += 1
            skipSpace()
        }
    }

    /// Parses the characters in brackets. They include a closing bracket if another closing bracket follows.
    private mutating func parseBrackets() -> ASCIISet {
        let opening = column
        var characters = ASCIISet()
        var (hyphen, foreign) = (Int?.none, PasswordRules.Malformed?.none)
        index += 1
        while let scalar = next {
            index += 1
            if scalar == "]" {
                if next == "]" {
                    characters.insert(UInt8(ascii: "]"))
                    index += 1
                }
                if let hyphen {
                    let classes = Self.classes(insteadOf: scalars[opening..<(index - 1)].text)
                    mistakes.append(.hyphen(insteadOf: classes, column: hyphen))
                }
                if let foreign { mistakes.append(foreign) }
                if characters.isEmpty, foreign == nil { mistakes.append(.emptyBrackets(column: opening)) }
                return characters
            } else if !ASCIISet.printable.contains(scalar) {
                foreign = foreign ?? .bracketCharacter(scalar, column: index)
            } else if scalar == "-", index != opening + 1 {
                hyphen = hyphen ?? index
            } else {
                characters.insert(UInt8(truncatingIfNeeded: scalar.value))
            }
        }
        mistakes.append(.openBrackets(column: opening))
        return ASCIISet()
    }

    /// Returns the classes that are equivalent to brackets with ranges, or nil if a range is not a whole class.
    private static func classes(insteadOf content: String) -> String? {
        let ranges: [(text: String, name: CharacterClasses.Name)] = [("a-z", .lower), ("A-Z", .upper), ("0-9", .digit)]
        let found = ranges.filter { content.contains($0.text) }
        let others = found.reduce(content) { $0.replacing($1.text, with: "") }
        // As in regular expressions, a hyphen at an edge is a character.
        guard !found.isEmpty, !others.dropFirst().dropLast().contains("-") else { return nil }
        let listed = found.reduce(ASCIISet.printable.intersection(others.utf8)) { $0.subtracting($1.name.members) }
        return CharacterClasses(names: Set(found.map(\.name)), listed: listed).description
    }

    private func noSeparator(after rule: Rule) -> PasswordRules.Malformed {
        let text = word()
        let separator = next.map { String($0) } ?? ""
        return .noSeparator(rule: rule.rawValue, text: text.isEmpty ? separator : text, column: column)
    }

    /// Returns the text up to a space or a delimiter.
    private func word() -> String {
        var text = String.UnicodeScalarView()
        for scalar in scalars[index...] {
            if scalar.isSpace || ";:,[=".unicodeScalars.contains(scalar) { break }
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
    fileprivate var isSpace: Bool { " \t\n\u{C}\r".unicodeScalars.contains(self) }

    fileprivate var isNameCharacter: Bool { self == "-" || ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
}
