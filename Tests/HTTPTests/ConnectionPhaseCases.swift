import MotivatorHTTP

/// Expect, early responses, drain, timeouts and lingering (RFC 9110 §10.1.1, RFC 9112 §9.6).
enum ConnectionPhaseCases {
    typealias Step = ConnectionStep

    private static let expecting = post("Expect: 100-continue", "Content-Length: 5")
    private static let expectingChunks = post("Expect: 100-continue", "Transfer-Encoding: chunked")
    private static let cut: [ServerConnection.Action] = [.shutDown, .read]

    static let expectations: [ConnectionCase] = [
        ConnectionCase(
            "100 is sent when the content is wanted", "9110 §10.1.1",
            [
                Step(.receive(expecting), [.route, .wait]), Step(.proceed, [.sendContinue, .read], .content),
                Step(.receive("hello"), [.respond, .wait], says: .persistent), Step(.answered, [.read], .idle),
            ]),
        ConnectionCase(
            "100 is sent for chunks too", "9110 §10.1.1",
            [
                Step(.receive(expectingChunks), [.route, .wait]), Step(.proceed, [.sendContinue, .read], .content),
                Step(.receive("1\r\nh\r\n0\r\n\r\n"), [.respond, .wait], says: .persistent),
            ]),
        ConnectionCase(
            "a response instead of 100 for chunks is the last", "9110 §10.1.1",
            [
                Step(.receive(expectingChunks), [.route, .wait]), Step(.respondNow, [.wait], says: .closing),
                Step(.answered, cut, .lingering),
            ]),
        ConnectionCase(
            "100 is not sent when content has arrived", "9110 §10.1.1",
            [
                Step(.receive(expecting + "h"), [.route, .wait]), Step(.proceed, [.read], .content),
                Step(.receive("ello"), [.respond, .wait]),
            ]),
        ConnectionCase(
            "100 is not sent to 1.0", "9110 §10.1.1",
            [
                Step(
                    .receive("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"), [.route, .wait]),
                Step(.proceed, [.read]),
            ]),
        ConnectionCase(
            "100 is not sent unasked", "9110 §10.1.1",
            [Step(.receive(post("Content-Length: 5")), [.route, .wait]), Step(.proceed, [.read])]),
        ConnectionCase(
            "100 is not sent where no content can follow", "9110 §10.1.1",
            [Step(.receive(get("Expect: 100-continue")), [.route, .wait]), Step(.proceed, [.respond, .wait])]),
        ConnectionCase(
            "a response instead of 100 is the last", "9110 §10.1.1",
            [
                Step(.receive(expecting), [.route, .wait]), Step(.respondNow, [.wait], says: .closing),
                Step(.answered, cut, .lingering),
            ]),
        ConnectionCase(
            "a response before content that has begun keeps the connection open", "9110 §10.1.1",
            [
                Step(.receive(expecting + "h"), [.route, .wait]), Step(.respondNow, [.wait], says: .persistent),
                Step(.answered, [.read], .content), Step(.receive("ello" + get()), [.route, .wait]),
            ]),
        ConnectionCase(
            "an unknown expectation is refused", "9110 §10.1.1",
            [Step(.receive(post("Expect: x")), [.reject(.unknownExpectation)]), Step(.answered, cut)]),
        ConnectionCase(
            "a too large length is refused before 100", "9110 §10.1.1",
            [Step(.receive(post("Expect: 100-continue", "Content-Length: 1048577")), [.reject(.contentTooLarge)])]),
    ]

