public import Certificates
import HTTPSClient
public import Platform

/// Why a call of the API brought no result; no text of it holds a password or a token that was sent.
public enum APIFailure: ExplainedError, Equatable {
    /// There are no roots to judge the server by; nothing was sent.
    case noTrustAnchors(CMSError)
    /// The server was not reached, or its answer did not arrive whole. What was asked for may have been done.
    case network(FetchFailure)
    /// The certificates of the server are not those of this host; nothing was sent.
    case untrusted(host: String, faults: [ChainFault])
    /// The server answered that it will not.
    case refused(APIRefusal)
    /// The server answered with something other than what the call is documented to give.
    case malformed(MalformedAnswer)

    public var problem: String {
        switch self {
        case .noTrustAnchors(let error): error.problem
        case .network(let failure): failure.problem
        case .untrusted(let host, let faults):
            "the server does not prove to be \(host.quoted): "
                + (faults.first?.problem ?? "its certificates are not trusted")
        case .refused(let refusal): refusal.problem
        case .malformed(let answer): answer.problem
        }
    }

    public var remedy: String {
        switch self {
        case .noTrustAnchors(let error): error.remedy
        case .network(let failure): failure.remedy
        case .untrusted(_, let faults): faults.first?.remedy ?? "Trust the root of its chain"
        case .refused(let refusal): refusal.remedy
        case .malformed: "Check that the host and the port are those of Ultra Motivator, and that it is not older"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .noTrustAnchors(let error): error.exitCode
        case .network(let failure): failure.exitCode
        case .untrusted: .no
        case .refused(let refusal): refusal.isTemporary ? .temporary : .no
        case .malformed: .badInput
        }
    }

    /// The refusal, where the server gave one.
    public var refusal: APIRefusal? {
        guard case .refused(let refusal) = self else { return nil }
        return refusal
    }
}
