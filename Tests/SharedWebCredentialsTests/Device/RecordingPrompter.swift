import Platform

@testable import SharedWebCredentials

/// A person who gives one answer to everything and remembers what was asked.
final class RecordingPrompter: Prompter {
    private let given: Prompt.Answer
    private let prompts = Guarded<[Prompt]>([])

    init(_ answer: Prompt.Answer) {
        given = answer
    }

    var asked: [Prompt] { prompts.withLock { $0 } }

    func answer(_ prompt: Prompt) async -> Prompt.Answer {
        prompts.withLock { $0.append(prompt) }
        return given
    }
}
