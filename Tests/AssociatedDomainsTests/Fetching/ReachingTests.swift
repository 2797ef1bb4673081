import AssociatedDomains
import AssociationChecker
import Certificates
import MotivatorPlatform
import TestSupport
import Testing

@testable import HTTPSClient

@Suite("Fetcher: from a name to a connection, or to a reason")
struct ReachingTests {
    private func fetch(
        _ host: String, port: UInt16 = 443, seconds: Int = 600,
        _ resolve: @escaping @Sendable (String, UInt16) -> Result<[SocketAddress], FetchFailure>
    ) -> Fetched {
        var options = Fetcher.Options()
        options.deadline = seconds
        return Fetcher(options, clock: .system, names: NameLookup(resolve: resolve))
            .fetch(FetchRequest(host: host, port: port, target: "/"))
    }

    /// Reserves a port without a listener, so that no other test can listen there.
    private let vacantServer: HostileServer

    init() throws {
        vacantServer = try HostileServer(backlog: nil)
    }

    /// Returns a local address without a listener.
    private func vacant() -> SocketAddress { vacantServer.address }

    @Test("An unknown name is reported")
    func unknownHost() {
        let fetched = fetch("a.test") { host, _ in .failure(.unknownHost(host)) }
        #expect(fetched.failure == .unknownHost("a.test") && fetched.address == nil)
    }

    @Test("A resolver that does not respond ends the fetch at the deadline")
    func nameTimedOut() {
        let isOver = Signal()
        let fetched = fetch("a.test", seconds: 1) { host, _ in
            isOver.wait()
            return .failure(.unknownHost(host))
        }
        isOver.give()
        #expect(fetched.failure == .nameTimedOut("a.test", seconds: 1))
    }

    @Test("The system's resolver resolves localhost, and reports an invalid name")
    func systemNames() throws {
        let found = try NameLookup.system.resolve("localhost", 8443).get()
        #expect(!found.isEmpty && found.allSatisfy { $0.isLoopback && $0.port == 8443 })
        #expect(Set(found).count == found.count)
        // Names below localhost are loopback names, which a resolver may not know (RFC 6761, section 6.3).
        let below = try NameLookup.system.resolve("a.b.localhost", 8443).get()
        #expect(below == found)
        #expect(throws: FetchFailure.self) { try NameLookup.system.resolve("a..test", 443).get() }
    }

    @Test("A port without a listener refuses the connection")
    func refused() throws {
        let address = vacant()
        let fetched = fetch("a.test") { _, _ in .success([address]) }
        #expect(fetched.failure == .refused(address) && fetched.address == address)
        #expect(fetched.tls == nil && fetched.response == nil)
    }

    /// Refuses the address of the server, as a public checker refuses the addresses of its own network.
    private func fetchOutside(
        _ server: HostileServer, _ resolve: @escaping @Sendable (String, UInt16) -> [SocketAddress]
    ) -> Fetcher {
        var options = Fetcher.Options()
        options.permits = { $0 != server.address }
        return Fetcher(options, clock: .system, names: NameLookup { .success(resolve($0, $1)) })
    }

    @Test("The fetcher does not connect to an address that the caller does not permit")
    func notPermitted() throws {
        let server = try HostileServer()
        let request = FetchRequest(host: "a.test", port: server.address.port, target: "/")
        let fetched = fetchOutside(server) { _, _ in [server.address] }.fetch(request)
        #expect(fetched.failure == .notPermitted(server.address) && fetched.address == server.address)
        #expect(!server.hasConnection)
        let literal = FetchRequest(host: "127.0.0.1", port: server.address.port, target: "/")
        #expect(fetchOutside(server) { _, _ in [] }.fetch(literal).failure == .notPermitted(server.address))
        #expect(!server.hasConnection)
    }

