import Platform

/// Makes passwords that obey a site's rules, each of the possible ones as likely as any other.
///
/// Passwords have 20 characters, more where `minlength` asks for more, and fewer where `maxlength` or the other rules want
/// it, as the longest that the rules leave below that. (20 and both bounds are what Safari's generator does.)
///
/// Drawing without rules and throwing away what breaks them would be fair too, but never end when the rules leave little.
/// So the ways to go on are counted beforehand: for each number of characters to come, and each state that the ones
/// before can have left. Every draw is then weighed by the passwords that it leads to, and a rule that nothing can obey
/// shows as a count of zero. The counts are floating point: the likelihoods differ by less than 1 in 10^9.
public struct RuledPasswordGenerator: Sendable {
    /// The length where the rules do not ask for another one.
    public static let usualLength = 20

    /// Characters that meet the same `required` rules: a draw cares only for the group.
    struct Group: Sendable {
        /// One bit for each rule.
        let rules: Int
        let members: [UInt8]
    }

    /// The number of characters of each password.
    public let length: Int

    private let counts: PasswordCounts

    /// Prepares to make passwords.
    ///
    /// - Parameter rules: what they have to obey.
    /// - Throws: `Impossible` when no password can, or when the rules are more than can be counted.
    public init(_ rules: PasswordRules) throws(Impossible) {
        let preferred = min(max(Self.usualLength, rules.minimumLength ?? 1), rules.maximumLength ?? .max)
        let permitted = rules.permitted.drawn
        // What every character meets needs no bookkeeping. In order, so that equal randomness gives equal passwords.
        let required = Set(rules.required.map(\.drawn)).filter { $0 != permitted }.sorted { $0.isBefore($1) }
        guard required.count <= PasswordCounts.mostRules else { throw .tooMuch(rules: rules.description) }
        var groups: [Int: [UInt8]] = [:]
        for character in permitted.members {
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
        self.counts = counts
        self.length = length
    }

    /// A new password, from the system's generator of random numbers.
    public func next() -> String {
        var system = SystemRandomNumberGenerator()
        return next(using: &system)
    }

    /// - Parameter generator: where the randomness comes from.
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
            preconditionFailure("every state that is reached leads to a password")
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

    /// Why there is no password.
    public enum Impossible: ExplainedError, Hashable, Sendable {
        /// The rules contradict each other.
        case noPassword(rules: String, lengths: ClosedRange<Int>)
        /// So many rules that the passwords cannot be counted in reasonable time and memory.
        case tooMuch(rules: String)

        public var problem: String {
            switch self {
            case .noPassword(let rules, let lengths):
                "no password of \(lengths.lowerBound == lengths.upperBound ? "" : "\(lengths.lowerBound) to ")"
                    + "\(lengths.upperBound) characters obeys the rules \(rules.quoted)"
            case .tooMuch(let rules): "there are too many rules to make a password by in \(rules.quoted)"
            }
        }

        public var remedy: String {
            switch self {
            case .noPassword: "Allow more characters, ask for fewer, or change the lengths"
            case .tooMuch: "Leave out required rules, or lower minlength or max-consecutive"
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}
