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

    /// Creates a generator.
    /// - Parameter rules: the rules to satisfy.
    /// - Throws: an error if no password satisfies the rules, or if there are too many rules.
    public init(_ rules: PasswordRules) throws(ExplainedFailure) {
        let shortest = rules.minimumLength ?? 1
        let preferred = min(max(Self.usualLength, shortest), rules.maximumLength ?? .max)
        permitted = rules.permitted.drawn.sorted()
        // Sort the rules to make a seeded generator reproducible.
        required = Set(rules.required.map(\.drawn)).sorted { $0.sorted().lexicographicallyPrecedes($1.sorted()) }
        longestRun = rules.maximumConsecutive ?? .max
        // With several characters, a password can always be longer.
        length = permitted.count > 1 ? preferred : min(preferred, longestRun)
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

    /// Draws a string, or returns nil if a position has no character or a run is too long.
    /// - Parameter classes: the classes of some positions; nil to draw every character independently.
    private func draw(
        _ classes: [Int: ASCIISet]?, using generator: inout some RandomNumberGenerator
    ) -> [UInt8]? {
        var password: [UInt8] = []
        var run = 0
        for position in 0..<length {
            var characters = classes?[position]?.sorted() ?? permitted
            if classes != nil, run == longestRun { characters.removeAll { $0 == password.last } }
            guard let next = characters.randomElement(using: &generator) else { return nil }
            run = next == password.last ? run + 1 : 1
            guard run <= longestRun else { return nil }
            password.append(next)
        }
        return password
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