    @Test("A name with a permitted and another address leads only to the permitted address")
    func partlyPermitted() throws {
        let (inside, outside) = (try HostileServer(), try HostileServer())
        outside.serve { connection in
            connection.request()
            connection.send("HTTP/1.1 204 \r\n\r\n")
        }
        let fetcher = fetchOutside(inside) { _, _ in [inside.address, outside.address] }
        let fetched = fetcher.fetch(FetchRequest(host: "a.test", port: outside.address.port, target: "/"))
        #expect(fetched.response?.status == 204 && fetched.address == outside.address)
        #expect(!inside.hasConnection)
    }

    @Test("A redirect to an address that the caller does not permit is not followed, also after the name has changed")
    func rebinding() throws {
        let (inside, outside) = (try HostileServer(), try HostileServer())
        outside.serve { connection in
            connection.request()
            connection.send(
                "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: https://a.test:\(inside.address.port)/x\r\n\r\n")
        }
        // The name has a permitted address for the first lookup, and the forbidden address afterwards.
        let lookups = Guarded(0)
        let fetcher = fetchOutside(inside) { _, _ in
            lookups.withLock { count in
                count += 1
                return [count == 1 ? outside.address : inside.address]
            }
        }
        let entry = try AssociatedDomain("webcredentials:a.test:\(outside.address.port)?mode=developer")
        let target = try SiteTarget.locate("https://a.test:\(outside.address.port)/x", entries: [entry])
        let verifier = try ChainVerifier(trust: [Authority.temporary().root], at: 0)
        let steps = target.fetches(fetcher, verifier: verifier).flatMap(\.steps)
        #expect(steps.map(\.fetched.failure) == [nil, .notPermitted(inside.address)])
        #expect(!inside.hasConnection)
    }

    /// Serves redirects to always new hosts.
    private func redirecting(_ count: Int) throws -> (server: HostileServer, requests: Guarded<Int>) {
        let (server, requests) = (try HostileServer(), Guarded(0))
        server.serve(count) { connection in
            let number = requests.withLock { count in
                count += 1
                return count
            }
            connection.request()
            connection.send(
                "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: https://a\(number).test/\(number)\r\n\r\n")
        }
        return (server, requests)
    }

    @Test("A check with at most three redirects sends at most eight requests")
    func endlessRedirects() throws {
        let (server, requests) = try redirecting(8)
        var options = Fetcher.Options()
        options.deadline = 600
        let names = NameLookup { _, _ in .success([server.address]) }
        let entry = try AssociatedDomain("webcredentials:a.test?mode=developer")
        let target = try SiteTarget.locate("a.test", entries: [entry])
        let verifier = try ChainVerifier(trust: [Authority.temporary().root], at: 0)
        let fetches = target.fetches(
            Fetcher(options, clock: .system, names: names), verifier: verifier, redirects: 3)
        #expect(fetches.map(\.steps.count) == [4, 4])
        #expect(requests.withLock { $0 } == 8 && fetches.flatMap(\.steps).allSatisfy { $0.fetched.failure == nil })
    }

    @Test("Redirects share the deadline of the first request")
    func slowRedirects() throws {
        let (server, requests) = try redirecting(1)
        var options = Fetcher.Options()
        options.deadline = 60
        let time = Guarded<Int64>(0)
        // Each lookup takes 40 of the 60 seconds.
        let names = NameLookup { _, _ in
            time.withLock { $0 += 40_000 }
            return .success([server.address])
        }
        let fetcher = Fetcher(options, clock: FetchClock { time.withLock { $0 } }, names: names)
        let entry = try AssociatedDomain("webcredentials:a.test?mode=developer")
        let target = try SiteTarget.locate("https://a.test/x", entries: [entry])
        let verifier = try ChainVerifier(trust: [Authority.temporary().root], at: 0)
        let steps = target.fetches(fetcher, verifier: verifier).flatMap(\.steps)
        #expect(steps.count == 2 && steps[0].fetched.response?.status == 302 && steps[1].fetched.response == nil)
        #expect(requests.withLock { $0 } == 1)
    }

