import MotivatorHTTP
import Testing

@Suite("Server connection: events in, actions out")
struct ServerConnectionTests {
    @Test(
        "Order, keeping and closing",
        arguments: ConnectionCases.persistence + ConnectionCases.order + ConnectionCases.ends)
    func order(_ table: ConnectionCase) { check(table) }

    @Test(
        "Expect, early responses, lingering",
        arguments: ConnectionPhaseCases.expectations + ConnectionPhaseCases.early + ConnectionPhaseCases.lingering)
    func early(_ table: ConnectionCase) { check(table) }

    @Test("Content limits of routes, deferred content", arguments: ConnectionPhaseCases.contentLimits)
    func contentLimits(_ table: ConnectionCase) { check(table) }

    @Test(
        "An error response does not depend on the method of the request before",
        arguments: ["\0", "GET /\u{1} HTTP/1.1\r\n", "\n", "G", "\r"])
    func forgetsMethod(_ next: String) {
        var connection = ServerConnection()
        connection.take(.receive("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + next))
        #expect(connection.actions() == [.route, .wait])
        connection.take(.respondNow)
        #expect(connection.head.method == .head)
        connection.take(.answered)
        if connection.actions() == [.read] { connection.take(.timeOut) }
        guard case .reject = connection.next() else {
            Issue.record("no error response, but \(connection.next())")
            return
        }
        #expect(connection.head.method == .other)
    }

    @Test("A rejected request holds no content in memory")
    func dropsContent() {
        var connection = ServerConnection()
        connection.take(.receive(post("Content-Length: 9") + "hello"))
        _ = connection.actions()
        connection.take(.proceed)
        _ = connection.actions()
        #expect(connection.heldMemory.buffered == 5)
        connection.take(.timeOut)
        #expect(connection.heldMemory.buffered == 0)
    }

    @Test("Drain and timeouts", arguments: ConnectionPhaseCases.drains + ConnectionPhaseCases.timeouts)
    func deadlines(_ table: ConnectionCase) { check(table) }

    @Test("The owner gets the head and the content of the request")
    func headAndContent() {
        var connection = ServerConnection()
        connection.take(.receive(post("Content-Length: 5") + "hello" + get("Connection: close")))
        #expect(connection.actions() == [.route, .wait])
        #expect(connection.head.method == .post)
        connection.take(.proceed)
        #expect(connection.actions() == [.respond, .wait])
        #expect(text(connection.takeContent()) == "hello")
        #expect(connection.takeContent().isEmpty, "content must be returned only once")
        connection.take(.answered)
        #expect(connection.actions() == [.route, .wait])
        #expect(connection.head.method == .get)
        #expect(connection.requests == 2)
    }

    @Test("Content kept after dropped content is whole")
    func keepsAgain() {
        var connection = ServerConnection()
        connection.take(.receive(post("Content-Length: 3") + "abc" + post("Content-Length: 5") + "hello"))
        _ = connection.actions()
        connection.take(.respondNow)
        connection.take(.answered)
        #expect(connection.actions() == [.route, .wait])
        connection.take(.proceed)
        #expect(connection.actions() == [.respond, .wait])
        #expect(text(connection.takeContent()) == "hello")
    }

    @Test("Bytes after the last request are not kept in memory")
    func forgetsInput() {
        var connection = ServerConnection()
        connection.take(.receive(get("Connection: close") + get()))
        #expect(connection.actions() == [.route, .wait])
        #expect(connection.parser.hasInput)
        connection.take(.respondNow)
        connection.take(.answered)
        #expect(connection.actions() == [.shutDown, .read])
        #expect(!connection.parser.hasInput)
    }

    @Test("The ten-thousandth request is the last one")
    func requestLimit() {
        var connection = ServerConnection()
        for number in 1...10_000 {
            connection.take(.receive(get()))
            #expect(connection.next() == .route)
            connection.take(.respondNow)
            guard connection.persistence == (number == 10_000 ? .closing : .persistent) else {
                Issue.record("request \(number) says \(connection.persistence)")
                return
            }
            connection.take(.answered)
        }
        #expect(connection.actions() == [.shutDown, .read])
    }

    /// The bytes of a final request, and whether the client is finished after it.
    static let lastRequests: [(rule: String, bytes: String, isFinished: Bool)] = [
        ("a request with close", get("Connection: close"), true), ("HTTP/1.0", ConnectionCases.old(), true),
        ("bytes after the request", get("Connection: close") + "\r\n", false),
        ("content that has not arrived", post("Connection: close", "Content-Length: 1"), false),
        ("content that was not read", post("Connection: close", "Content-Length: 1") + "x", false),
        ("a request without close", get(), false),
    ]

    @Test(
        "A client is finished if it announced its last request and sent no more (RFC 9112 §9.6)",
        arguments: lastRequests)
    func finished(_ rule: String, _ bytes: String, _ isFinished: Bool) {
        var connection = ServerConnection()
        connection.take(.receive(bytes))
        #expect(connection.actions() == [.route, .wait])
        // The server closes, regardless of the client's announcement.
        connection.take(.drain)
        connection.take(.respondNow)
        #expect(connection.clientIsFinished == false)
        connection.take(.answered)
        #expect(connection.clientIsFinished == isFinished)
    }

    @Test("A client whose whole content has arrived is finished")
    func finishedContent() {
        var connection = ServerConnection()
        connection.take(.receive(post("Connection: close", "Content-Length: 1") + "x"))
        _ = connection.actions()
        connection.take(.proceed)
        #expect(connection.actions() == [.respond, .wait])
        connection.take(.answered)
        #expect(connection.clientIsFinished == true)
    }

    @Test("A rejected client is not finished")
    func rejected() {
        var connection = ServerConnection()
        connection.take(.receive(get("Connection: close") + "\0"))
        _ = connection.actions()
        connection.take(.respondNow)
        connection.take(.answered)
        #expect(connection.clientIsFinished == false)
    }

    @Test("The number and the size of a request are its own, also if it is rejected")
    func size() {
        var connection = ServerConnection()
        let first = post("Content-Length: 5")
        connection.take(.receive(first))
        #expect(connection.actions() == [.route, .wait])
        #expect(connection.requestNumber == 1 && connection.requestBytes == first.utf8.count)
        connection.take(.proceed)
        connection.take(.receive("hel"))
        #expect(connection.actions() == [.read])
        #expect(connection.contentReceived == 3 && connection.requestBytes == first.utf8.count + 3)
        connection.take(.receive("lo"))
        #expect(connection.actions() == [.respond, .wait])
        _ = connection.takeContent()
        #expect(connection.requestBytes == first.utf8.count + 5, "taking content must not reset it")
        connection.take(.answered)
        let second = chunked("2\r\nhi\r\n0\r\n\r\n")
        connection.take(.receive(second))
        #expect(connection.actions() == [.route, .wait])
        connection.take(.proceed)
        #expect(connection.actions() == [.respond, .wait])
        #expect(connection.requestNumber == 2)
        #expect(connection.requestBytes == chunked("").utf8.count + 2, "it excludes the framing of chunks")
        connection.take(.answered)
        connection.take(.receive("GET /\u{1}"))
        connection.take(.timeOut)
        #expect(connection.actions() == [.reject(.headTooSlow)])
        #expect(connection.requestNumber == 3 && connection.requestBytes == 0)
    }

    @Test("A head that is rejected has the next number, and no size")
    func rejectedSize() {
        var connection = ServerConnection()
        connection.take(.receive(get() + "GET / HTTP/1.1\r\nHost: a\r\nBad field\r\n\r\n"))
        #expect(connection.actions() == [.route, .wait])
        connection.take(.respondNow)
        connection.take(.answered)
        #expect(connection.actions() == [.reject(.malformedFieldName)])
        #expect(connection.requestNumber == 2 && connection.requestBytes == 0)
    }
}
