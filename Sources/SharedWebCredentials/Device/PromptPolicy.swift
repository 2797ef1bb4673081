public import MotivatorPlatform

/// The predefined answers to prompts, for each kind of prompt or for all kinds.
public struct PromptPolicy: Prompter, Hashable {
    /// An answer to a kind of prompt.
    public enum Rule: Sendable, Hashable {
        case yes, no, never
        /// The first line in the picker with this user name. Without such a line, and for other prompts, it means `no`.
        case account(String)
    }

    /// The answers for specific kinds of prompts.
    public var rules: [Prompt.Kind: Rule]
    /// The answer to prompts without a rule; nil to ask the user, or to answer `no` without a terminal.
    public var fallback: Rule?

    public init(_ fallback: Rule? = nil, rules: [Prompt.Kind: Rule] = [:]) {
        (self.fallback, self.rules) = (fallback, rules)
    }

    /// Returns the predefined answer to a kind of prompt, if any.
    public func given(_ kind: Prompt.Kind) -> Rule? { rules[kind] ?? fallback }

    /// Adds an answer, such as `save=yes`, `pick=ray` or `save=never`. `save=ask` removes an answer.
    /// - Parameter text: a kind of prompt, an equals sign, and `yes`, `no`, `never`, `ask` or, for a picker, a user name.
    public mutating func add(_ text: String) throws(ExplainedFailure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw ExplainedFailure(
                "\(text.shortened.quoted) has no equals sign between prompt and answer",
                fix: "Use PROMPT=ANSWER, such as save=yes")
        }
        guard let kind = Prompt.Kind(rawValue: String(parts[0])) else {
            throw ExplainedFailure(
                "unknown prompt \(String(parts[0]).shortened.quoted)",
                fix: "The prompts are \(Prompt.Kind.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let word = String(parts[1])
        guard word != "ask" else { return rules[kind] = nil }
        let rule = Rule(word)
        switch (kind, rule) {
        case (.pick, .account) where !word.isEmpty, (.usePasskey, .account) where !word.isEmpty: break
        case (.save, .never), (_, .yes), (_, .no): break
        case (.save, _), (.update, _), (.delete, _), (.pick, _), (.createPasskey, _), (.usePasskey, _):
            throw ExplainedFailure(
                "\(word.shortened.quoted) is not a valid answer to the prompt \(kind.rawValue)", fix: kind.answerFix)
        }
        rules[kind] = rule
    }

    public func answer(_ prompt: Prompt) async -> Prompt.Answer {
        switch rules[prompt.kind] ?? fallback ?? .no {
        case .yes: return .yes
        case .no: return .no
        case .never: return prompt.mayRefuseForever ? .never : .no
        case .account(let account):
            guard prompt.kind.isPicker else { return .no }
            return prompt.choices.firstIndex { $0.account.isSameText(as: account) }.map { .choice($0) } ?? .no
        }
    }
}

extension Prompt.Kind {
    fileprivate var answerFix: String {
        switch self {
        case .save: "Use yes, no, never or ask"
        case .pick, .usePasskey: "Use yes for the first account, no, ask, or the account's name"
        case .update, .delete, .createPasskey: "Use yes, no or ask"
        }
    }
}

extension PromptPolicy: Codable {
    private static var fallbackKey: String { "fallback" }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.singleValueContainer().decode([String: Rule].self)
        self.init(members[Self.fallbackKey])
        for kind in Prompt.Kind.allCases { rules[kind] = members[kind.rawValue] }
    }

    public func encode(to encoder: any Encoder) throws {
        var members = Dictionary(uniqueKeysWithValues: rules.map { ($0.key.rawValue, $0.value) })
        members[Self.fallbackKey] = fallback
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}

extension PromptPolicy.Rule: Codable {
    private struct Account: Codable { let account: String }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let chosen = try? container.decode(Account.self) {
            self = .account(chosen.account)
            return
        }
        self.init(try container.decode(String.self))
        if case .account = self { throw DecodingError.dataCorruptedError(in: container, debugDescription: "") }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .yes, .no, .never: try container.encode(description)
        case .account(let account): try container.encode(Account(account: account))
        }
    }
}

extension PromptPolicy.Rule: CustomStringConvertible {
    public var description: String {
        switch self {
        case .yes: "yes"
        case .no: "no"
        case .never: "never"
        case .account(let account): account
        }
    }

    init(_ word: String) { self = [Self.yes, .no, .never].first { $0.description == word } ?? .account(word) }
}