    #if os(Linux)
    @Test("A server that accepts no connection ends the fetch at the deadline")
    func connectTimedOut() throws {
        // Linux drops the SYN packet of a connection when the queue is full.
        let server = try HostileServer(backlog: 0)
        let held = try (0..<4).map { _ in try Held(server.address) }
        let fetched = fetch("a.test", seconds: 1) { _, _ in .success([server.address]) }
        #expect(held.count == 4 && fetched.failure == .connectTimedOut(server.address, seconds: 1))
    }

    @Test("The last address gets all of the remaining time")
    func lastAddress() throws {
        let server = try HostileServer(backlog: 0)
        let held = try (0..<4).map { _ in try Held(server.address) }
        // Each reading of the clock advances it by 100 ms.
        let time = Guarded<Int64>(0)
        let clock = FetchClock {
            time.withLock {
                $0 += 100
                return $0
            }
        }
        var attempt = ConnectionAttempt(deadline: Deadline(seconds: 1, clock: clock))
        #expect(throws: FetchFailure.refused(vacant())) { _ = try attempt.connect(to: [vacant(), server.address]) }
        #expect(held.count == 4 && time.withLock { $0 } >= 1_100)
    }

    @Test("An address without a route is unreachable")
    func unreachable() throws {
        let address = try #require(SocketAddress("255.255.255.255", port: 443))
        let fetched = fetch("a.test") { _, _ in .success([address]) }
        guard case .unreachable(address, let reason) = fetched.failure else {
            Issue.record("\(String(describing: fetched.failure))")
            return
        }
        #expect(!reason.isEmpty)
    }

    /// A connection that is started and kept open.
    private final class Held {
        private let descriptor: FileDescriptor

        init(_ address: SocketAddress) throws {
            let number = SocketCalls.socket(address.family)
            try #require(number >= 0)
            descriptor = FileDescriptor(owning: number)
            _ = address.withSystemAddress { connect(number, $0, $1) }
        }
    }
    #endif

    @Test("The second address is tried when the first refuses")
    func secondAddress() throws {
        let server = try HostileServer()
        server.serve { connection in
            connection.request()
            connection.send("HTTP/1.1 204 \r\n\r\n")
        }
        let vacant = vacant()
        let fetched = fetch("a.test") { _, _ in .success([vacant, server.address]) }
        #expect(fetched.response?.status == 204 && fetched.address == server.address)
    }

    @Test("Of several failures, the refusal is reported")
    func severalFailures() throws {
        let vacant = vacant()
        let nowhere = try #require(SocketAddress("255.255.255.255", port: 443))
        for addresses in [[vacant, nowhere], [nowhere, vacant]] {
            let fetched = fetch("a.test") { _, _ in .success(addresses) }
            #expect(fetched.failure == .refused(vacant) && fetched.address == vacant)
        }
    }

    @Test("Of several equal failures, the first is reported")
    func equalFailures() throws {
        let (one, two) = (vacant(), try HostileServer(backlog: nil))
        for addresses in [[one, two.address], [two.address, one]] {
            let fetched = fetch("a.test") { _, _ in .success(addresses) }
            #expect(fetched.failure == .refused(addresses[0]) && fetched.address == addresses[0])
        }
    }

    @Test("A deadline is shared, and never negative")
    func deadline() {
        let now = Guarded<Int64>(5_000)
        let clock = FetchClock { now.withLock { $0 } }
        let deadline = Deadline(seconds: 10, clock: clock)
        #expect(deadline.left == 10_000 && deadline.seconds == 10 && !deadline.isOver)
        now.withLock { $0 += 4_000 }
        #expect(deadline.left == 6_000 && deadline.gone == 4_000)
        #expect(deadline.share(of: 3).left == 2_000 && deadline.share(of: 0).left == 6_000)
        now.withLock { $0 += 60_000 }
        #expect(deadline.left == 0 && deadline.isOver && deadline.share(of: 2).isOver)
        #expect(Deadline(seconds: -1, clock: clock).isOver)
        #expect(Deadline(seconds: .max, clock: clock).left == 86_400_000)
    }

