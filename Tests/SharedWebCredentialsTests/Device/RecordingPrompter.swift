import MotivatorPlatform

@testable import SharedWebCredentials

/// A user who gives the same answer to every prompt, and records the prompts.
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
