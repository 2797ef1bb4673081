import MotivatorHTTP

/// Consecutive requests: only framing determines the start of the next request (RFC 9112 §9.3.2, §11.2).
enum PipelineCases {
    private static let simple = Expected.accepted()

    static let all: [ParserCase] = [
        ParserCase("two requests are two", "9112 §9.3.2", get() + get(), simple.then(simple)),
        ParserCase(
            "five requests are five", "9112 §9.3.2", .repeating(get(), 5),
            simple.then(simple).then(simple).then(simple).then(simple)),
        ParserCase(
            "content ends where its length says", "9112 §6.3", post("Content-Length: 5") + "hello" + get(),
            Expected.accepted(.post, framing: .length(5), content: "hello").then(simple)),
        ParserCase(
            "content ends where its chunks say", "9112 §6.3", chunked("2\r\nhi\r\n0\r\nX: y\r\n\r\n") + get(),
            Expected.accepted(.post, framing: .chunked, content: "hi").then(simple)),
        ParserCase(
            "GET's content is no request", "9112 §11.2", get("Content-Length: \(get().utf8.count)") + get() + get(),
            Expected.accepted(framing: .length(get().utf8.count), content: get()).then(simple)),
        ParserCase(
            "one CRLF between requests is skipped", "9112 §2.2", post("Content-Length: 2") + "hi\r\n" + get(),
            Expected.accepted(.post, framing: .length(2), content: "hi").then(simple)),
        ParserCase(
            "one CRLF is skipped before each request", "9112 §2.2", "\r\n" + get() + "\r\n" + get(), simple.then(simple)
        ),
        ParserCase(
            "two CRLF between requests are refused", "9112 §2.2", get() + "\r\n\r\n" + get(),
            simple.then(.rejected(.malformedMethod))),
        ParserCase(
            "a valid request before an invalid one is read", "9112 §9.3.2", get() + "BAD\r\n\r\n",
            simple.then(.rejected(.malformedMethod))),
        ParserCase(
            "nothing after an invalid request is read", "9112 §11.2", get() + get("X : y") + get(),
            simple.then(.rejected(.malformedFieldName))),
        ParserCase(
            "content longer than its length begins the next request", "9112 §11.2",
            post("Content-Length: 4") + "hello / HTTP/1.1\r\nHost: a\r\n\r\n",
            Expected.accepted(.post, framing: .length(4), content: "hell").then(.accepted(.other, named: "o"))),
        ParserCase(
            "bytes after the last chunk are a request or refused", "9112 §11.2", chunked("0\r\n\r\n") + "\0",
            Expected.accepted(.post, framing: .chunked).then(.rejected(.malformedMethod))),
        ParserCase(
            "nothing of a request is left in the next", "9112 §9.3",
            "OPTIONS * HTTP/1.0\r\nHost: b\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi"
                + "GET /x?q HTTP/1.1\r\nHost: c\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 1\r\n\r\n!"
                + get(),
            Expected.accepted(
                .options, target: "*", host: "b", version: .http10, isAsterisk: true, framing: .length(2),
                content: "hi",
                keepsAlive: false
            ).then(
                .accepted(
                    target: "/x?q", path: "/x", query: "q", host: "c", framing: .length(1), content: "!",
                    keepsAlive: false,
                    expectsContinue: true)
            ).then(.accepted(fields: ["Host: a"]))),
        ParserCase(
            "a host of absolute-form is not left in the next request", "9112 §3.2.2",
            "GET http://b/ HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n",
            Expected.accepted(target: "http://b/", path: "/", host: "b", version: .http10, keepsAlive: false)
                .then(.accepted(host: nil, version: .http10, keepsAlive: false))),
        ParserCase(
            "a length is not left in the next request", "9112 §6.3",
            post("Content-Length: 2") + "hi" + chunked("0\r\n\r\n") + post("Content-Length: 2") + "ho",
            Expected.accepted(.post, framing: .length(2), content: "hi").then(.accepted(.post, framing: .chunked))
                .then(.accepted(.post, framing: .length(2), content: "ho"))),
    ]
}

/// The parser's interpretation of Expect and Connection (RFC 9110 §10.1.1, RFC 9112 §9.3).
enum ExpectationCases {
    private static func expect(_ rule: String, _ value: String, _ expected: Expected) -> ParserCase {
        ParserCase(rule, "9110 §10.1.1", get("Expect: \(value)"), expected)
    }

