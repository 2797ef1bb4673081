import MotivatorHTTP
package import MotivatorPlatform

extension FetchFailure: ExplainedError {
    package var problem: String {
        switch self {
        case .unsendable(let part, let value): "the \(part) \(value.excerpt) cannot be sent in a request"
        case .unknownHost(let host): "could not resolve host \(host.excerpt)"
        case .nameFailed(let host, let reason): "could not resolve host \(host.excerpt): \(reason)"
        case .nameTimedOut(let host, let seconds):
            "could not resolve host \(host.excerpt) within \(seconds.inSeconds)"
        case .notPermitted(let address): "this server does not connect to \(address), which is not public"
        case .refused(let address): "connection refused: \(address)"
        case .unreachable(let address, let reason): "could not reach \(address): \(reason)"
        case .connectTimedOut(let address, let seconds): "\(address) did not respond within \(seconds.inSeconds)"
        case .noResources(let reason): "could not open a connection: \(reason)"
        case .handshakeTimedOut(let address, let seconds):
            "the TLS handshake with \(address) did not finish within \(seconds.inSeconds)"
        case .handshakeFailed(let address, let reason): "the TLS handshake with \(address) failed: \(reason)"
        case .protocolTooOld(let address, .some(let version)):
            "the server at \(address) selected \(version), which is older than TLS 1.2"
        case .protocolTooOld(let address, .none):
            "the server at \(address) supports neither TLS 1.2 nor TLS 1.3"
        case .notTLS(let address, let start):
            "the server at \(address) does not use TLS; it sent \(start.excerpt)"
        case .closedInHandshake(let address): "the server at \(address) closed the connection during the TLS handshake"
        case .resetInHandshake(let address): "the server at \(address) reset the connection during the TLS handshake"
        case .refusedChain(let address): "the certificates of the server at \(address) are not trusted"
        case .headTimedOut(let address, let seconds):
            "the server at \(address) did not send a complete response head within \(seconds.inSeconds)"
        case .contentTimedOut(let address, let seconds, let got):
            "the server at \(address) sent only \(got) bytes of the content within \(seconds.inSeconds)"
        case .reset(let address): "the server at \(address) reset the connection"
        case .sessionBroken(let address, let reason): "the TLS session with \(address) failed: \(reason)"
        case .closedBeforeHead(let address):
            "the server at \(address) closed the connection before the response head was complete"
        case .cutShort(let got, let whole): "the response \(ResponseError.cutShort(got: got, of: whole).sentence)"
        case .tooLarge(let limit): "the response \(ResponseError.contentTooLarge(limit: limit).sentence)"
        case .malformed(let fault): "the response \(fault.sentence)"
        }
    }

    package var fix: String {
        switch self {
        case .unsendable: "Percent-encode the target, and remove control characters from field names and values"
        case .unknownHost: "Check the spelling, and make sure that the name has an A or AAAA record"
        case .nameFailed, .nameTimedOut: "Check the network and the name servers of this machine, and try again"
        case .notPermitted:
            "Use a public host and port 443, or check the site on your machine with: motivator association check"
        case .refused: "Start the server, or check the port and the firewall"
        case .unreachable: "Check the route, the firewall and the address in the DNS"
        case .connectTimedOut: "Check the server, the firewall and the address in the DNS"
        case .noResources: "Close other programs, or raise the limit on open files"
        case .handshakeTimedOut, .closedInHandshake, .resetInHandshake:
            "Check the server's TLS settings and log, and the proxies in front of it"
        case .handshakeFailed: "Check the server's certificate, key and TLS settings for this host name"
        case .protocolTooOld: "Enable TLS 1.2 and 1.3 on the server"
        case .notTLS: "Use the server's HTTPS port, or enable TLS on this port"
        case .refusedChain: "Check the server's certificates and the trusted roots"
        case .headTimedOut, .contentTimedOut: "Reduce the response time of the server, or of the proxy in front of it"
        case .reset, .closedBeforeHead: "Check the server's log, and the proxies in front of it"
        case .sessionBroken: "Make sure that the server does not require a client certificate, and check its log"
        case .cutShort: "Configure the server to send exactly Content-Length bytes, and then a close_notify alert"
        case .tooLarge: "Make the response smaller"
        case .malformed: "Fix the server, or the proxy in front of it"
        }
    }

    package var exitCode: ExitCode {
        switch self {
        case .unsendable: .usage
        case .nameFailed, .nameTimedOut, .connectTimedOut, .handshakeTimedOut, .headTimedOut, .contentTimedOut,
            .closedInHandshake, .resetInHandshake, .reset, .closedBeforeHead, .cutShort:
            .temporary
        case .unknownHost, .refused, .unreachable, .noResources, .handshakeFailed, .protocolTooOld, .notTLS,
            .sessionBroken:
            .unavailable
        case .refusedChain, .notPermitted: .no
        case .tooLarge, .malformed: .badInput
        }
    }
}

extension Int {
    fileprivate var inSeconds: String { self == 1 ? "1 second" : "\(self) seconds" }
}
