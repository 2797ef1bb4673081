public import Platform

/// Answers that were given beforehand, for each kind of prompt or for all.
public struct PromptPolicy: Prompter, Hashable {
    /// An answer to a kind of prompt.
    public enum Rule: Sendable, Hashable {
        case yes
        case no
        case never
        /// The first line of the picker that has this user name; none means `no`, as it does for other prompts.
        case account(String)
    }

    /// The answers of single kinds.
    public var rules: [Prompt.Kind: Rule]
    /// The answer where no rule is; nil when nobody has given one, which means `no` where nobody can be asked.
    public var fallback: Rule?

    /// - Parameters:
    ///   - fallback: the answer where no rule is; nil for none.
    ///   - rules: the answers of single kinds.
    public init(_ fallback: Rule? = nil, rules: [Prompt.Kind: Rule] = [:]) {
        self.fallback = fallback
        self.rules = rules
    }

    /// The answer to a kind of prompt that was given beforehand, if any.
    public func given(_ kind: Prompt.Kind) -> Rule? { rules[kind] ?? fallback }

    /// Takes over one answer, such as `save=yes`, `pick=ray` or `save=never`; `save=ask` takes one back.
    ///
    /// - Parameter text: a kind of prompt, an equals sign, and `yes`, `no`, `never`, `ask` or, for `pick`, a user name.
    /// - Throws: `Malformed`.
    public mutating func add(_ text: String) throws(Malformed) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .noEqualsSign(text) }
        guard let kind = Prompt.Kind(rawValue: String(parts[0])) else { throw .unknownPrompt(String(parts[0])) }
        let word = String(parts[1])
        guard word != "ask" else {
            rules[kind] = nil
            return
        }
        let rule = Rule(word)
        switch (kind, rule) {
        case (.pick, .account) where !word.isEmpty: break
        case (.save, .never), (_, .yes), (_, .no): break
        case (.save, _), (.update, _), (.delete, _), (.pick, _): throw .unknownAnswer(word, kind)
        }
        rules[kind] = rule
    }

    public func answer(_ prompt: Prompt) async -> Prompt.Answer {
        switch rules[prompt.kind] ?? fallback ?? .no {
        case .yes: return .yes
        case .no: return .no
        case .never: return prompt.mayRefuseForever ? .never : .no
        case .account(let account):
            guard prompt.kind == .pick else { return .no }
            return prompt.choices.firstIndex { $0.account.isSameText(as: account) }.map { .choice($0) } ?? .no
        }
    }

    /// Why a text is no answer.
    public enum Malformed: ExplainedError, Hashable {
        case noEqualsSign(String)
        case unknownPrompt(String)
        case unknownAnswer(String, Prompt.Kind)

        public var problem: String {
            switch self {
            case .noEqualsSign(let text): "\(text.shortened.quoted) has no equals sign between prompt and answer"
            case .unknownPrompt(let text): "no prompt is called \(text.shortened.quoted)"
            case .unknownAnswer(let text, let kind):
                "\(text.shortened.quoted) is no answer to the prompt \(kind.rawValue)"
            }
        }

        public var remedy: String {
            switch self {
            case .noEqualsSign: "Write PROMPT=ANSWER, such as save=yes"
            case .unknownPrompt: "The prompts are \(Prompt.Kind.allCases.map(\.rawValue).joined(separator: ", "))"
            case .unknownAnswer(_, .save): "Answer yes, no, never or ask"
            case .unknownAnswer(_, .pick): "Answer yes for the first account, no, ask, or the account"
            case .unknownAnswer(_, .update), .unknownAnswer(_, .delete): "Answer yes, no or ask"
            }
        }

        public var exitCode: ExitCode { .usage }
    }
}

extension PromptPolicy.Rule {
    /// `yes`, `no` or `never`; anything else is an account.
    init(_ word: String) {
        self =
            switch word {
            case "yes": .yes
            case "no": .no
            case "never": .never
            case _: .account(word)
            }
    }
}
