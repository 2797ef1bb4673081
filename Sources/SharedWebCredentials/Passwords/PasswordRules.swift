/// A site's rules for its passwords, in the syntax of the `passwordrules` attribute.
///
///     minlength: 8; maxlength: 40; required: lower; required: upper; required: digit, [-!?]; max-consecutive: 2
///
/// - `minlength`, `maxlength`: the length in Unicode scalars. Each may occur once.
/// - `required`: at least one character from these classes. Each such rule requires a character.
/// - `allowed`: characters that are allowed in addition to the required classes. Several such rules are combined.
/// - `max-consecutive`: the maximum number of consecutive equal characters. It may occur once.
/// - Classes are `upper`, `lower`, `digit`, `special`, `ascii-printable`, `unicode`, or characters in brackets. A
///   comma-separated list means any of its classes.
///
/// Without `allowed` and `required`, `ascii-printable` is allowed. Parsing is strict: text that browsers ignore is an
/// error. Names are in lower case, as in Apple's documentation.
///
/// Source: Apple, "Customizing Password AutoFill Rules".
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
    /// `max-consecutive`: the maximum number of consecutive equal characters, at least 1.
    public internal(set) var maximumConsecutive: Int?

    /// Parses rules.
    ///
    /// - Parameter text: rules separated by semicolons, possibly with a trailing one. Empty text is valid.
    /// - Throws: `Malformed`, the first error.
    public init(_ text: String) throws(Malformed) {
        var parser = PasswordRulesParser(text)
        self = try parser.parse()
    }

    init() {}

    /// The rules in canonical order: lengths, `required` in alphabetical order, `allowed`, `max-consecutive`.
    public var description: String {
        var rules: [String] = []
        if let minimumLength { rules.append("minlength: \(minimumLength)") }
        if let maximumLength { rules.append("maxlength: \(maximumLength)") }
        rules += required.map { "required: \($0)" }.sorted()
        if let allowed { rules.append("allowed: \(allowed)") }
        if let maximumConsecutive { rules.append("max-consecutive: \(maximumConsecutive)") }
        return rules.joined(separator: "; ")
    }

    /// The characters that a password may contain.
    var permitted: CharacterClasses {
        let named = required.reduce(allowed) { $0?.union($1) ?? $1 }
        return named ?? CharacterClasses(names: [.asciiPrintable])
    }

    /// Returns a new password that satisfies the rules. For many passwords, `RuledPasswordGenerator` is faster.
    ///
    /// - Throws: `RuledPasswordGenerator.Impossible` if no password satisfies them.
    public func generate() throws(RuledPasswordGenerator.Impossible) -> String {
        try RuledPasswordGenerator(self).next()
    }

    /// Returns whether a password satisfies the rules.
    public func isSatisfied(by password: String) -> Bool {
        let scalars = password.unicodeScalars
        let permitted = permitted
        return scalars.count >= minimumLength ?? 0
            && scalars.count <= maximumLength ?? .max
            && scalars.allSatisfy(permitted.contains)
            && required.allSatisfy { scalars.contains(where: $0.contains) }
            && longestRun(in: scalars) <= maximumConsecutive ?? .max
    }

    private func longestRun(in scalars: String.UnicodeScalarView) -> Int {
        var (last, run, longest) = (Unicode.Scalar?.none, 0, 0)
        for scalar in scalars {
            run = scalar == last ? run + 1 : 1
            longest = max(longest, run)
            last = scalar
        }
        return longest
    }
}
