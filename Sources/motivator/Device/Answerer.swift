import Platform
import SharedWebCredentials

/// Who answers the device's prompts: the command's options, answers given beforehand, or the person at the terminal.
///
/// One command runs after the other, so that what is set here is not read at the same time.
final class Answerer: Prompter, @unchecked Sendable {
    /// The answers of the command that runs; nil when it has none.
    var policy: PromptPolicy?
    /// The device, which keeps the answers that were given beforehand.
    weak var device: SimulatedDevice?

    func answer(_ prompt: Prompt) async -> Prompt.Answer {
        if let policy { return await policy.answer(prompt) }
        let beforehand = await device?.state.prompts ?? PromptPolicy()
        if beforehand.given(prompt.kind) == nil, isatty(STDIN_FILENO) == 1 { return ask(prompt) }
        return await beforehand.answer(prompt)
    }

    /// Asks until there is an answer; the end of the input is none, and means no.
    private func ask(_ prompt: Prompt) -> Prompt.Answer {
        let isPicker = prompt.kind == .pick
        if isPicker { Output.sentence(prompt.text.printable) }
        for (index, choice) in prompt.choices.enumerated() where isPicker {
            Output.sentence("  \(index + 1)  \(choice)".printable)
        }
        let question =
            isPicker
            ? "A number from 1 to \(prompt.choices.count), or nothing to cancel:"
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
        case "y" where prompt.kind != .pick, "yes" where prompt.kind != .pick: .yes
        case "never" where prompt.mayRefuseForever: .never
        case _ where prompt.kind == .pick:
            Int(word).flatMap { prompt.choices.indices.contains($0 - 1) ? .choice($0 - 1) : nil }
        case _: nil
        }
    }
}
