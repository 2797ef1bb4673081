/// How deleting the account ended.
public enum DeletionOutcome: Sendable, Equatable {
    /// The server has deleted the account; what became of the stores.
    case deleted(StoreChanges)
    case wrongPassword(APIRefusal)
    /// The session is over: log in, then delete.
    case sessionIsOver(APIRefusal)
    /// There were too many attempts, or the server is busy.
    case tryLater(APIRefusal)
    /// The stores are as they were; after a network failure the server may have deleted the account all the same.
    case failed(APIFailure)
    /// Nothing was asked.
    case domainMismatch(DomainMismatch)

    init(_ failure: APIFailure) {
        guard let refusal = failure.refusal else {
            self = .failed(failure)
            return
        }
        switch refusal.subject {
        case .credential: self = .wrongPassword(refusal)
        case .session: self = .sessionIsOver(refusal)
        case .wait: self = .tryLater(refusal)
        case .nameTaken, .name, .newPassword, .program: self = .failed(failure)
        }
    }
}
