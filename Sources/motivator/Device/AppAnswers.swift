import Platform
import SharedWebCredentials
import UltraMotivatorClient

/// What the flows of the app came to, in words and for programs.
extension DeviceAnswer {
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

    /// - Parameter tells: whether the password, which nobody has seen, is told.
    init(_ outcome: SignUpOutcome, tells: Bool) {
        switch outcome {
        case .signedUp(let session, let credential, let saved):
            self.init(
                lines: ["Signed up as \(session.account.quoted)."] + credential.sentences(tells) + saved.sentences,
                json: .members(
                    [("outcome", "signed_up"), ("account", .text(session.account))] + credential.members(tells)
                        + [("saved", saved.json)]), isNowhereElse: tells)
        case .unacceptable(let fault): self = .failed("unacceptable", fault)
        case .nameTaken(let refusal): self = .refused("name_taken", refusal)
        case .nameRefused(let refusal): self = .refused("name_refused", refusal)
        case .passwordRefused(let refusal): self = .refused("password_refused", refusal)
        case .tryLater(let refusal): self = .refused("try_later", refusal)
        case .failed(let failure): self = .failed("failed", failure)
        case .domainMismatch(let mismatch): self = .failed("domain_mismatch", mismatch)
        }
    }

    /// - Parameter tells: whether the password, which nobody has seen, is told.
    init(_ outcome: UpdateOutcome, tells: Bool) {
        switch outcome {
        case .updated(let session, let credential, let saved):
            self.init(
                lines: ["Changed the password of \(session.account.quoted)."] + credential.sentences(tells)
                    + saved.sentences,
                json: .members(
                    [("outcome", "updated"), ("account", .text(session.account))] + credential.members(tells)
                        + [("saved", saved.json)]), isNowhereElse: tells)
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
                lines: ["Signed out; the server had ended the session before."] + saved.sentences,
                json: ["outcome": "session_was_over", "saved": saved.json])
        case .onlyHere(let failure, let saved):
            self.init(
                lines: ["Signed out here alone: \(failure)"] + saved.sentences,
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

    private static func failed(_ outcome: String, _ error: some ExplainedError) -> DeviceAnswer {
        DeviceAnswer(
            lines: [error.description], json: ["outcome": .text(outcome), "error": error.json],
            exitCode: error.exitCode)
    }

    private static func refused(_ outcome: String, _ refusal: APIRefusal) -> DeviceAnswer {
        failed(outcome, APIFailure.refused(refusal))
    }
}

extension ExplainedError {
    fileprivate var json: JSONNode { ["message": .text(problem), "remedy": .text(remedy)] }
}

extension Credential {
    /// A generated password is told once, for a nil error is no proof that it was saved.
    fileprivate func sentences(_ tells: Bool) -> [String] { tells ? ["The generated password is \(password)"] : [] }

    fileprivate func members(_ tells: Bool) -> [(key: String, value: JSONNode)] {
        tells ? [("password", .text(password))] : []
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
        case .keychain: "what the keychain has"
        case .sharedWebCredentials: "a shared password, without typing"
        case .person: "what was typed"
        }
    }
}

extension LogInAttempt {
    fileprivate var sentence: String {
        let name =
            switch source {
            case .keychain: "Keychain"
            case .sharedWebCredentials: "Shared passwords"
            case .person: "Person"
            }
        let isTypist = source == .person && trouble == .declined
        return isTypist
            ? "Person: nothing was typed; --account and --password-stdin would." : "\(name): \(trouble.words)"
    }

    fileprivate var json: JSONNode { ["source": .text(source.word), "trouble": .text(trouble.words)] }
}

extension LogInAttempt.Trouble {
    fileprivate var words: String {
        switch self {
        case .nothingThere: "nothing there."
        case .declined: "declined."
        case .keychain(let failure): failure.description
        case .shared(let error): error.description
        case .foreign(let server): "a password for \(server.quoted), which is not the app's server; it was not sent."
        case .knownToBeWrong: "the same as before, which the server called wrong; it was not sent again."
        case .notAccepted(let failure): failure.description
        }
    }
}

extension StoreChanges {
    fileprivate var sentences: [String] {
        let kept =
            switch keychain {
            case .done: "Keychain: done."
            case .failed(let failure): "Keychain: \(failure)"
            }
        return switch shared {
        case .untouched: [kept, "Shared passwords: left as they are."]
        case .noErrorReported: [kept, "Shared passwords: no error, which is no proof of a change."]
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
