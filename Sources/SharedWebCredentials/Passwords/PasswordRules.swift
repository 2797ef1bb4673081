/// The rules that a site has for its passwords, in the language of the `passwordrules` attribute.
///
///     minlength: 8; maxlength: 40; required: lower; required: upper; required: digit, [-!?]; max-consecutive: 2
///
/// - `minlength`, `maxlength`: the number of characters, counted as Unicode scalars; once each.
/// - `required`: at least one character of the classes named; each such rule demands one of its own kind.
/// - `allowed`: characters that may occur besides the required ones; several such rules add up.
/// - `max-consecutive`: how many times in a row one character may stand; once.
/// - Classes are `upper`, `lower`, `digit`, `special`, `ascii-printable`, `unicode`, or characters in brackets; several,
///   between commas, mean any of them.
///
/// Without `allowed` and `required`, `ascii-printable` is allowed. Reading is strict: what browsers would skip with a
/// warning nobody sees is an error here, with its column. Names are written in lower case, as Apple writes them.
///
/// Source: Apple, "Customizing Password AutoFill Rules".
public struct PasswordRules: Hashable, Sendable, CustomStringConvertible {
    /// The most that `minlength` may ask for, which is what an account takes in bytes.
    public static let longestMinimum = 1_024

    /// `minlength`: the least number of characters, 1 to 1,024.
    public internal(set) var minimumLength: Int?
    /// `maxlength`: the greatest number of characters, from 1 on.
    public internal(set) var maximumLength: Int?
    /// `required`: a password has at least one character of each of these.
    public internal(set) var required: Set<CharacterClasses> = []
    /// `allowed`: characters that a password may have besides the required ones; nil without such a rule.
    public internal(set) var allowed: CharacterClasses?
    /// `max-consecutive`: how many times in a row one character may stand, from 1 on.
    public internal(set) var maximumConsecutive: Int?

    /// Reads rules.
    ///
    /// - Parameter text: rules between semicolons; one more at the end is fine, and so is no rule at all.
    /// - Throws: `Malformed`, the first mistake, or that `minlength` is greater than `maxlength`.
    public init(_ text: String) throws(Malformed) {
        var parser = PasswordRulesParser(text)
        self = try parser.parse()
    }

    /// No rule at all.
    init() {}

    /// The rules in one form, whichever way they were written: lengths, `required` in alphabetical order, `allowed`,
    /// `max-consecutive`. Reading it gives the same rules again.
    public var description: String {
        var rules: [String] = []
        if let minimumLength { rules.append("minlength: \(minimumLength)") }
        if let maximumLength { rules.append("maxlength: \(maximumLength)") }
        rules += required.map { "required: \($0)" }.sorted()
        if let allowed { rules.append("allowed: \(allowed)") }
        if let maximumConsecutive { rules.append("max-consecutive: \(maximumConsecutive)") }
        return rules.joined(separator: "; ")
    }

    /// What a password may consist of.
    var permitted: CharacterClasses {
        let named = required.reduce(allowed) { $0?.union($1) ?? $1 }
        return named ?? CharacterClasses(names: [.asciiPrintable])
    }

    /// A new password that obeys the rules; `RuledPasswordGenerator` makes many of them faster.
    ///
    /// - Throws: `RuledPasswordGenerator.Impossible` when no password can obey them.
    public func generate() throws(RuledPasswordGenerator.Impossible) -> String {
        try RuledPasswordGenerator(self).next()
    }

    /// Whether a password obeys all the rules.
    ///
    /// - Parameter password: any text.
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
