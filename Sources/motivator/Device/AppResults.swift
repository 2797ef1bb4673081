import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

extension DeviceResult {
    init(_ result: FlowResult, showsPassword: Bool = false) {
        switch result {
        case .loggedIn(let session, let source, let attempts, let saved):
            self.init(
                lines: attempts.map(\.sentence) + ["Logged in as \(session.account.quoted) with \(source.words)."]
                    + saved.sentences,
                json: [
                    "outcome": "logged_in", "account": .text(session.account), "source": .text(source.word),
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
    fileprivate var word: String {
        switch self {
        case .keychain: "keychain"
        case .sharedWebCredentials: "shared"
        case .user: "person"
        }
    }

    fileprivate var words: String {
        switch self {
        case .keychain: "the keychain's password"
        case .sharedWebCredentials: "a shared password"
        case .user: "the typed password"
        }
    }
}

extension LogInAttempt {
    fileprivate var sentence: String {
        let name =
            switch source {
            case .keychain: "Keychain"
            case .sharedWebCredentials: "Shared passwords"
            case .user: "User"
            }
        let isScripted = source == .user && trouble == .declined
        return isScripted
            ? "User: no input. Pass --account and --password-stdin." : "\(name): \(trouble.words)"
    }

    fileprivate var json: JSONNode { ["source": .text(source.word), "trouble": .text(trouble.words)] }
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
    fileprivate var sentences: [String] {
        let kept =
            switch keychain {
            case .done: "Keychain: updated."
            case .failed(let failure): "Keychain: \(failure)"
            }
        return switch shared {
        case .untouched: [kept, "Shared passwords: unchanged."]
        case .noErrorReported: [kept, "Shared passwords: updated, or already up to date. iOS does not report which."]
        case .failed(let error): [kept, "Shared passwords: \(error)"]
        }
    }

    fileprivate var json: JSONNode {
        let kept: JSONNode =
            switch keychain {
            case .done: "done"
            case .failed(let failure): failure.json
            }
        return switch shared {
        case .untouched: ["keychain": kept, "shared": "untouched"]
        case .noErrorReported: ["keychain": kept, "shared": "no_error"]
        case .failed(let error):
            ["keychain": kept, "shared": ["code": .number(Int(error.code)), "name": .text(error.name)]]
        }
    }
}
