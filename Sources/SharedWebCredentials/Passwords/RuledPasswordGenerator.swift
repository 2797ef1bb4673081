public import MotivatorPlatform

/// A generator of passwords that satisfy a site's rules.
///
/// A password has 20 characters unless `minlength` requires more or other rules require fewer. Safari's generator does
/// the same.
///
/// The generator draws random strings until one satisfies the rules, so all possible passwords are equally likely. If
/// very few strings satisfy the rules, it instead puts a character of each required class at a random position.
public struct RuledPasswordGenerator: Sendable {
    /// The length, unless the rules require another length.
    public static let usualLength = 20
    /// The maximum number of `required` rules.
    private static let mostRules = 12
    /// The number of attempts without a chosen position for each required class, and the number of all attempts.
    private static let (freeAttempts, attempts) = (100, 1_000)

    /// The number of characters in each password.
    public let length: Int

    private let permitted: [UInt8]
    private let required: [ASCIISet]
    private let longestRun: Int
    private let longestSequence: Int

    /// Creates a generator.
    /// - Parameter rules: the rules to satisfy.
    /// - Throws: an error if no password satisfies the rules, or if there are too many rules.
    public init(_ rules: PasswordRules) throws(ExplainedFailure) {
        let shortest = rules.minimumLength ?? 1
        let preferred = min(max(Self.usualLength, shortest), rules.maximumLength ?? .max)
        permitted = rules.permitted.drawn.sorted()
        // Sort the rules to make a seeded generator reproducible.
        required = Set(rules.required.map(\.drawn)).sorted { $0.sorted().lexicographicallyPrecedes($1.sorted()) }
        let both = rules.maximumConsecutive ?? .max
        longestRun = min(both, rules.maximumRepeating ?? .max)
        longestSequence = min(both, rules.maximumSequential ?? .max)
        // With two characters that can alternate, a password can always be longer.
        let canAlternate = longestSequence > 1 || permitted.first?.step(to: permitted.last) == nil
        length = permitted.count > 1 && canAlternate ? preferred : min(preferred, longestRun)
        guard preferred <= PasswordRules.longestMinimum, required.count <= Self.mostRules else {
            throw .tooMuch(rules: rules.description)
        }
        var system = SystemRandomNumberGenerator()
        guard shortest <= length, attempt(using: &system) != nil else {
            throw .noPassword(rules: rules.description, lengths: min(shortest, preferred)...preferred)
        }
    }

    /// Returns a new password, using the system's random number generator.
    public func next() -> String {
        var system = SystemRandomNumberGenerator()
        return next(using: &system)
    }

    func next(using generator: inout some RandomNumberGenerator) -> String {
        while true {
            if let password = attempt(using: &generator) { return String(decoding: password, as: UTF8.self) }
        }
    }

    /// Returns a password, or nil if all attempts fail.
    private func attempt(using generator: inout some RandomNumberGenerator) -> [UInt8]? {
        for attempt in 0..<Self.attempts {
            let classes = attempt < Self.freeAttempts ? nil : chosenClasses(using: &generator)
            if let password = draw(classes, using: &generator),
                required.allSatisfy({ !$0.isDisjoint(with: password) })
            {
                return password
            }
        }
        return nil
    }

    /// Chooses a random position for each required class. Classes share a position if there are more classes.
    private func chosenClasses(using generator: inout some RandomNumberGenerator) -> [Int: ASCIISet] {
        let positions = (0..<length).shuffled(using: &generator)
        var classes: [Int: ASCIISet] = [:]
        for (index, characters) in required.shuffled(using: &generator).enumerated() {
            let position = positions[index % length]
            classes[position] = classes[position]?.intersection(characters) ?? characters
        }
        return classes
    }

    /// Draws a string, or returns nil if a position has no character, or a run or sequence is too long.
    /// - Parameter classes: the classes of some positions; nil to draw every character independently.
    private func draw(_ classes: [Int: ASCIISet]?, using generator: inout some RandomNumberGenerator) -> [UInt8]? {
        var password: [UInt8] = []
        var (step, run) = (Int?.none, 1)
        for position in 0..<length {
            var characters = classes?[position]?.sorted() ?? permitted
            func extends(_ next: UInt8) -> Int {
                guard let taken = next.step(to: password.last) else { return 1 }
                return taken == step ? run + 1 : 2
            }
            func isTooLong(_ next: UInt8) -> Bool {
                extends(next) > (next == password.last ? longestRun : longestSequence)
            }
            if classes != nil, !password.isEmpty { characters.removeAll(where: isTooLong) }
            guard let next = characters.randomElement(using: &generator), !isTooLong(next) else { return nil }
            (step, run) = (next.step(to: password.last), extends(next))
            password.append(next)
        }
        return password
    }
}

extension UInt8 {
    /// Returns 0 for an equal character, 1 or -1 for a neighbor in a-z, A-Z or 0-9, and nil for other characters.
    fileprivate func step(to other: UInt8?) -> Int? {
        guard let step = other.map({ Int($0) - Int(self) }), abs(step) < 2 else { return nil }
        let isInOneClass = [ASCIISet.upper, .lower, .digits].contains { $0.isSuperset(of: [self, other ?? self]) }
        return step == 0 || isInOneClass ? step : nil
    }
}

extension ExplainedFailure {
    static func noPassword(rules: String, lengths: ClosedRange<Int>) -> ExplainedFailure {
        let fewest = lengths.lowerBound == lengths.upperBound ? "" : "\(lengths.lowerBound) to "
        return ExplainedFailure(
            "no password of \(fewest)\(lengths.upperBound) characters satisfies the rules \(rules.quoted)",
            fix: "Allow more characters, require fewer, or change the lengths", exitCode: .badInput)
    }

    static func tooMuch(rules: String) -> ExplainedFailure {
        ExplainedFailure(
            "the rules \(rules.quoted) are too many, or the passwords too long",
            fix: "Remove required rules, or lower minlength", exitCode: .badInput)
    }
}
