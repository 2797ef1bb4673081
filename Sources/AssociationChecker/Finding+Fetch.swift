import HTTPSClient

extension Finding {
    /// Why a request brought no complete answer.
    init(_ failure: FetchFailure, in subject: String) {
        let rule = failure.rule
        self.init(
            rule: rule, message: failure.problem, remedy: failure.remedy, subject: subject, place: nil,
            consequences: rule.consequences)
    }
}

extension FetchFailure {
    /// Whether there is an answer to judge all the same: its content is only too large.
    var isOfSize: Bool {
        if case .tooLarge = self { return true }
        return false
    }

    /// The rule that the site breaks.
    package var rule: Rule {
        switch self {
        case .unknownHost: NetworkRule.unknownHost.rule
        case .nameFailed, .nameTimedOut: NetworkRule.nameFailed.rule
        case .refused, .unreachable: NetworkRule.unreachable.rule
        case .connectTimedOut, .handshakeTimedOut, .headTimedOut, .contentTimedOut: NetworkRule.timedOut.rule
        case .closedInHandshake, .resetInHandshake, .reset, .closedBeforeHead, .cutShort: NetworkRule.closed.rule
        case .noResources, .unsendable: NetworkRule.notAsked.rule
        case .handshakeFailed, .sessionBroken, .refusedChain: TLSRule.failed.rule
        case .protocolTooOld: TLSRule.tooOld.rule
        case .notTLS: TLSRule.notSpoken.rule
        case .tooLarge: ContainerRule.tooLarge.rule
        case .malformed: HTTPRule.malformed.rule
        }
    }
}
