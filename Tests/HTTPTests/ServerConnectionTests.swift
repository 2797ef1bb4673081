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
        #expect(connection.bufferedBytes == 5)
        connection.take(.timeOut)
        #expect(connection.bufferedBytes == 0)
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
        #expect(connection.takeContent().isEmpty, "Content is given away once")
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
}
