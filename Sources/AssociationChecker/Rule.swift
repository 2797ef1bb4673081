/// A rule of associated domains that a validator looks at; each has a stable code.
public struct Rule: Sendable, Hashable {
    /// The code, which never changes its meaning, such as `json-trailing-comma`.
    public let code: String
    /// The rule in one sentence.
    public let text: String
    /// Why it is so, or what comes of breaking it.
    public let reason: String
    /// What breaking it means in each reading.
    public let consequences: Consequences
    /// Where it is written, or how it is known.
    public let source: Source

    /// The rules of one subject.
    public struct Group: Sendable {
        /// What they are about, as a heading.
        public let title: String
        /// The rules, each in this group alone.
        public let rules: [Rule]

        init(_ title: String, _ group: (some RuleGroup).Type) {
            self.title = title
            rules = group.rules
        }
    }

    /// All rules by their subjects, in the order in which a check comes to them.
    public static let groups = [
        Group("The file as a whole", ContainerRule.self), Group("JSON", JSONRule.self),
        Group("Services", ServiceRule.self), Group("Apps", AppRule.self), Group("Universal links", LinkRule.self),
        Group("Network", NetworkRule.self), Group("Certificates and TLS", TLSRule.self), Group("HTTP", HTTPRule.self),
        Group("Signatures", SignatureRule.self), Group("Entries of the entitlement", EntitlementRule.self),
    ]

    /// All rules, in the order of their groups.
    public static let all = groups.flatMap(\.rules)

    /// Finds a rule.
    ///
    /// - Parameter code: the code, whose case does not count.
    public static func named(_ code: String) -> Rule? {
        let wanted = code.lowercased()
        return all.first { $0.code == wanted }
    }

    public static func == (one: Rule, other: Rule) -> Bool { one.code == other.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// Rules about one subject. Each group is an enumeration, so that the compiler misses a rule that is not explained.
protocol RuleGroup: RawRepresentable<String>, CaseIterable, Sendable {
    /// What is known of the rule.
    var entry: Rule.Entry { get }
}

extension RuleGroup {
    static var rules: [Rule] { allCases.map(\.rule) }

    package var rule: Rule {
        let entry = entry
        return Rule(
            code: rawValue, text: entry.text, reason: entry.reason, consequences: entry.consequences,
            source: entry.source)
    }
}

extension Rule {
    package struct Entry {
        package let text: String
        package let reason: String
        let consequences: Consequences
        package let source: Source

        package init(_ text: String, because reason: String, _ consequences: Consequences, _ source: Source) {
            self.text = text
            self.reason = reason
            self.consequences = consequences
            self.source = source
        }
    }
}