    static let early: [ConnectionCase] = [
        ConnectionCase(
            "content left after an early response is dropped", "9112 §9.3",
            [
                Step(.receive(post("Content-Length: 5") + "he"), [.route, .wait]),
                Step(.respondNow, [.wait], says: .persistent),
                Step(.answered, [.read], .content), Step(.receive("ll"), [.read]),
                Step(.receive("o" + get("Connection: close")), [.route, .wait]),
                Step(.respondNow, [.wait], says: .closing),
            ]),
        ConnectionCase(
            "chunks left after an early response are dropped", "9112 §9.3",
            [
                Step(.receive(chunked("5\r\nhel")), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.read]),
                Step(.receive("lo\r\n0\r\n\r\n"), [.read], .idle), Step(.receive(get()), [.route, .wait]),
            ]),
        ConnectionCase(
            "256 KiB are dropped", "9112 §9.3",
            [
                Step(.receive(post("Content-Length: 262144")), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.read]), Step(.receive(.repeating("x", 262_143)), [.read], .content),
                Step(.receive("x"), [.read], .idle),
            ]),
        ConnectionCase(
            "more than 256 KiB are not dropped, which the response says", "9112 §9.3",
            [
                Step(.receive(post("Content-Length: 262145")), [.route, .wait]),
                Step(.respondNow, [.wait], says: .closing), Step(.answered, cut, .lingering),
            ]),
        ConnectionCase(
            "more than 256 KiB of chunks are not dropped", "9112 §9.3",
            [
                Step(.receive(chunked("40001\r\n")), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.read]), Step(.receive(.repeating("x", 262_144)), [.read], .content),
                Step(.receive("x"), cut, .lingering),
            ]),
        ConnectionCase(
            "each message may have 256 KiB dropped", "9112 §9.3",
            [
                Step(.receive(post("Content-Length: 200000")), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.read]), Step(.receive(.repeating("x", 200_000)), [.read], .idle),
                Step(.receive(post("Content-Length: 200000")), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.read]), Step(.receive(.repeating("x", 200_000)), [.read], .idle),
            ]),
        ConnectionCase(
            "content is kept again after dropped content", "9112 §9.3", limits: tiny,
            [
                Step(.receive(post("Content-Length: 3") + "abc"), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.read]), Step(.receive(post("Content-Length: 5") + "hello"), [.route, .wait]),
                Step(.proceed, [.respond, .wait]),
            ]),
        ConnectionCase(
            "a fault in dropped content gets no second response", "9112 §11.2",
            [
                Step(.receive(chunked("1\r\nhX")), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, cut, .lingering),
            ]),
        ConnectionCase(
            "content after a last response is not read as content", "9112 §9.6",
            [
                Step(.receive(post("Connection: close", "Content-Length: 5")), [.route, .wait]),
                Step(.respondNow, [.wait]),
                Step(.answered, cut, .lingering),
            ]),
    ]

    static let contentLimits: [ConnectionCase] = [
        ConnectionCase(
            "content of the route's limit is read", "9110 §15.5.14",
            [
                Step(.receive(post("Content-Length: 5")), [.route, .wait]), Step(.proceedUpTo(5), [.read], .content),
                Step(.receive("hello"), [.respond, .wait]),
            ]),
        ConnectionCase(
            "a length above the route's limit is rejected before any content arrives", "9110 §15.5.14",
            [
                Step(.receive(post("Content-Length: 6")), [.route, .wait]),
                Step(.proceedUpTo(5), [.reject(.contentTooLarge)], .response, says: .closing),
                Step(.answered, cut, .lingering),
            ]),
        ConnectionCase(
            "a client that expects 100 gets 413 at once", "9110 §10.1.1",
            [
                Step(.receive(post("Expect: 100-continue", "Content-Length: 6")), [.route, .wait]),
                Step(.proceedUpTo(5), [.reject(.contentTooLarge)]),
            ]),
        ConnectionCase(
            "chunks are rejected when their sum exceeds the route's limit", "9110 §15.5.14",
            [
                Step(.receive(chunked("5\r\nhello\r\n")), [.route, .wait]), Step(.proceedUpTo(5), [.read], .content),
                Step(.receive("1\r\n!"), [.reject(.contentTooLarge)]),
            ]),
        ConnectionCase(
            "a route's limit holds for one request", "9110 §15.5.14",
            [
                Step(.receive(post("Content-Length: 5") + "hello"), [.route, .wait]),
                Step(.proceedUpTo(5), [.respond, .wait]), Step(.answered, [.read], .idle),
                Step(.receive(post("Content-Length: 6") + "hello!"), [.route, .wait]),
                Step(.proceed, [.respond, .wait]),
            ]),
        ConnectionCase(
            "the limit of all requests holds for a route with a higher one", "9110 §15.5.14", limits: five,
            [
                Step(.receive(chunked("5\r\nhello\r\n")), [.route, .wait]), Step(.proceedUpTo(9), [.read]),
                Step(.receive("1\r\n!"), [.reject(.contentTooLarge)]),
            ]),
        ConnectionCase(
            "deferred content is read when the owner requests it", "9112 §9",
            [
                Step(.receive(post("Content-Length: 5") + "he"), [.route, .wait]),
                Step(.deferContent, [.wait], .response), Step(.proceedUpTo(5), [.read], .content),
                Step(.receive("llo"), [.respond, .wait]), Step(.answered, [.read], .idle),
            ]),
        ConnectionCase(
            "100 is sent when deferred content is read, not before", "9110 §10.1.1",
            [
                Step(.receive(post("Expect: 100-continue", "Content-Length: 5")), [.route, .wait]),
                Step(.deferContent, [.wait], .response), Step(.proceedUpTo(5), [.sendContinue, .read], .content),
            ]),
        ConnectionCase(
            "deferred content is dropped when the owner responds without it", "9112 §9.3",
            [
                Step(.receive(post("Content-Length: 5") + "he"), [.route, .wait]), Step(.deferContent, [.wait]),
                Step(.respondNow, [.wait], says: .persistent), Step(.answered, [.read], .content),
                Step(.receive("llo" + get()), [.route, .wait]),
            ]),
        ConnectionCase(
            "deferred content above 256 KiB ends the connection, as the response says", "9112 §9.3",
            [
                Step(.receive(post("Content-Length: 262145")), [.route, .wait]), Step(.deferContent, [.wait]),
                Step(.respondNow, [.wait], says: .closing), Step(.answered, cut, .lingering),
            ]),
    ]

    private static let five: Limits = {
        var limits = Limits()
        limits.content = 5
        return limits
    }()

    private static let tiny: Limits = {
        var limits = Limits()
        limits.discardedContent = 3
        limits.lingering = 4
        return limits
    }()

    static let lingering: [ConnectionCase] = [
        ConnectionCase(
            "what arrives after the last response is dropped up to the limit", "9112 §9.6", limits: tiny,
            [
                Step(.receive(ConnectionCases.old()), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, cut),
                Step(.receive("123"), [.read], .lingering), Step(.receive("4"), [.read], .lingering),
                Step(.receive("5"), [.close], .closed),
            ]),
        ConnectionCase(
            "64 KiB are dropped after the last response", "9112 §9.6",
            [
                Step(.receive("\0"), [.reject(.malformedMethod)]), Step(.answered, cut),
                Step(.receive(.repeating("x", 65_536)), [.read]), Step(.receive("x"), [.close]),
            ]),
        ConnectionCase(
            "the peer's end ends it", "9112 §9.6",
            [Step(.receive("\0"), [.reject(.malformedMethod)]), Step(.answered, cut), Step(.end, [.close], .closed)]),
        ConnectionCase(
            "a timeout ends it", "9112 §9.6",
            [
                Step(.receive("\0"), [.reject(.malformedMethod)]), Step(.answered, cut),
                Step(.timeOut, [.close], .closed),
            ]),
    ]

    static let drains: [ConnectionCase] = [
        ConnectionCase(
            "draining an idle connection leaves it a last request", "9112 §9.6",
            [
                Step(.drain, [.read], .idle), Step(.receive(get()), [.route, .wait]),
                Step(.respondNow, [.wait], says: .closing),
                Step(.answered, cut),
            ]),
        ConnectionCase(
            "draining inside a head makes its response the last", "9112 §9.6",
            [
                Step(.receive("GET / HTTP/1.1\r\n"), [.read]), Step(.drain, [.read], .head),
                Step(.receive("Host: a\r\n\r\n" + get()), [.route, .wait]), Step(.respondNow, [.wait], says: .closing),
                Step(.answered, cut),
            ]),
        ConnectionCase(
            "draining before the routing makes the response the last", "9112 §9.6",
            [
                Step(.receive(get()), [.route, .wait]), Step(.drain, [.wait]),
                Step(.respondNow, [.wait], says: .closing),
                Step(.answered, cut),
            ]),
        ConnectionCase(
            "draining inside content makes the response the last", "9112 §9.6",
            [
                Step(.receive(post("Content-Length: 2")), [.route, .wait]), Step(.proceed, [.read]),
                Step(.drain, [.read]),
                Step(.receive("hi"), [.respond, .wait], says: .closing), Step(.answered, cut),
            ]),
        ConnectionCase(
            "draining while a handler runs makes its response the last", "9112 §9.6",
            [
                Step(.receive(get() + get()), [.route, .wait]), Step(.proceed, [.respond, .wait]),
                Step(.drain, [.wait], .response, says: .closing), Step(.answered, cut),
            ]),
        ConnectionCase(
            "draining in dropped content makes the next response the last", "9112 §9.6",
            [
                Step(.receive(post("Content-Length: 2")), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.read]),
                Step(.drain, [.read]), Step(.receive("hi" + get()), [.route, .wait]),
                Step(.respondNow, [.wait], says: .closing), Step(.answered, cut),
            ]),
        ConnectionCase(
            "draining after the last response changes nothing", "9112 §9.6",
            [
                Step(.receive("\0"), [.reject(.malformedMethod)]), Step(.answered, cut),
                Step(.drain, [.read], .lingering),
            ]),
        ConnectionCase(
            "a drained idle connection ends in silence when its time is over", "9112 §9.6",
            [Step(.drain, [.read]), Step(.timeOut, cut, .lingering)]),
    ]

    static let timeouts: [ConnectionCase] = [
        ConnectionCase(
            "an idle connection ends in silence", "9112 §9.5", [Step(.timeOut, cut, .lingering), Step(.end, [.close])]),
        ConnectionCase(
            "a kept connection ends in silence", "9112 §9.5",
            [
                Step(.receive(get()), [.route, .wait]), Step(.respondNow, [.wait]), Step(.answered, [.read], .idle),
                Step(.timeOut, cut),
            ]),
        ConnectionCase(
            "a slow head gets 408", "9110 §15.5.9",
            [
                Step(.receive("G"), [.read], .head), Step(.timeOut, [.reject(.headTooSlow)], .response, says: .closing),
                Step(.answered, cut),
            ]),
        ConnectionCase(
            "slow field lines get 408", "9110 §15.5.9",
            [
                Step(.receive("GET / HTTP/1.1\r\nHost: a\r\nX"), [.read], .head),
                Step(.timeOut, [.reject(.headTooSlow)]),
                Step(.receive(": y\r\n\r\n"), [.reject(.headTooSlow)]), Step(.answered, cut),
            ]),
        ConnectionCase(
            "slow content gets 408", "9110 §15.5.9",
            [
                Step(.receive(post("Content-Length: 2")), [.route, .wait]), Step(.proceed, [.read], .content),
                Step(.timeOut, [.reject(.contentTooSlow)], says: .closing), Step(.answered, cut),
            ]),
        ConnectionCase(
            "a client that waits for 100 and sends nothing gets 408", "9110 §15.5.9",
            [
                Step(.receive(expecting), [.route, .wait]), Step(.proceed, [.sendContinue, .read]),
                Step(.timeOut, [.reject(.contentTooSlow)]),
            ]),
        ConnectionCase(
            "a timeout before the routing closes", "9112 §9.5",
            [Step(.receive(get()), [.route, .wait]), Step(.timeOut, [.close], .closed)]),
        ConnectionCase(
            "a timeout while a response is made or written closes", "9112 §9.5",
            [
                Step(.receive(get()), [.route, .wait]), Step(.respondNow, [.wait]), Step(.timeOut, [.close], .closed),
                Step(.answered, [.close], .closed),
            ]),
        ConnectionCase(
            "slow dropped content gets no second response", "9112 §11.2",
            [
                Step(.receive(post("Content-Length: 2")), [.route, .wait]), Step(.respondNow, [.wait]),
                Step(.answered, [.read]),
                Step(.timeOut, [.close], .closed),
            ]),
        ConnectionCase(
            "a timeout while a refusal is written closes", "9112 §9.5",
            [Step(.receive("\0"), [.reject(.malformedMethod)]), Step(.timeOut, [.close], .closed)]),
    ]
}
