import HTTP
import Platform

extension FetchFailure: ExplainedError {
    public var problem: String {
        switch self {
        case .unsendable(let part, let value): "the \(part) \(value.excerpt) cannot be sent in a request"
        case .unknownHost(let host): "there is no host \(host.excerpt), or it has no address"
        case .nameFailed(let host, let reason): "the name \(host.excerpt) cannot be resolved: \(reason)"
        case .nameTimedOut(let host, let seconds):
            "the name \(host.excerpt) was not resolved within \(seconds.inSeconds)"
        case .refused(let address): "nobody listens at \(address)"
        case .unreachable(let address, let reason): "\(address) cannot be reached: \(reason)"
        case .connectTimedOut(let address, let seconds): "\(address) did not answer within \(seconds.inSeconds)"
        case .noResources(let reason): "no connection can be made: \(reason)"
        case .handshakeTimedOut(let address, let seconds):
            "the TLS handshake with \(address) was not done within \(seconds.inSeconds)"
        case .handshakeFailed(let address, let reason): "the TLS handshake with \(address) failed: \(reason)"
        case .protocolTooOld(let address, .some(let version)):
            "the server at \(address) chose the protocol version \(version), which is older than TLS 1.2"
        case .protocolTooOld(let address, .none):
            "the server at \(address) has no protocol version in common with TLS 1.2 and 1.3"
        case .notTLS(let address, let start):
            "the server at \(address) does not speak TLS; it sent \(start.excerpt)"
        case .closedInHandshake(let address): "the server at \(address) closed the connection in the TLS handshake"
        case .resetInHandshake(let address): "the server at \(address) reset the connection in the TLS handshake"
        case .refusedChain(let address): "the certificates of the server at \(address) are not trusted"
        case .headTimedOut(let address, let seconds):
            "the server at \(address) sent no complete head of an answer within \(seconds.inSeconds)"
        case .contentTimedOut(let address, let seconds, let got):
            "the server at \(address) had sent \(got) bytes of the content after \(seconds.inSeconds), not all of it"
        case .reset(let address): "the server at \(address) reset the connection"
        case .sessionBroken(let address, let reason): "the TLS session with \(address) broke: \(reason)"
        case .closedBeforeHead(let address):
            "the server at \(address) closed the connection before its answer's head was complete"
        case .cutShort(let got, let whole): "the answer \(ResponseFault.cutShort(got: got, of: whole).sentence)"
        case .tooLarge(let limit): "the answer \(ResponseFault.contentTooLarge(limit: limit).sentence)"
        case .malformed(let fault): "the answer \(fault.sentence)"
        }
    }

    public var remedy: String {
        switch self {
        case .unsendable: "Percent-encode the target, and write names and values without control characters"
        case .unknownHost: "Check the spelling, and that the name has an A or AAAA record"
        case .nameFailed, .nameTimedOut: "Check the network and the name servers of this machine, and try again"
        case .refused: "Start the server, or check the port and the firewall"
        case .unreachable: "Check the route, the firewall and the address in the DNS"
        case .connectTimedOut: "Check the server, the firewall and the address in the DNS"
        case .noResources: "Close other programs, or raise the limit of open files"
        case .handshakeTimedOut, .closedInHandshake, .resetInHandshake:
            "Check the server's TLS settings and log, and what stands between it and the net"
        case .handshakeFailed: "Check the server's certificate, key and TLS settings for this host name"
        case .protocolTooOld: "Switch on TLS 1.2 and 1.3 in the server"
        case .notTLS: "Ask the port that speaks HTTPS, or switch on TLS there"
        case .refusedChain: "Check the certificates that the server shows, and the trusted roots"
        case .headTimedOut, .contentTimedOut: "Make the server answer faster, or what stands in front of it"
        case .reset, .closedBeforeHead: "Check the server's log, and what stands between it and the net"
        case .sessionBroken: "Check that the server asks for no client certificate, and its log"
        case .cutShort: "Make the server send as many bytes as it announces, and end TLS with close_notify"
        case .tooLarge: "Make the answer smaller"
        case .malformed: "Correct the server, or what stands in front of it"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .unsendable: .usage
        case .nameFailed, .nameTimedOut, .connectTimedOut, .handshakeTimedOut, .headTimedOut, .contentTimedOut,
            .closedInHandshake, .resetInHandshake, .reset, .closedBeforeHead, .cutShort:
            .temporary
        case .unknownHost, .refused, .unreachable, .noResources, .handshakeFailed, .protocolTooOld, .notTLS,
            .sessionBroken:
            .unavailable
        case .refusedChain: .no
        case .tooLarge, .malformed: .badInput
        }
    }
}

extension Int {
    fileprivate var inSeconds: String { self == 1 ? "1 second" : "\(self) seconds" }
}