    @Test("The time of a fetch is its own, also if several fetches share a deadline")
    func ownTime() {
        var options = Fetcher.Options()
        options.deadline = 600
        let time = Guarded<Int64>(5_000)
        // Each lookup takes 40 ms.
        let names = NameLookup { host, _ in
            time.withLock { $0 += 40 }
            return .failure(.unknownHost(host))
        }
        let fetcher = Fetcher(options, clock: FetchClock { time.withLock { $0 } }, names: names)
        let (shared, request) = (fetcher.deadline, FetchRequest(host: "a.test", target: "/"))
        for _ in 0..<2 { #expect(fetcher.fetch(request, until: shared).milliseconds == 40) }
        #expect(fetcher.fetch(request).milliseconds == 40)
    }

    struct Unsendable: Sendable, CustomTestStringConvertible {
        let request: FetchRequest
        let part: String
        let value: String
        var testDescription: String { "\(part): \(value.debugDescription)" }
    }

    private static func target(_ target: String) -> Unsendable {
        Unsendable(request: FetchRequest(host: "a.test", target: target), part: "target", value: target)
    }

    private static func host(_ host: String) -> Unsendable {
        Unsendable(request: FetchRequest(host: host, target: "/"), part: "host", value: host)
    }

    private static func field(_ name: String, _ value: String, isName: Bool) -> Unsendable {
        Unsendable(
            request: FetchRequest(host: "a.test", target: "/", fields: [(name, value)]),
            part: isName ? "field name" : "field value", value: isName ? name : value)
    }

    @Test(
        "A request that would contain another line or host is not sent (RFC 9112 §11)",
        arguments: [
            target(""), target("x"), target("*"), target("/a b"), target("/\r\nX: y"), target("/\0"), target("/é"),
            target("/#a"), host(""), host("a b"), host("a.test\r\nX: y"), host("a.test\0"), host("127.0.0.1\0"),
            host("[::1]"), host("a@b"), host("a/b"), host("é.test"), host(String(repeating: "a", count: 254)),
            field("X:", "y", isName: true), field("", "y", isName: true), field("Host", "y", isName: true),
            field("transfer-encoding", "chunked", isName: true), field("content-length", "1", isName: true),
            field("Connection", "close", isName: true), field("Keep-Alive", "timeout=5", isName: true),
            field("Proxy-Connection", "close", isName: true), field("TE", "trailers", isName: true),
            field("Trailer", "X", isName: true), field("Upgrade", "h2c", isName: true),
            field("Expect", "100-continue", isName: true), field("X", "y\r\nZ: z", isName: false),
            field("X", "\0", isName: false), field("X", "\u{7F}", isName: false),
            Unsendable(
                request: FetchRequest(method: "GET /", host: "a.test", target: "/"), part: "method", value: "GET /"),
            Unsendable(request: FetchRequest(host: "a.test", port: 0, target: "/"), part: "port", value: "0"),
        ])
    func unsendable(_ table: Unsendable) {
        let fetched = Fetcher.patient.fetch(table.request)
        #expect(fetched.failure == .unsendable(part: table.part, value: table.value))
        #expect(fetched.address == nil)
    }

    @Test(
        "A request is sent with the longest host and port, and with every visible byte in its target",
        arguments: [
            FetchRequest(host: String(repeating: "a", count: 253), port: 65_535, target: "/"),
            FetchRequest(method: "M-SEARCH", host: "A_b-0.test", target: "/~!'()*|\"<>"),
            FetchRequest(host: "::1", port: 1, target: "/?%23"),
            FetchRequest(host: "a.test", target: "/", fields: [("X-Y", "\ty é~"), ("X", "")]),
        ])
    func sendable(_ request: FetchRequest) {
        #expect(request.unsendablePart?.part == nil)
    }
}
