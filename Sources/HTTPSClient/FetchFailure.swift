package import AssociationDiagnostics
import Certificates
package import MotivatorHTTP
package import MotivatorPlatform

package enum FetchFailure: ExplainedError, Hashable {
    case unsendable(part: String, value: String)
    case unknownHost(String)
    /// The resolver failed for another reason.
    case nameFailed(String, reason: String)
    case nameTimedOut(String, seconds: Int)
    case notPermitted(SocketAddress)
    case refused(SocketAddress)
    case unreachable(SocketAddress, reason: String)
    case connectTimedOut(SocketAddress, seconds: Int)
    /// This machine has no free socket, or OpenSSL cannot allocate memory.
    case noResources(reason: String)
    case handshakeTimedOut(SocketAddress, seconds: Int)
    case handshakeFailed(SocketAddress, reason: String)
    /// The server supports neither TLS 1.2 nor 1.3. `version` is the version that it selected, if known.
    case protocolTooOld(SocketAddress, version: String?)
    /// The server uses another protocol, such as plain HTTP. `start` is the text of its first bytes.
    case notTLS(SocketAddress, start: String)
    case closedInHandshake(SocketAddress)
    case resetInHandshake(SocketAddress)
    /// The caller did not accept the chain. The request was not sent.
    case refusedChain(SocketAddress)
    case headTimedOut(SocketAddress, seconds: Int)
    /// The content did not arrive in time. `got` is the number of bytes that arrived.
    case contentTimedOut(SocketAddress, seconds: Int, got: Int)
    case reset(SocketAddress)
    /// The TLS session failed after the handshake, or after a request for a client certificate.
    case sessionBroken(SocketAddress, reason: String)
    case closedBeforeHead(SocketAddress)
    /// The content was truncated; `of` is the expected length, if the head declares it.
    case cutShort(got: Int, of: Int?)
    case tooLarge(limit: Int)
    case malformed(ResponseError)

    package var problem: String { entry.problem }
    package var fix: String { entry.fix }

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

extension FetchFailure: CatalogIssue {
    /// One failure for each row, except the row that `ChainIssue` has.
    package static let examples: [FetchFailure] =
        SocketAddress("192.0.2.1", port: 443).map { address in
            [
                .unknownHost("a"), .nameFailed("a", reason: "a"), .refused(address),
                .connectTimedOut(address, seconds: 15), .reset(address), .noResources(reason: "a"),
                .notTLS(address, start: "HTTP/1.1"), .protocolTooOld(address, version: nil),
                .malformed(.malformedStatusLine),
            ]
        } ?? []

    private static let checkNames = "Check the network and the name servers of this machine, and try again"
    private static let checkTLS = "Check the server's TLS settings and log, and the proxies in front of it"
    private static let checkLog = "Check the server's log, and the proxies in front of it"
    private static let respondSooner = "Reduce the response time of the server, or of the proxy in front of it"

    package var entry: CatalogEntry {
        switch self {
        case .unknownHost(let host):
            .init(
                "network-unknown-host", "The host name resolves to an address.",
                because: "Without an address, no client can fetch the file. Apple's CDN uses the public DNS.",
                .all(.denial), .supporting, example: "a host without an A or AAAA record",
                fixed: "a host with an A or AAAA record", problem: "could not resolve host \(host.excerpt)",
                fix: "Check the spelling, and make sure that the name has an A or AAAA record")
        case .nameFailed(let host, let reason): nameFailed("could not resolve host \(host.excerpt): \(reason)")
        case .nameTimedOut(let host, let seconds):
            nameFailed("could not resolve host \(host.excerpt) within \(seconds.inSeconds)")
        case .refused(let address):
            unreachable("connection refused: \(address)", fix: "Start the server, or check the port and the firewall")
        case .unreachable(let address, let reason):
            unreachable(
                "could not reach \(address): \(reason)", fix: "Check the route, the firewall and the address in the DNS"
            )
        case .connectTimedOut(let address, let seconds):
            timedOut(
                "\(address) did not respond within \(seconds.inSeconds)",
                fix: "Check the server, the firewall and the address in the DNS")
        case .handshakeTimedOut(let address, let seconds):
            timedOut("the TLS handshake with \(address) did not finish within \(seconds.inSeconds)", fix: Self.checkTLS)
        case .headTimedOut(let address, let seconds):
            timedOut(
                "the server at \(address) did not send a complete response head within \(seconds.inSeconds)",
                fix: Self.respondSooner)
        case .contentTimedOut(let address, let seconds, let got):
            timedOut(
                "the server at \(address) sent only \(got) bytes of the content within \(seconds.inSeconds)",
                fix: Self.respondSooner)
        case .closedInHandshake(let address):
            closed("the server at \(address) closed the connection during the TLS handshake", fix: Self.checkTLS)
        case .resetInHandshake(let address):
            closed("the server at \(address) reset the connection during the TLS handshake", fix: Self.checkTLS)
        case .reset(let address): closed("the server at \(address) reset the connection", fix: Self.checkLog)
        case .closedBeforeHead(let address):
            closed(
                "the server at \(address) closed the connection before the response head was complete",
                fix: Self.checkLog)
        case .cutShort(let got, let whole):
            closed(
                "the response \(ResponseError.cutShort(got: got, of: whole).sentence)",
                fix: "Configure the server to send exactly Content-Length bytes, and then a close_notify alert")
        case .noResources(let reason):
            notRequested(
                "could not open a connection: \(reason)", fix: "Close other programs, or raise the limit on open files")
        case .unsendable(let part, let value):
            notRequested(
                "the \(part) \(value.excerpt) cannot be sent in a request",
                fix: "Percent-encode the target, and remove control characters from field names and values")
        case .notPermitted(let address):
            notRequested(
                "this server does not connect to \(address), which is not public",
                fix: "Use a public host and port 443, or check the site on your machine with: motivator association "
                    + "check")
        case .handshakeFailed(let address, let reason):
            handshakeFailed(
                "the TLS handshake with \(address) failed: \(reason)",
                fix: "Check the server's certificate, key and TLS settings for this host name")
        case .sessionBroken(let address, let reason):
            handshakeFailed(
                "the TLS session with \(address) failed: \(reason)",
                fix: "Make sure that the server does not require a client certificate, and check its log")
        case .refusedChain(let address):
            handshakeFailed(
                "the certificates of the server at \(address) are not trusted",
                fix: "Check the server's certificates and the trusted roots")
        case .protocolTooOld(let address, let version):
            .init(
                "tls-too-old", "The host supports TLS 1.2 or later.", because: "Devices reject earlier TLS versions.",
                .all(.denial).unproven(in: .documented, .ios9, .ios8), .transportSecurity, example: "TLS 1.1 only",
                fixed: "TLS 1.2 and 1.3",
                problem: version.map { "the server at \(address) selected \($0), which is older than TLS 1.2" }
                    ?? "the server at \(address) supports neither TLS 1.2 nor TLS 1.3",
                fix: "Enable TLS 1.2 and 1.3 on the server")
        case .notTLS(let address, let start):
            .init(
                "tls-not-spoken", "The port accepts TLS connections.",
                because: "A file fetched without TLS does not prove control of the domain.", .all(.denial), .supporting,
                example: "plain HTTP on port 443", fixed: "TLS on port 443",
                problem: "the server at \(address) does not use TLS; it sent \(start.excerpt)",
                fix: "Use the server's HTTPS port, or enable TLS on this port")
        // The checker reports a file that is too large by its size.
        case .tooLarge(let limit): malformed(.contentTooLarge(limit: limit), fix: "Make the response smaller")
        case .malformed(let fault): malformed(fault, fix: "Fix the server, or the proxy in front of it")
        }
    }

    private func nameFailed(_ problem: String) -> CatalogEntry {
        .init(
            "network-name-failed", "The DNS lookup of the host name succeeds.",
            because: "A resolver failure does not mean that the name is invalid. The next lookup may succeed.",
            .all(.retry), .observed, example: "SERVFAIL", fixed: "the next lookup succeeds", problem: problem,
            fix: Self.checkNames)
    }

    private func unreachable(_ problem: String, fix: String) -> CatalogEntry {
        .init(
            "network-unreachable", "The host accepts connections on port 443, or on the port in the entry.",
            because: "The device tries again after 3 to 4 hours.", .all(.retry), .observed,
            example: "connection refused", fixed: "a server that listens on port 443", problem: problem, fix: fix)
    }

    private func timedOut(_ problem: String, fix: String) -> CatalogEntry {
        .init(
            "network-timed-out", "The host responds in time.",
            because: "Apple's CDN reports SWCERR00301. The device tries again after 3 to 4 hours.", .all(.retry),
            .observed, example: "no response within 15 seconds", fixed: "a response within 15 seconds",
            problem: problem, fix: fix)
    }

    private func closed(_ problem: String, fix: String) -> CatalogEntry {
        .init(
            "network-closed", "The host sends the whole response before it closes the connection.",
            because: "The device ignores an incomplete file and tries again after 3 to 4 hours.", .all(.retry),
            .observed, example: "a connection reset", fixed: "the whole response", problem: problem, fix: fix)
    }

    private func notRequested(_ problem: String, fix: String) -> CatalogEntry {
        .init(
            "network-not-requested", "This machine can send the request.",
            because: "A failure on this machine does not indicate a problem with the site.", .all(.retry), .observed,
            example: "no free file descriptor", fixed: "a higher limit on open files", problem: problem, fix: fix)
    }

    private func malformed(_ fault: ResponseError, fix: String) -> CatalogEntry {
        .init(
            "http-malformed", "The response is valid HTTP.",
            because: "Clients interpret an invalid response in different ways.", .all(.denial), .messages("2"),
            example: "a status line without a status", fixed: "HTTP/1.1 200 OK",
            problem: "the response \(fault.sentence)", fix: fix)
    }

    private func handshakeFailed(_ problem: String, fix: String) -> CatalogEntry {
        .init(ChainIssue.noCertificate.entry.diagnostic, problem: problem, fix: fix)
    }
}

extension Int {
    fileprivate var inSeconds: String { self == 1 ? "1 second" : "\(self) seconds" }
}
