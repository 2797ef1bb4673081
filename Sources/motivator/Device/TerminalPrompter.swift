import MotivatorPlatform
import SharedWebCredentials

/// A prompter that answers the device's prompts from the command's options, saved answers, or the user's input.
// Unchecked because of the mutable variables. Commands run in sequence, and each command sets the variables first.
final class TerminalPrompter: Prompter, @unchecked Sendable {
    /// The answers for the running command, or nil if it has none.
    var policy: PromptPolicy?
    /// The device. Its state contains the saved answers.
    weak var device: SimulatedDevice?
    private var answered: [JSONNode] = []

    func answer(_ prompt: Prompt) async -> Prompt.Answer {
        let answer = await given(prompt)
        answered.append(prompt.json(answer))
        return answer
    }

    /// Returns the prompts since the last call, with their answers.
    func takeAnswered() -> [JSONNode] {
        defer { answered = [] }
        return answered
    }

    private func given(_ prompt: Prompt) async -> Prompt.Answer {
        if let policy { return await policy.answer(prompt) }
        let prepared = await device?.state.prompts ?? PromptPolicy()
        if prepared.given(prompt.kind) == nil, isatty(STDIN_FILENO) == 1 { return ask(prompt) }
        return await prepared.answer(prompt)
    }

    /// Prompts until the user enters a valid answer. End of input means no.
    private func ask(_ prompt: Prompt) -> Prompt.Answer {
        let isPicker = prompt.kind.isPicker
        if isPicker { Output.sentence(prompt.text.printable) }
        for (index, choice) in prompt.choices.enumerated() where isPicker {
            Output.sentence("  \(index + 1)  \(choice)".printable)
        }
        let question =
            isPicker
            ? "Enter a number from 1 to \(prompt.choices.count), or nothing to cancel:"
            : "\(prompt.text) \(prompt.mayRefuseForever ? "(yes, no, never)" : "(yes, no)")".printable
        while true {
            Output.sentence(question)
            guard let line = readLine() else { return .no }
            let word = line.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
            if let answer = Self.answer(word, prompt) { return answer }
        }
    }

    private static func answer(_ word: String, _ prompt: Prompt) -> Prompt.Answer? {
        switch word {
        case "n", "no", "": .no
        case "y" where !prompt.kind.isPicker, "yes" where !prompt.kind.isPicker: .yes
        case "never" where prompt.mayRefuseForever: .never
        case _ where prompt.kind.isPicker:
            Int(word).flatMap { prompt.choices.indices.contains($0 - 1) ? .choice($0 - 1) : nil }
        case _: nil
        }
    }
}
