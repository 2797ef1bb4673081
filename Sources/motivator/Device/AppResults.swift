import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

extension DeviceResult {
    init(_ result: FlowResult, showsPassword: Bool = false) {
        switch result {
        case .loggedIn(let session, let source, let attempts, let saved):
            let sentence = "Logged in as \(session.account.quoted) with \(source.words.phrase)."
            self.init(
                "logged_in", attempts.map(\.sentence) + [sentence],
                [
                    ("account", .text(session.account)), ("source", .text(source.words.key)),
                    ("attempts", .list(attempts.map(\.json))),
                ], saved)
        case .notLoggedIn(let attempts):
            self.init(
                "not_logged_in", attempts.map(\.sentence) + ["Not logged in."],
                [("attempts", .list(attempts.map(\.json)))], exitCode: .no)
        case .signedUp(let session, let credential, let saved):
            self.init("signed_up", "Signed up as \(session.account.quoted).", credential, saved, showsPassword)
        case .updated(let session, let credential, let saved):
            let sentence = "Changed the password of \(session.account.quoted)."
            self.init("updated", sentence, credential, saved, showsPassword)
        case .signedOut(let saved): self.init("signed_out", ["Signed out."], [], saved)
        case .sessionWasOver(let saved):
            self.init("session_was_over", ["Signed out. The session had already ended."], [], saved)
        case .onlyHere(let failure, let saved):
            let sentence = "Signed out on this device only: \(failure)"
            self.init("only_here", [sentence], [("error", failure.json)], saved, exitCode: failure.exitCode)
        case .deleted(let saved): self.init("deleted", ["Deleted the account."], [], saved)
        case .unacceptable(let error): self.init(error, outcome: "unacceptable")
        case .refused(let refusal): self.init(APIFailure.refused(refusal), outcome: refusal.code ?? "refused")
        case .failed(let failure): self.init(failure, outcome: "failed")
        case .domainMismatch(let mismatch): self.init(mismatch, outcome: "domain_mismatch")
        }
    }

    /// The generated password is printed, because a nil error does not prove that the device saved it.
    private init(
        _ outcome: String, _ sentence: String, _ credential: Credential, _ saved: StoreChanges, _ showsPassword: Bool
    ) {
        let password = showsPassword ? [credential.password] : []
        self.init(
            outcome, [sentence] + password.map { "The generated password is \($0)" },
            [("account", .text(credential.account))] + password.map { (key: "password", value: .text($0)) }, saved)
        mustBePrinted = showsPassword
    }

    private init(
        _ outcome: String, _ lines: [String], _ members: [(key: String, value: JSONNode)], _ saved: StoreChanges? = nil,
        exitCode: ExitCode = .yes
    ) {
        self.init(
            lines: lines + (saved?.sentences ?? []),
            json: .members([("outcome", .text(outcome))] + members).adding("saved", saved?.json), exitCode: exitCode)
    }

    init(_ error: some ExplainedError, outcome: String? = nil) {
        let outcome = outcome.map { [(key: "outcome", value: JSONNode.text($0))] } ?? []
        self.init(
            lines: [error.description], json: .members(outcome + [("error", error.json)]), exitCode: error.exitCode)
    }
}

extension ExplainedError {
    var json: JSONNode { ["message": .text(problem), "fix": .text(fix)] }
}

extension CredentialSource {
    fileprivate var words: (key: String, phrase: String, subject: String) {
        switch self {
        case .keychain: ("keychain", "the keychain's password", "Keychain")
        case .sharedWebCredentials: ("shared", "a shared password", "Shared passwords")
        case .user: ("person", "the typed password", "User")
        }
    }
}

extension LogInAttempt {
    fileprivate var sentence: String {
        let isScripted = source == .user && trouble == .declined
        return isScripted
            ? "User: no input. Pass --account and --password-stdin." : "\(source.words.subject): \(trouble.words)"
    }

    fileprivate var json: JSONNode { ["source": .text(source.words.key), "trouble": .text(trouble.words)] }
}

extension LogInAttempt.Trouble {
    fileprivate var words: String {
        switch self {
        case .nothingThere: "no password."
        case .declined: "declined."
        case .keychain(let failure): failure.description
        case .shared(let error): error.description
        case .foreign(let server): "the password belongs to \(server.quoted), not to the app's server. It was not sent."
        case .knownToBeWrong: "this password was already rejected. It was not sent again."
        case .notAccepted(let failure): failure.description
        }
    }
}

extension StoreChanges {
    private var keychainResult: (sentence: String, json: JSONNode) {
        keychain.map { ("Keychain: \($0)", $0.json) } ?? ("Keychain: updated.", "done")
    }

    private var sharedResult: (sentence: String, json: JSONNode) {
        switch shared {
        case .untouched: ("Shared passwords: unchanged.", "untouched")
        case .noErrorReported:
            ("Shared passwords: updated, or already up to date. iOS does not report which.", "no_error")
        case .failed(let error):
            ("Shared passwords: \(error)", ["code": .number(Int(error.code)), "name": .text(error.name)])
        }
    }

    fileprivate var sentences: [String] { [keychainResult.sentence, sharedResult.sentence] }
    fileprivate var json: JSONNode { ["keychain": keychainResult.json, "shared": sharedResult.json] }
}
