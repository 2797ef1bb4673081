import AssociatedDomains
import SourceJSON

/// Something that a careful reader of a site or an app would point at.
public struct Finding: Sendable, Hashable {
    /// The rule that it is about.
    public let rule: Rule
    /// What was found, with its value; a sentence without the full stop.
    public internal(set) var message: String
    /// What to do about it; a sentence without the full stop, and empty where nothing has to be done.
    public let remedy: String
    /// What it was found in: a URL, a file's name, an entitlement entry.
    public let subject: String
    /// Where in it, when it is a text.
    public let place: SourceLocation?
    /// What it means in each reading.
    public internal(set) var consequences: Consequences

    /// The stable code.
    public var code: String { rule.code }

    /// How much it weighs in a reading; nil when the reading has no such rule.
    ///
    /// - Parameter reading: the reading.
    public func severity(in reading: Reading) -> Severity? { consequences[reading]?.severity }

    /// The most that it weighs in any reading.
    public var severity: Severity { Reading.allCases.compactMap(severity).max() ?? .note }

    /// The same, where it counts.
    package func only(in readings: Set<Reading>) -> Finding {
        var kept = self
        kept.consequences = consequences.only(in: readings)
        return kept
    }

    /// The same, where it weighs no more than that.
    func atMost(_ limit: Consequence) -> Finding {
        var kept = self
        for reading in consequences.readings {
            kept.consequences[reading] = consequences[reading].map { min($0, limit) }
        }
        return kept
    }

    /// The readings in which it weighs the same, the gravest first.
    public var ranks: [(severity: Severity, readings: [Reading])] {
        Severity.allCases.reversed().compactMap { severity in
            let readings = Reading.allCases.filter { self.severity(in: $0) == severity }
            return readings.isEmpty ? nil : (severity, readings)
        }
    }
}

extension Finding {
    /// - Parameters:
    ///   - rule: the rule.
    ///   - message: what was found, a sentence without the full stop.
    ///   - remedy: what to do, a sentence without the full stop.
    ///   - subject: what it was found in.
    ///   - place: where in it.
    ///   - consequences: where they are other than the rule's.
    init(
        _ rule: some RuleGroup, _ message: String, remedy: String, in subject: String, at place: SourceLocation? = nil,
        _ consequences: Consequences? = nil
    ) {
        let rule = rule.rule
        self.init(
            rule: rule, message: message, remedy: remedy, subject: subject, place: place,
            consequences: consequences ?? rule.consequences)
    }
}
