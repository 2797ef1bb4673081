public import MotivatorPlatform

/// A generator of passwords that satisfy a site's rules. All possible passwords are equally likely.
///
/// A password has 20 characters unless `minlength` requires more or other rules require fewer. Safari's generator does
/// the same.
///
/// If few passwords satisfy the rules, discarding all other passwords would take too long. Instead, the generator
/// counts the passwords in advance, for each state and number of remaining characters. It weights each character by the
/// number of passwords that continue with this character. Contradictory rules have a count of 0. The counts are
/// floating-point numbers, so the probabilities differ slightly, by less than 1 in 10^9.
public struct RuledPasswordGenerator: Sendable {
    /// The length, unless the rules require another length.
    public static let usualLength = 20

    /// Characters that satisfy the same `required` rules.
    struct Group: Sendable {
        /// The satisfied rules, as one bit each.
        let rules: Int
        let members: [UInt8]
    }

    /// The number of characters in each password.
    public let length: Int

    private let counts: PasswordCounts

    /// Creates a generator.
    /// - Parameter rules: the rules to satisfy.
    /// - Throws: an error if no password satisfies the rules, or if there are too many rules.
    public init(_ rules: PasswordRules) throws(ExplainedFailure) {
        let preferred = min(max(Self.usualLength, rules.minimumLength ?? 1), rules.maximumLength ?? .max)
        guard rules.minimumLength ?? 1 <= preferred else {
            throw .noPassword(rules: rules.description, lengths: preferred...preferred)
        }
        guard preferred <= PasswordRules.longestMinimum else { throw .tooMuch(rules: rules.description) }
        let permitted = rules.permitted.drawn
        // Omit rules that every character satisfies. Sort the others to make a seeded generator reproducible.
        let required = Set(rules.required.map(\.drawn)).filter { $0 != permitted }
            .sorted { $0.sorted().lexicographicallyPrecedes($1.sorted()) }
        guard required.count <= PasswordCounts.mostRules else { throw .tooMuch(rules: rules.description) }
        var groups: [Int: [UInt8]] = [:]
        for character in permitted.sorted() {
            let met = required.enumerated().reduce(0) { $1.element.contains(character) ? $0 | 1 << $1.offset : $0 }
            groups[met, default: []].append(character)
        }
        guard
            let counts = PasswordCounts(
                groups: groups.map(Group.init).sorted { $0.rules < $1.rules }, rules: required.count, length: preferred,
                run: rules.maximumConsecutive ?? .max)
        else { throw .tooMuch(rules: rules.description) }
        let lengths = (rules.minimumLength ?? 1)...preferred
        guard let length = lengths.last(where: counts.hasPassword) else {
            throw .noPassword(rules: rules.description, lengths: lengths)
        }
        (self.counts, self.length) = (counts, length)
    }

    /// Returns a new password, using the system's random number generator.
    public func next() -> String {
        var system = SystemRandomNumberGenerator()
        return next(using: &system)
    }

    func next(using generator: inout some RandomNumberGenerator) -> String {
        var state = PasswordCounts.State.start
        var password: [UInt8] = []
        for left in stride(from: length - 1, through: 0, by: -1) {
            let steps = counts.steps(from: state, left: left)
            let step = choose(steps, using: &generator)
            if !step.isRepetition {
                let others = counts.groups[step.group].members.filter { $0 != password.last }
                password.append(others[Int.random(in: 0..<others.count, using: &generator)])
            } else if let last = password.last {
                password.append(last)
            }
            state = counts.state(after: step, from: state)
        }
        return String(decoding: password, as: UTF8.self)
    }

    private func choose(
        _ steps: [PasswordCounts.Step], using generator: inout some RandomNumberGenerator
    ) -> PasswordCounts.Step {
        let possible = steps.filter { $0.weight > 0 }
        guard var chosen = possible.last else {
            preconditionFailure("every reachable state leads to a password")
        }
        var point = Double.random(in: 0..<1, using: &generator) * possible.reduce(0) { $0 + $1.weight }
        for step in possible {
            if point < step.weight {
                chosen = step
                break
            }
            point -= step.weight
        }
        return chosen
    }
}

extension ExplainedFailure {
    static func noPassword(rules: String, lengths: ClosedRange<Int>) -> ExplainedFailure {
        let fewest = lengths.lowerBound == lengths.upperBound ? "" : "\(lengths.lowerBound) to "
        return ExplainedFailure(
            "no password of \(fewest)\(lengths.upperBound) characters satisfies the rules \(rules.quoted)",
            fix: "Allow more characters, require fewer, or change the lengths", exitCode: .badInput)
    }

    /// There are too many rules to count the passwords in reasonable time and memory.
    static func tooMuch(rules: String) -> ExplainedFailure {
        ExplainedFailure(
            "the rules \(rules.quoted) are too many, or the passwords too long",
            fix: "Remove required rules, or lower minlength or max-consecutive", exitCode: .badInput)
    }
}
