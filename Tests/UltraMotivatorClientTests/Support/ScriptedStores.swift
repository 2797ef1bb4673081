import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

/// A keychain with scripted failures. It records each call in the diary.
struct ScriptedKeychain: Keychain {
    static let locked = ExplainedFailure.keychain(-25308, "errSecInteractionNotAllowed")

    let diary: Diary
    let kept: MemoryKeychain
    var failsToRead = false
    var failsToChange = false

    init(_ diary: Diary, domain: String, _ credential: Credential? = nil) {
        self.diary = diary
        kept = MemoryKeychain(credential.map { [domain: $0] } ?? [:])
    }

    func credential(for domain: String) async throws(ExplainedFailure) -> Credential? {
        diary.write("keychain: read \(domain)")
        guard !failsToRead else { throw Self.locked }
        return try await kept.credential(for: domain)
    }

    func save(_ credential: Credential, for domain: String) async throws(ExplainedFailure) {
        diary.write("keychain: save \(domain) \(credential.account) \(credential.password)")
        guard !failsToChange else { throw Self.locked }
        try await kept.save(credential, for: domain)
    }

    func remove(_ account: String, for domain: String) async throws(ExplainedFailure) {
        diary.write("keychain: remove \(domain) \(account)")
        guard !failsToChange else { throw Self.locked }
        try await kept.remove(account, for: domain)
    }
}

/// Shared web credentials with scripted results. They record each call in the diary.
struct ScriptedShared: SharedWebCredentials {
    static let generated = "aBc-d3f-GhJ-k4m"

    let diary: Diary
    var picks: Result<[SharedCredential], SharedCredentialError> = .failure(.canceled)
    var error: SharedCredentialError?

    func add(domain: String, account: String, password: String?) async -> SharedCredentialError? {
        diary.write("shared: " + (password.map { "save \(domain) \(account) \($0)" } ?? "remove \(domain) \(account)"))
        return error
    }

    func request(domain: String?, account: String?) async -> Result<[SharedCredential], SharedCredentialError> {
        diary.write("shared: request \(domain ?? "any") \(account ?? "any")")
        return picks
    }

    func createPassword() -> String {
        diary.write("shared: create")
        return Self.generated
    }
}

/// A user who always types the same credential, or declines. The diary records the number of earlier attempts.
struct ScriptedUser: User {
    let diary: Diary
    var typed: Credential?

    func credential(after attempts: [LogInAttempt]) async -> Credential? {
        diary.write("user: asked after \(attempts.count)")
        return typed
    }
}