    static let expectations: [ParserCase] = [
        expect("100-continue is expected", "100-continue", .accepted(expectsContinue: true)),
        expect("an expectation has no case", "100-CoNtInUe", .accepted(expectsContinue: true)),
        expect("100-continue may come twice", "100-continue, 100-continue", .accepted(expectsContinue: true)),
        expect("an empty expectation expects nothing", "", .accepted()),
        expect("empty members are ignored", ", 100-continue ,", .accepted(expectsContinue: true)),
        expect("another expectation is unknown", "200-ok", .rejected(.unknownExpectation)),
        expect("another one beside 100-continue is unknown", "100-continue, x", .rejected(.unknownExpectation)),
        expect("a parameter makes it unknown", "100-continue;a=b", .rejected(.unknownExpectation)),
        expect("a number alone is unknown", "100", .rejected(.unknownExpectation)),
        ParserCase(
            "a second line is read too", "9110 §10.1.1", get("Expect: 100-continue", "Expect: x"),
            .rejected(.unknownExpectation)),
        ParserCase(
            "1.0 expects nothing", "9110 §10.1.1", "GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n",
            .accepted(host: nil, version: .http10, keepsAlive: false)),
        ParserCase(
            "an unknown expectation is ignored in 1.0", "9110 §10.1.1", "GET / HTTP/1.0\r\nExpect: x\r\n\r\n",
            .accepted(host: nil, version: .http10, keepsAlive: false)),
    ]

    private static func connection(_ rule: String, _ lines: [String], keepsAlive: Bool) -> ParserCase {
        let fields = lines.map { "Connection: \($0)\r\n" }.joined()
        return ParserCase(
            rule, "9112 §9.3", "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n", .accepted(keepsAlive: keepsAlive))
    }

    private static func old(_ rule: String, _ lines: [String], keepsAlive: Bool) -> ParserCase {
        let fields = lines.map { "Connection: \($0)\r\n" }.joined()
        return ParserCase(
            rule, "9112 §9.3", "GET / HTTP/1.0\r\nHost: a\r\n\(fields)\r\n",
            .accepted(version: .http10, keepsAlive: keepsAlive))
    }

    static let connections: [ParserCase] = [
        connection("close closes", ["close"], keepsAlive: false),
        connection("close has no case", ["CLOSE"], keepsAlive: false),
        connection("close may be one of several", ["foo, close"], keepsAlive: false),
        connection("close may be the first of several", ["Close ,foo"], keepsAlive: false),
        connection("close may stand on a second line", ["foo", "close"], keepsAlive: false),
        connection("close wins over keep-alive", ["close, keep-alive"], keepsAlive: false),
        connection("close wins over keep-alive on a later line", ["close", "keep-alive"], keepsAlive: false),
        connection("empty members are ignored", [", ,close,"], keepsAlive: false),
        connection("keep-alive keeps", ["keep-alive"], keepsAlive: true),
        connection("an unknown option keeps", ["closed"], keepsAlive: true),
        connection("a word of two is no close", ["close x"], keepsAlive: true),
        connection("close in quotes is no close", ["\"close\""], keepsAlive: true),
        connection("an empty value keeps", [""], keepsAlive: true),
        old("1.0 keeps with keep-alive", ["keep-alive"], keepsAlive: true),
        old("keep-alive has no case", ["Keep-Alive"], keepsAlive: true),
        old("keep-alive may be one of several", ["foo,\tkeep-alive"], keepsAlive: true),
        old("keep-alive may stand on a second line", ["foo", "keep-alive"], keepsAlive: true),
        old("close wins over keep-alive in 1.0", ["keep-alive, close"], keepsAlive: false),
        old("an unknown option does not keep 1.0", ["keepalive"], keepsAlive: false),
        ParserCase("Proxy-Connection says nothing", "9112 §9.3", get("Proxy-Connection: close"), .accepted()),
        ParserCase(
            "Keep-Alive alone says nothing", "9112 §9.3", "GET / HTTP/1.0\r\nKeep-Alive: 5\r\n\r\n",
            .accepted(host: nil, version: .http10, keepsAlive: false)),
    ]
}
