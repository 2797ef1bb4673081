import MotivatorHTTP
import MotivatorPlatform
import Testing

@testable import HTTPSClient

/// A server's behavior, and the expected result of a fetch.
struct FetchCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let source: String
    let script: HostileServer.Script
    let failure: @Sendable (SocketAddress) -> FetchFailure?
    var wishes = ServerTLS.Wishes()
    var status: Int?
    var content: String?
    var method = "GET"
    var options = Fetcher.Options()

    init(
        _ rule: String, _ source: String,
        _ failure: @escaping @Sendable (SocketAddress) -> FetchFailure? = { _ in nil },
        status: Int? = nil, content: String? = nil, method: String = "GET",
        _ change: (inout FetchCase) -> Void = { _ in }, script: @escaping HostileServer.Script
    ) {
        self.rule = rule
        self.source = source
        self.failure = failure
        self.status = status
        self.content = content
        self.method = method
        self.script = script
        change(&self)
    }

    /// Creates a case for a server that receives the request, sends these bytes, and closes the connection properly.
    init(
        _ rule: String, _ source: String,
        _ failure: @escaping @Sendable (SocketAddress) -> FetchFailure? = { _ in nil },
        answer: String, status: Int? = nil, content: String? = nil, method: String = "GET",
        _ change: (inout FetchCase) -> Void = { _ in }
    ) {
        self.init(rule, source, failure, status: status, content: content, method: method, change) { connection in
            connection.request()
            connection.send(answer)
            connection.closeNotify()
        }
    }

    var testDescription: String { "\(rule) (\(source))" }

    /// Runs the server and the fetch.
    func run() throws -> (fetched: Fetched, server: SocketAddress) {
        let server = try HostileServer()
        server.serve(1, wishes, script)
        let request = FetchRequest(
            method: method, host: "a.test", target: "/.well-known/apple-app-site-association")
        var options = options
        options.connectTo = [try Fetcher.ConnectTo("a.test:443:127.0.0.1:\(server.address.port)")]
        return (Fetcher(options).fetch(request), server.address)
    }
}

func verifier(_ table: FetchCase) throws {
    let (fetched, server) = try table.run()
    #expect(fetched.failure == table.failure(server))
    #expect(fetched.address == server)
    #expect(fetched.response?.status == table.status)
    if let content = table.content {
        #expect(fetched.response.map { String(decoding: $0.content, as: UTF8.self) } == content)
    }
    if let failure = fetched.failure {
        #expect(!failure.problem.isEmpty && !failure.fix.isEmpty)
        #expect(!failure.problem.hasSuffix(".") && !failure.fix.hasSuffix("."))
    }
}
