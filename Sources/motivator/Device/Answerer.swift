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
        if beforehand.rules[prompt.kind] == nil, isatty(STDIN_FILENO) == 1 { return ask(prompt) }
        return await beforehand.answer(prompt)
    }

    private func ask(_ prompt: Prompt) -> Prompt.Answer {
        guard prompt.kind == .pick else {
            Output.sentence("\(prompt.text) \(prompt.mayRefuseForever ? "(yes, no, never)" : "(yes, no)")".printable)
            switch readLine()?.lowercased() {
            case "y", "yes": return .yes
            case "never": return .never
            case _: return .no
            }
        }
        Output.sentence(prompt.text.printable)
        for (index, choice) in prompt.choices.enumerated() { Output.sentence("  \(index + 1)  \(choice)".printable) }
        Output.sentence("A number, or nothing to cancel:")
        guard let line = readLine(), let number = Int(line), prompt.choices.indices.contains(number - 1) else {
            return .no
        }
        return .choice(number - 1)
    }
}
