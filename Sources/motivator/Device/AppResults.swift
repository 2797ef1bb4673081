import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

extension DeviceResult {
    init(_ result: FlowResult, showsPassword: Bool = false) {
        switch result {
        case .loggedIn(let session, let source, let attempts, let saved):
            self.init(
                lines: attempts.map(\.sentence) + [
                    "Logged in as \(session.account.quoted) with \(source.words.phrase)."
                ]
                    + saved.sentences,
                json: [
                    "outcome": "logged_in", "account": .text(session.account), "source": .text(source.words.key),
                    "attempts": .list(attempts.map(\.json)), "saved": saved.json,
                ])
        case .notLoggedIn(let attempts):
            self.init(
                lines: attempts.map(\.sentence) + ["Not logged in."],
                json: ["outcome": "not_logged_in", "attempts": .list(attempts.map(\.json))], exitCode: .no)
        case .signedUp(let session, let credential, let saved):
            self.init("signed_up", "Signed up as \(session.account.quoted).", credential, saved, showsPassword)
        case .updated(let session, let credential, let saved):
            let sentence = "Changed the password of \(session.account.quoted)."
            self.init("updated", sentence, credential, saved, showsPassword)
        case .signedOut(let saved):
            self.init(lines: ["Signed out."] + saved.sentences, json: ["outcome": "signed_out", "saved": saved.json])
        case .sessionWasOver(let saved):
            self.init(
                lines: ["Signed out. The session had already ended."] + saved.sentences,
                json: ["outcome": "session_was_over", "saved": saved.json])
        case .onlyHere(let failure, let saved):
            self.init(
                lines: ["Signed out on this device only: \(failure)"] + saved.sentences,
                json: ["outcome": "only_here", "error": failure.json, "saved": saved.json], exitCode: failure.exitCode)
        case .deleted(let saved):
            self.init(
                lines: ["Deleted the account."] + saved.sentences, json: ["outcome": "deleted", "saved": saved.json])
        case .unacceptable(let error): self.init("unacceptable", error)
        case .refused(let kind, let refusal): self.init(kind.rawValue, APIFailure.refused(refusal))
        case .failed(let failure): self.init("failed", failure)
        case .domainMismatch(let mismatch): self.init("domain_mismatch", mismatch)
        }
    }

    /// The generated password is printed, because a nil error does not prove that the device saved it.
    private init(
        _ outcome: String, _ sentence: String, _ credential: Credential, _ saved: StoreChanges, _ showsPassword: Bool
    ) {
        let document: JSONNode = ["outcome": .text(outcome), "account": .text(credential.account)]
        let shown = showsPassword ? credential.password : nil
        self.init(
            lines: [sentence] + (shown.map { ["The generated password is \($0)"] } ?? []) + saved.sentences,
            json: document.adding("password", shown.map { .text($0) }).adding("saved", saved.json),
            mustBePrinted: showsPassword)
    }

    private init(_ outcome: String, _ error: some ExplainedError) {
        self.init(
            lines: [error.description], json: ["outcome": .text(outcome), "error": error.json],
            exitCode: error.exitCode)
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
    private var results: (keychain: (sentence: String, json: JSONNode), shared: (sentence: String, json: JSONNode)) {
        let kept: (sentence: String, json: JSONNode) =
            switch keychain {
            case .done: ("Keychain: updated.", "done")
            case .failed(let failure): ("Keychain: \(failure)", failure.json)
            }
        return switch shared {
        case .untouched: (kept, ("Shared passwords: unchanged.", "untouched"))
        case .noErrorReported:
            (kept, ("Shared passwords: updated, or already up to date. iOS does not report which.", "no_error"))
        case .failed(let error):
            (
                kept,
                ("Shared passwords: \(error)", ["code": .number(Int(error.code)), "name": .text(error.name)])
            )
        }
    }

    fileprivate var sentences: [String] { [results.keychain.sentence, results.shared.sentence] }
    fileprivate var json: JSONNode { ["keychain": results.keychain.json, "shared": results.shared.json] }
}
