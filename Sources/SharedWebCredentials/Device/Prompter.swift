/// The person in front of a simulated device, or who answers for them.
public protocol Prompter: Sendable {
    /// Answers a prompt; the device does nothing else meanwhile, so that the answer must not wait for the device.
    ///
    /// - Parameter prompt: what is asked.
    func answer(_ prompt: Prompt) async -> Prompt.Answer
}
