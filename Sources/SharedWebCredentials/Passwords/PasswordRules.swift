public import MotivatorPlatform

/// A site's rules for its passwords, in the syntax of the `passwordrules` attribute.
///
///     minlength: 8; maxlength: 40; required: lower; required: upper; required: digit, [-!?]; max-consecutive: 2
///
/// - `minlength`, `maxlength`: the length in Unicode scalars.
/// - `required`: at least one character from these classes. Each such rule requires a character.
/// - `allowed`: characters that are allowed in addition to the required classes. Several such rules are combined.
/// - `max-repeating`: the maximum number of consecutive equal characters.
/// - `max-sequential`: the maximum length of a sequence in a-z, A-Z or 0-9, in either direction, such as `abc` or `321`.
/// - `max-consecutive`: both limits. Older devices know only this name.
/// - Classes are `upper`, `lower`, `digit`, `special`, `ascii-printable`, `unicode`, or characters in brackets. A
///   comma-separated list means any of its classes.
///
/// Without `allowed` and `required`, `ascii-printable` is allowed. `init(_:)` is strict: text that devices ignore is an
/// error. `read(_:)` parses rules as devices do.
///
/// Sources: Apple, "Customizing Password AutoFill Rules", and the parser in Apple's password-manager-resources.
public struct PasswordRules: Hashable, Sendable, CustomStringConvertible {
    /// The maximum value of `minlength`, equal to the maximum length of an account's password in bytes.
    public static let longestMinimum = 1_024

    /// `minlength`: the minimum number of characters, 1 to 1,024.
    public internal(set) var minimumLength: Int?
    /// `maxlength`: the maximum number of characters, at least 1.
    public internal(set) var maximumLength: Int?
    /// `required`: a password contains at least one character from each of these sets.
    public internal(set) var required: Set<CharacterClasses> = []
    /// `allowed`: characters that are allowed in addition to the required classes; nil without such a rule.
    public internal(set) var allowed: CharacterClasses?
    /// `max-consecutive`: the maximum for both of the following, at least 1.
    public internal(set) var maximumConsecutive: Int?
    /// `max-repeating`: the maximum number of consecutive equal characters, at least 1.
    public internal(set) var maximumRepeating: Int?
    /// `max-sequential`: the maximum length of a sequence such as `abc` or `321`, at least 1.
    public internal(set) var maximumSequential: Int?

    /// Parses rules strictly.
    /// - Parameter text: rules separated by semicolons, possibly with a trailing one. Empty text is valid.
    /// - Throws: `Malformed`, the first error.
    public init(_ text: String) throws(Malformed) {
        let reading = PasswordRules.read(text)
        if let mistake = reading.mistakes.first { throw mistake }
        self = reading.rules ?? PasswordRules()
    }

    /// Parses rules as a device does.
    /// - Returns: the rules, or nil if a device drops the whole text; and what a strict reader refuses, in the order of
    ///   the text. If the device drops the text, the last mistake is the reason.
    public static func read(_ text: String) -> (rules: PasswordRules?, mistakes: [Malformed]) {
        var parser = PasswordRulesParser(text)
        let rules = parser.parse()
        return (rules, parser.mistakes)
    }

    init() {}

    /// The rules in canonical order: lengths, `required` in alphabetical order, `allowed`, other limits.
    public var description: String {
        var rules: [String] = []
        if let minimumLength { rules.append("minlength: \(minimumLength)") }
        if let maximumLength { rules.append("maxlength: \(maximumLength)") }
        rules += required.map { "required: \($0)" }.sorted()
        if let allowed { rules.append("allowed: \(allowed)") }
        if let maximumConsecutive { rules.append("max-consecutive: \(maximumConsecutive)") }
        if let maximumRepeating { rules.append("max-repeating: \(maximumRepeating)") }
        if let maximumSequential { rules.append("max-sequential: \(maximumSequential)") }
        return rules.joined(separator: "; ")
    }

    var permitted: CharacterClasses {
        let named = required.reduce(allowed) { $0?.union($1) ?? $1 }
        return named ?? CharacterClasses(names: [.asciiPrintable])
    }

    /// The minimum `maxlength`, and the minimum number of character classes, that Apple devices are known to follow.
    private static let (shortestMaximum, fewestClasses) = (12, 2)

    /// Why Apple devices may not follow the rules, as a clause; nil if they do.
    public var weakness: String? {
        let drawn = permitted.drawn
        let others = ASCIISet.printable.subtracting(.upper).subtracting(.lower).subtracting(.digits)
        let classes = [ASCIISet.upper, .lower, .digits, others].count { drawn.subtracting($0) != drawn }
        let isShort = maximumLength ?? .max < Self.shortestMaximum
        guard isShort || classes < Self.fewestClasses else { return nil }
        return "the rules allow fewer than "
            + (isShort ? "\(Self.shortestMaximum) characters" : "\(Self.fewestClasses) character classes")
            + ". Apple devices may ignore such rules or generate a longer password"
    }

    /// Returns a new password that satisfies the rules. For many passwords, `RuledPasswordGenerator` is faster.
    /// - Throws: an error if no password satisfies them.
    public func generate() throws(ExplainedFailure) -> String {
        try RuledPasswordGenerator(self).next()
    }
}
