import Dispatch
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
        options.deadline = 1
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
    ///
    /// The fetch blocks its thread, which must not be a thread of the concurrency runtime.
    func run() async throws -> (fetched: Fetched, server: SocketAddress) {
        let server = try HostileServer()
        // The script decides when the time of the fetch passes.
        let time = FetchTime()
        server.serve(1, wishes) { [script] connection in
            connection.time = time
            script(connection)
        }
        let request = FetchRequest(
            method: method, host: "a.test", target: "/.well-known/apple-app-site-association")
        var options = options
        options.connectTo = [try Fetcher.ConnectTo("a.test:443:127.0.0.1:\(server.address.port)")]
        let fetcher = Fetcher(options, clock: time.clock, names: .system)
        let fetched = await withCheckedContinuation { done in
            DispatchQueue(label: "fetch").async { done.resume(returning: fetcher.fetch(request)) }
        }
        return (fetched, server.address)
    }
}

extension Fetcher {
    /// A fetcher whose deadline no test reaches.
    static var patient: Fetcher {
        var options = Options()
        options.deadline = 600
        return Fetcher(options)
    }
}

/// The clock of a fetch. Its time passes only when the server's script stalls.
final class FetchTime: Sendable {
    /// The number of readings from the stall until the time passes. Each step of a fetch reads the clock at most twice,
    /// so the fetch first reads what the server has sent.
    private static let readings = 6

    private let readingsLeft = Guarded<Int?>(nil)

    var clock: FetchClock {
        FetchClock { [readingsLeft] in
            readingsLeft.withLock { left in
                guard let count = left else { return 0 }
                left = max(count - 1, 0)
                return count == 0 ? 1_000_000_000 : 0
            }
        }
    }

    func stall() { readingsLeft.withLock { $0 = Self.readings } }
}

func verifier(_ table: FetchCase) async throws {
    let (fetched, server) = try await table.run()
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
