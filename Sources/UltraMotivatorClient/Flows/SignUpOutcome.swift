/// How signing up ended.
public enum SignUpOutcome: Sendable, Equatable {
    /// The account is there. The credential tells a generated password, which nobody has seen: where the keychain failed
    /// it has to be shown, for a shared credential that reported no error is no proof.
    case signedUp(Session, Credential, saved: StoreChanges)
    /// The app's own rule was broken; nothing was sent.
    case unacceptable(FormFault)
    /// The server has an account with this name.
    case nameTaken(APIRefusal)
    /// The server's rules for names were broken.
    case nameRefused(APIRefusal)
    /// The server's policy for passwords was broken.
    case passwordRefused(APIRefusal)
    /// There were too many attempts, or the server is busy.
    case tryLater(APIRefusal)
    case failed(APIFailure)
    /// Nothing was asked.
    case domainMismatch(DomainMismatch)

    init(_ failure: APIFailure) {
        guard let refusal = failure.refusal else {
            self = .failed(failure)
            return
        }
        switch refusal.subject {
        case .nameTaken: self = .nameTaken(refusal)
        case .name: self = .nameRefused(refusal)
        case .newPassword: self = .passwordRefused(refusal)
        case .wait: self = .tryLater(refusal)
        case .credential, .session, .program: self = .failed(failure)
        }
    }
}
