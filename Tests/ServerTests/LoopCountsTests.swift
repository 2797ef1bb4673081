import MotivatorTLS
import Testing

@testable import MotivatorServer

@Suite("The counts of an event loop") struct LoopCountsTests {
    @Test(
        "A duration is counted in the first bucket whose bound it does not exceed",
        arguments: [(0, 0), (1, 0), (2, 1), (3, 2), (5, 2), (10_000, 12), (10_001, 13), (-1, 0)])
    func buckets(_ milliseconds: Int64, _ bucket: Int) throws {
        var counts = LoopCounts()
        counts.addResponse(route: 2, status: 200, duration: milliseconds)
        let durations = try #require(counts.durations(route: 2))
        #expect(durations.counts.count == LoopCounts.bounds.count + 1)
        #expect(Array(durations.counts).firstIndex(of: 1) == bucket)
        #expect(durations.sum == UInt64(max(milliseconds, 0)))
    }

    @Test("Responses are counted by route and status class, and the counts of loops are added")
    func sums() {
        var (one, other) = (LoopCounts(), LoopCounts())
        one.addResponse(route: 1, status: 200, duration: 0)
        one.addResponse(route: 1, status: 404, duration: 0)
        other.addResponse(route: 1, status: 204, duration: 0)
        other.addResponse(route: 40, status: 0, duration: 7)
        other.add(.resumed, .tls13)
        (one.acceptedConnections, one.refusedConnections) = (10, 20)
        (other.acceptedConnections, other.refusedConnections) = (3, 4)
        one.add(other)
        #expect(one.responses(route: 1).map(\.statusClass) == ["2xx", "4xx"])
        #expect(one.responses(route: 1).map(\.count) == [2, 1])
        #expect(one.responses(route: 40).map(\.statusClass) == ["none"])
        #expect(one.responses(route: 2).isEmpty)
        #expect(one.durations(route: 2) == nil)
        #expect(one.durations(route: 41) == nil)
        #expect(one.handshakes(.resumed, .tls13) == 1)
        #expect(one.handshakes(.full, .tls13) == 0)
        #expect(one.handshakes(.resumed, nil) == 0)
        #expect(one.acceptedConnections == 13 && one.refusedConnections == 24)
    }

    @Test("A handshake counts only for its outcome and its version")
    func handshakes() {
        let versions: [TLSVersion?] = [nil, .outdated, .tls12, .tls13]
        var counts = LoopCounts()
        var expected: [UInt64] = []
        for version in versions {
            for outcome in LoopCounts.Handshake.allCases {
                expected.append(UInt64(expected.count))
                for _ in 0..<expected.count - 1 { counts.add(outcome, version) }
            }
        }
        let found = versions.flatMap { version in
            LoopCounts.Handshake.allCases.map { counts.handshakes($0, version) }
        }
        #expect(found == expected)
    }

    @Test(
        "A status counts for its class",
        arguments: [(0, "none"), (101, "1xx"), (308, "3xx"), (503, "5xx"), (599, "5xx"), (-1, "none"), (999, "5xx")])
    func classes(_ status: Int, _ statusClass: String) {
        var counts = LoopCounts()
        counts.addResponse(route: 0, status: status, duration: 0)
        #expect(counts.responses(route: 0).map(\.statusClass) == [statusClass])
    }

    @Test("A route keeps its number when the server reloads")
    func names() {
        var names = RouteNames()
        let first = names.number(of: "/signin")
        let second = names.number(of: "/api/{name}")
        #expect(names.number(of: "/signin") == first)
        #expect(names.names[first] == "/signin")
        #expect(names.names[second] == "/api/{name}")
        #expect(first > RouteNames.noRoute)
    }
}
