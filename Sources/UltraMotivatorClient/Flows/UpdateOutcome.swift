/// How changing the password ended.
public enum UpdateOutcome: Sendable, Equatable {
    /// The password is changed; the sessions before are over. The credential tells a generated password.
    case updated(Session, Credential, saved: StoreChanges)
    /// The app's own rule was broken; nothing was sent.
    case unacceptable(FormFault)
    /// The password until now is another, or nobody has the name.
    case wrongNameOrPassword(APIRefusal)
    /// The server's policy for passwords was broken.
    case passwordRefused(APIRefusal)
    /// There were too many attempts, or the server is busy.
    case tryLater(APIRefusal)
    /// The stores are as they were; after a network failure the server may have changed the password all the same.
    case failed(APIFailure)
    /// Nothing was asked.
    case domainMismatch(DomainMismatch)

    init(_ failure: APIFailure) {
        guard let refusal = failure.refusal else {
            self = .failed(failure)
            return
        }
        switch refusal.subject {
        case .credential: self = .wrongNameOrPassword(refusal)
        case .newPassword: self = .passwordRefused(refusal)
        case .wait: self = .tryLater(refusal)
        case .nameTaken, .name, .session, .program: self = .failed(failure)
        }
    }
}
