import Accounts
import Dispatch
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import TestSupport
import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "Queues and rates".
@Suite("Fairness of /check") struct CheckFairnessTests {
    private let lanes = Guarded<[@Sendable () -> Void]>([])
    private let time = Guarded(Duration.zero)

    private func queue(waiting: Int, lanes count: Int = 1, perClient: Int = .max) -> BoundedQueue<ClientAddress> {
        BoundedQueue(
            lanes: Array(repeating: { [lanes] work in lanes.withLock { $0.append(work) } }, count: count),
            waiting: waiting, perClient: perClient)
    }

    private func rate(burst: Int, seconds: Int) -> RateLimiter<ClientAddress> {
        RateLimiter(burst: burst, interval: .seconds(seconds), now: { [time] in time.withLock { $0 } })
    }

    private func page(_ queues: CheckPage.Queues) throws -> CheckPage {
        CheckPage(
            pages: Pages.shared, queues: queues, allowsFetch: true, roots: [], clock: Clock { 1_800_000_000 },
            version: "")
    }

    private static func client(_ text: String) throws -> ClientAddress {
        ClientAddress(try #require(SocketAddress(text, port: 1)).bytes)
    }

    private static func request(_ content: String, from address: String, _ lines: String = "") throws -> Request {
        let head = try Bench.head(
            "POST", "/check", host: "one.test",
            fields: "Content-Type: \(Browser.type)\r\nContent-Length: \(content.utf8.count)\r\n\(lines)")
        return Request(
            head: head, content: Array(content.utf8),
            peer: Peer(address: try #require(SocketAddress(address, port: 50_000))))
    }

    /// Runs the jobs of the lane until there are none.
    private func runLane() {
        while let work = lanes.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
    }

    @Test("While two addresses fill the queue, the check of a third is done in its turn")
    func threeClients() async throws {
        var queues = CheckPage.Queues()
        let checks = queue(waiting: 32)
        queues.checks = Lazy { checks }
        let page = try page(queues)
        let done = Guarded(0)
        let (evictions, evicted) = AsyncStream.makeStream(of: Void.self)
        func submit(_ address: String, onRefusal refused: @escaping @Sendable () -> Void = {}) throws {
            checks.submit(for: try Self.client(address)) {
                done.withLock { $0 += 1 }
            } refuse: { _ in
                refused()
            }
        }
        for _ in 0..<16 { for address in ["192.0.2.1", "192.0.2.2"] { try submit(address) } }
        // One check runs, and 31 wait. The newest request of the busiest client has the last slot. The third client
        // evicts this request.
        try submit("192.0.2.2") { evicted.yield() }
        let ended = Guarded(false)
        let third = Task {
            defer { ended.withLock { $0 = true } }
            return try await page.check(Self.request("app=D3KQX62K1A.com.example.App", from: "192.0.2.3"))
        }
        var iterator = evictions.makeAsyncIterator()
        await iterator.next()
        for _ in 0..<100 { for address in ["192.0.2.1", "192.0.2.2"] { try submit(address) } }
        // The third client's turn ends in its own task.
        try await ProgressLimit.wait {
            runLane()
            return ended.withLock { $0 } && done.withLock { $0 } == 32
        }
        #expect(try await third.value.status == .ok)
    }

    @Test("A client that has the most requests in a full queue gets 503 with the time to wait")
    func full() async throws {
        var queues = CheckPage.Queues()
        let checks = queue(waiting: 1)
        queues.checks = Lazy { checks }
        for _ in 0..<2 {
            checks.submit(for: try Self.client("192.0.2.1"), {}, refuse: { _ in })
        }
        let response = try await page(queues).check(Self.request("app=D3KQX62K1A.com.example.App", from: "192.0.2.1"))
        #expect(response.status == .serviceUnavailable)
        #expect(response.fields[.retryAfter] == "5")
        #expect(response.fields[.cacheControl] == "no-store")
        let text = String(decoding: response.content, as: UTF8.self)
        #expect(text.contains("Too many checks are running. Send the form again in 5 seconds."))
        #expect(text.contains(#"value="D3KQX62K1A.com.example.App""#), "the form must keep the typed text")
    }

    @Test("Fetches have their own lanes, of which a client uses one")
    func fetches() async throws {
        let queues = CheckPage.Queues()
        let (begun, source) = AsyncStream.makeStream(of: String.self)
        let gate = DispatchSemaphore(value: 0)
        for address in ["192.0.2.1", "192.0.2.1", "192.0.2.2"] {
            queues.fetches.value.submit(for: try Self.client(address)) {
                source.yield(address)
                gate.wait()
            } refuse: { _ in
            }
        }
        var iterator = begun.makeAsyncIterator()
        let first = [await iterator.next(), await iterator.next()].compactMap(\.self)
        #expect(first.sorted() == ["192.0.2.1", "192.0.2.2"])
        // 127.0.0.1 refuses connections to port 1 immediately, so the third client gets a result while the others wait.
        let response = try await page(queues).check(Self.request("site=127.0.0.1:1", from: "192.0.2.3"))
        #expect(response.status == .ok)
        for _ in 0..<3 { gate.signal() }
    }

    @Test("Checks are limited for each client, before the form is read")
    func checkRate() async throws {
        var queues = CheckPage.Queues()
        queues.checkRate = rate(burst: 2, seconds: 5)
        let page = try page(queues)
        for content in ["", "app=%"] {
            let response = try await page.check(Self.request(content, from: "2001:db8::1"))
            #expect([400, 422].contains(response.status.code))
        }
        let response = try await page.check(Self.request("file=typed", from: "2001:db8::2", "Accept: text/html\r\n"))
        #expect(response.status == .tooManyRequests, "a /64 prefix must count as one IPv6 client")
        #expect(response.fields[.retryAfter] == "5")
        #expect(response.fields[.cacheControl] == "no-store")
        #expect(!String(decoding: response.content, as: UTF8.self).contains("typed"))
        #expect(try await page.check(Self.request("", from: "2001:db8:0:1::1")).status.code == 422)
        time.withLock { $0 += .seconds(5) }
        #expect(try await page.check(Self.request("", from: "2001:db8::1")).status.code == 422)
    }

    @Test("Requests that another site makes do not count for the client")
    func otherSites() async throws {
        var queues = CheckPage.Queues()
        queues.checkRate = rate(burst: 1, seconds: 5)
        let page = try page(queues)
        for _ in 0..<5 {
            let response = try await page.check(Self.request("", from: "192.0.2.1", "Sec-Fetch-Site: cross-site\r\n"))
            #expect(response.status == .forbidden)
        }
        #expect(try await page.check(Self.request("", from: "192.0.2.1")).status.code == 422)
    }

    @Test("Fetches have a lower rate, and the form keeps what was typed")
    func fetchRate() async throws {
        var queues = CheckPage.Queues()
        queues.fetchRate = rate(burst: 1, seconds: 10)
        let page = try page(queues)
        #expect(try await page.check(Self.request("site=127.0.0.1:1", from: "192.0.2.1")).status == .ok)
        let response = try await page.check(Self.request("site=127.0.0.1:1", from: "192.0.2.1"))
        #expect(response.status == .tooManyRequests)
        #expect(response.fields[.retryAfter] == "10")
        let text = String(decoding: response.content, as: UTF8.self)
        #expect(text.contains("Too many fetches from your address. Send the form again in 10 seconds."))
        #expect(text.contains(#"value="127.0.0.1:1""#))
        let check = try await page.check(Self.request("app=D3KQX62K1A.com.example.App", from: "192.0.2.1"))
        #expect(check.status == .ok, "a check without a fetch must have a separate rate limit")
    }
}
