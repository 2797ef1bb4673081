import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

/// Converts the outcomes of the app's flows to text and JSON.
extension DeviceResult {
    init(_ outcome: LogInOutcome) {
        switch outcome {
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
        case .domainMismatch(let mismatch): self = .failed("domain_mismatch", mismatch)
        }
    }

    /// - Parameter showsPassword: whether to print the generated password.
    init(_ outcome: SignUpOutcome, showsPassword: Bool) {
        switch outcome {
        case .signedUp(let session, let credential, let saved):
            self.init(
                lines: ["Signed up as \(session.account.quoted)."] + credential.sentences(showsPassword)
                    + saved.sentences,
                json: .members(
                    [("outcome", "signed_up"), ("account", .text(session.account))] + credential.members(showsPassword)
                        + [("saved", saved.json)]), mustBePrinted: showsPassword)
        case .unacceptable(let fault): self = .failed("unacceptable", fault)
        case .nameTaken(let refusal): self = .refused("name_taken", refusal)
        case .nameRefused(let refusal): self = .refused("name_refused", refusal)
        case .passwordRefused(let refusal): self = .refused("password_refused", refusal)
        case .tryLater(let refusal): self = .refused("try_later", refusal)
        case .failed(let failure): self = .failed("failed", failure)
        case .domainMismatch(let mismatch): self = .failed("domain_mismatch", mismatch)
        }
    }

    /// - Parameter showsPassword: whether to print the generated password.
    init(_ outcome: UpdateOutcome, showsPassword: Bool) {
        switch outcome {
        case .updated(let session, let credential, let saved):
            self.init(
                lines: ["Changed the password of \(session.account.quoted)."] + credential.sentences(showsPassword)
                    + saved.sentences,
                json: .members(
                    [("outcome", "updated"), ("account", .text(session.account))] + credential.members(showsPassword)
                        + [("saved", saved.json)]), mustBePrinted: showsPassword)
        case .unacceptable(let fault): self = .failed("unacceptable", fault)
        case .wrongNameOrPassword(let refusal): self = .refused("wrong_name_or_password", refusal)
        case .passwordRefused(let refusal): self = .refused("password_refused", refusal)
        case .tryLater(let refusal): self = .refused("try_later", refusal)
        case .failed(let failure): self = .failed("failed", failure)
        case .domainMismatch(let mismatch): self = .failed("domain_mismatch", mismatch)
        }
    }

    init(_ outcome: SignOutOutcome) {
        switch outcome {
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
        case .domainMismatch(let mismatch): self = .failed("domain_mismatch", mismatch)
        }
    }

    init(_ outcome: DeletionOutcome) {
        switch outcome {
        case .deleted(let saved):
            self.init(
                lines: ["Deleted the account."] + saved.sentences, json: ["outcome": "deleted", "saved": saved.json])
        case .wrongPassword(let refusal): self = .refused("wrong_password", refusal)
        case .sessionIsOver(let refusal): self = .refused("session_is_over", refusal)
        case .tryLater(let refusal): self = .refused("try_later", refusal)
        case .failed(let failure): self = .failed("failed", failure)
        case .domainMismatch(let mismatch): self = .failed("domain_mismatch", mismatch)
        }
    }

    private static func failed(_ outcome: String, _ error: some ExplainedError) -> DeviceResult {
        DeviceResult(
            lines: [error.description], json: ["outcome": .text(outcome), "error": error.json],
            exitCode: error.exitCode)
    }

    private static func refused(_ outcome: String, _ refusal: APIRefusal) -> DeviceResult {
        failed(outcome, APIFailure.refused(refusal))
    }
}

extension ExplainedError {
    fileprivate var json: JSONNode { ["message": .text(problem), "fix": .text(fix)] }
}

extension Credential {
    /// Returns a line with the generated password, because a nil error does not prove that the device saved it.
    fileprivate func sentences(_ showsPassword: Bool) -> [String] {
        showsPassword ? ["The generated password is \(password)"] : []
    }

    fileprivate func members(_ showsPassword: Bool) -> [(key: String, value: JSONNode)] {
        showsPassword ? [("password", .text(password))] : []
    }
}

extension CredentialSource {
    fileprivate var word: String {
        switch self {
        case .keychain: "keychain"
        case .sharedWebCredentials: "shared"
        case .person: "person"
        }
    }

    fileprivate var words: String {
        switch self {
        case .keychain: "the keychain's password"
        case .sharedWebCredentials: "a shared password"
        case .person: "the typed password"
        }
    }
}

extension LogInAttempt {
    fileprivate var sentence: String {
        let name =
            switch source {
            case .keychain: "Keychain"
            case .sharedWebCredentials: "Shared passwords"
            case .person: "User"
            }
        let isTypist = source == .person && trouble == .declined
        return isTypist
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
