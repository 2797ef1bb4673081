import MotivatorHTTP

/// Persistence, closing, and the order of responses (RFC 9112 §9).
enum ConnectionCases {
    typealias Step = ConnectionStep

    static func old(_ lines: String...) -> String {
        "GET / HTTP/1.0\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// Creates a case with a single request, and checks the persistence after the response.
    private static func single(
        _ rule: String, _ request: String, says persistence: ServerConnection.Persistence
    ) -> ConnectionCase {
        let end: [ServerConnection.Action] = persistence == .closing ? [.shutDown, .read] : [.read]
        return ConnectionCase(
            rule, "9112 §9.3",
            [
                Step(.receive(request), [.route, .wait], .response),
                Step(.respondNow, [.wait], .response, says: persistence),
                Step(.answered, end, persistence == .closing ? .lingering : .idle),
            ])
    }

    static let persistence: [ConnectionCase] = [
        single("1.1 is kept and says nothing", get(), says: .persistent),
        single("1.1 with keep-alive is kept and says nothing", get("Connection: keep-alive"), says: .persistent),
        single("1.1 with close is closed and says so", get("Connection: close"), says: .closing),
        single("close has no case", get("Connection: cLoSe"), says: .closing),
        single("close is found in a list", get("Connection: foo, close"), says: .closing),
        single("close is found on a second line", get("Connection: foo", "Connection: close"), says: .closing),
        single("1.0 is closed and says so", old(), says: .closing),
        single("1.0 with keep-alive is kept and says so", old("Connection: Keep-Alive"), says: .announced),
        single("1.0 with close is closed", old("Connection: close"), says: .closing),
        single("1.0 with both is closed", old("Connection: keep-alive, close"), says: .closing),
        single("1.2 is kept like 1.1", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", says: .persistent),
    ]

    static let order: [ConnectionCase] = [
        ConnectionCase(
            "a new connection waits for a request", "9112 §9",
            [
                Step(.receive(""), [.read], .idle), Step(.receive("G"), [.read], .head),
                Step(.receive(get().dropG), [.route, .wait]),
            ]),
        ConnectionCase(
            "pipelined requests are answered in order, one at a time", "9112 §9.3.2",
            [
                Step(.receive(get() + get() + old()), [.route, .wait]), Step(.respondNow, [.wait], says: .persistent),
                Step(.answered, [.route, .wait]), Step(.proceed, [.respond, .wait]),
                Step(.answered, [.route, .wait]), Step(.respondNow, [.wait], says: .closing),
                Step(.answered, [.shutDown, .read]),
            ]),
        ConnectionCase(
            "a valid request is answered before an invalid one is refused", "9112 §9.3.2",
            [
                Step(.receive(get() + "\0"), [.route, .wait]), Step(.respondNow, [.wait], says: .persistent),
                Step(.answered, [.reject(.malformedMethod)], .response, says: .closing),
                Step(.answered, [.shutDown, .read], .lingering),
            ]),
        ConnectionCase(
            "nothing after a request with close is looked at", "9112 §9.6",
            [
                Step(.receive(get("Connection: close") + get()), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.shutDown, .read]), Step(.receive(get()), [.read], .lingering),
                Step(.end, [.close], .closed),
            ]),
        ConnectionCase(
            "nothing after an invalid request is looked at", "9112 §9.6",
            [
                Step(.receive("\0"), [.reject(.malformedMethod)], says: .closing), Step(.answered, [.shutDown, .read]),
                Step(.receive(get()), [.read], .lingering), Step(.end, [.close]),
            ]),
        ConnectionCase(
            "nothing happens after the end", "9112 §9.6",
            [
                Step(.end, [.shutDown, .close], .closed), Step(.receive(get()), [.close], .closed),
                Step(.drain, [.close]),
                Step(.timeOut, [.close], .closed), Step(.answered, [.close]), Step(.end, [.close]),
            ]),
        ConnectionCase(
            "content is read before the handler answers", "9112 §9.3",
            [
                Step(.receive(post("Content-Length: 5") + "he"), [.route, .wait], .response),
                Step(.proceed, [.read], .content),
                Step(.receive("l"), [.read]), Step(.receive("lo" + get()), [.respond, .wait], .response),
                Step(.answered, [.route, .wait]),
            ]),
        ConnectionCase(
            "a fault in the content is refused", "9112 §9.3",
            [
                Step(.receive(chunked("x")), [.route, .wait]),
                Step(.proceed, [.reject(.malformedChunkSize)], says: .closing),
                Step(.answered, [.shutDown, .read]),
            ]),
        ConnectionCase(
            "the last request that a connection may have says so", "9112 §9.6", limits: two,
            [
                Step(.receive(get() + get() + get()), [.route, .wait]), Step(.respondNow, [.wait], says: .persistent),
                Step(.answered, [.route, .wait]), Step(.respondNow, [.wait], says: .closing),
                Step(.answered, [.shutDown, .read]),
            ]),
        ConnectionCase(
            "a refusal before any request is a last answer", "9112 §9.6",
            [
                Step(.refuse, [.reject(.plainRequestOnTLSPort)], .response, says: .closing),
                Step(.answered, [.shutDown, .read], .lingering),
            ]),
    ]

    private static let two: Limits = {
        var limits = Limits()
        limits.requestsPerConnection = 2
        return limits
    }()

    static let ends: [ConnectionCase] = [
        ConnectionCase(
            "an end between requests is a clean end", "9112 §9.5", [Step(.end, [.shutDown, .close], .closed)]),
        ConnectionCase(
            "an end in a request line is no request", "9112 §8",
            [Step(.receive("GET / HTTP/1.1"), [.read], .head), Step(.end, [.shutDown, .close], .closed)]),
        ConnectionCase(
            "an end in the field lines is no request", "9112 §8",
            [Step(.receive("GET / HTTP/1.1\r\nHost: a\r\n"), [.read], .head), Step(.end, [.shutDown, .close])]),
        ConnectionCase(
            "an end in the content runs no handler", "9112 §8",
            [
                Step(.receive(post("Content-Length: 5") + "hell"), [.route, .wait]), Step(.proceed, [.read]),
                Step(.end, [.shutDown, .close], .closed),
            ]),
        ConnectionCase(
            "an end in a chunk runs no handler", "9112 §8",
            [
                Step(.receive(chunked("5\r\nhello\r\n")), [.route, .wait]), Step(.proceed, [.read]),
                Step(.end, [.shutDown, .close]),
            ]),
        ConnectionCase(
            "an end before the last chunk's empty line runs no handler", "9112 §8",
            [
                Step(.receive(chunked("5\r\nhello\r\n0\r\n")), [.route, .wait]), Step(.proceed, [.read]),
                Step(.end, [.shutDown, .close]),
            ]),
        ConnectionCase(
            "an end before the content is decided on runs no handler", "9112 §8",
            [
                Step(.receive(post("Content-Length: 5")), [.route, .wait]), Step(.end, [.wait]),
                Step(.proceed, [.shutDown, .close]),
            ]),
        ConnectionCase(
            "a request is answered although the peer has ended its side", "9112 §9.6",
            [
                Step(.receive(get() + get()), [.route, .wait]), Step(.end, [.wait], .response),
                Step(.respondNow, [.wait]),
                Step(.answered, [.route, .wait]), Step(.proceed, [.respond, .wait]),
                Step(.answered, [.shutDown, .close], .closed),
            ]),
        ConnectionCase(
            "a last answer after the peer's end does not linger", "9112 §9.6",
            [
                Step(.receive(old()), [.route, .wait]), Step(.end, [.wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.shutDown, .close], .closed),
            ]),
        ConnectionCase(
            "an invalid request is refused although the peer has ended its side", "9112 §9.6",
            [
                Step(.receive("\0"), [.reject(.malformedMethod)]), Step(.end, [.reject(.malformedMethod)]),
                Step(.answered, [.shutDown, .close]),
            ]),
        ConnectionCase(
            "an end in dropped content ends the connection", "9112 §9.6",
            [
                Step(.receive(post("Content-Length: 5") + "he"), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.read], .content), Step(.end, [.shutDown, .close], .closed),
            ]),
    ]
}

extension String {
    /// The text without its first letter.
    fileprivate var dropG: String { String(dropFirst()) }
}
