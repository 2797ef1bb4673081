import SharedWebCredentials

/// Suggests passwords that the policy accepts: as Apple's devices generate them, longer ones where that is too short.
struct PasswordSuggester: Sendable {
    private let longer: RuledPasswordGenerator?

    /// - Parameter minimum: the fewest characters of a new password, 1 to 64.
    /// - Throws: when there are no such passwords, which the range rules out.
    init(minimum: Int) throws {
        longer =
            minimum > PasswordGenerator.length
            ? try RuledPasswordGenerator(PasswordRules("minlength: \(minimum); allowed: upper, lower, digit")) : nil
    }

    func next() -> String { longer?.next() ?? PasswordGenerator().next() }
}
