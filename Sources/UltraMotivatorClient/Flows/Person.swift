/// The person with the device: asked for a credential when nothing else is left.
public protocol Person: Sendable {
    /// Asks for a credential.
    ///
    /// - Parameter attempts: what did not lead to a session before, so that it can be said why this is asked.
    /// - Returns: what the person typed; nil when they declined.
    func credential(after attempts: [LogInAttempt]) async -> Credential?
}
