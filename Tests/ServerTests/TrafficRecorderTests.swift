import MotivatorHTTP
import MotivatorPlatform
import Testing

@testable import MotivatorServer

@Suite("The traffic recorder") struct TrafficRecorderTests {
    private let peer: Peer

    init() throws {
        peer = Peer(
            address: try #require(SocketAddress("192.0.2.1", port: 1)), tlsVersion: "TLSv1.3", serverName: "sni.test")
    }

    private func record(
        _ lane: TrafficRecorder.Lane, _ target: String, at time: Int64, content: [UInt8]? = nil, fields: [String] = []
    ) throws {
        let head = try TestRequest("GET", target, fields: fields).head()
        lane.record(peer, head, time: time, duration: 3, status: 200, bytes: 7, content: content)
    }

    /// Returns the path in the request line of an entry.
    private func path(_ entry: TrafficRecorder.Entry) -> String {
        let words = entry.head.split(separator: UInt8(ascii: " "))
        return words.count > 1 ? String(decoding: words[1], as: UTF8.self) : ""
    }

    @Test("An entry contains the request and its response")
    func request() throws {
        let recorder = TrafficRecorder(limit: 4)
        let request = TestRequest("GET", "/path?q", fields: ["User-Agent: test"])
        recorder.makeLane().record(
            peer, try request.head(), time: 1_000, duration: 3, status: 404, bytes: 7, content: [1])
        let entry = try #require(recorder.entries().entries.first)
        #expect(entry.lane == 0 && entry.number == 1)
        #expect(entry.time == 1_000 && entry.duration == 3)
        #expect(entry.status == 404 && entry.bytes == 7)
        #expect(entry.peer?.address.host == "192.0.2.1")
        #expect(entry.peer?.tlsVersion == "TLSv1.3" && entry.peer?.serverName == "sni.test")
        #expect(entry.failure == nil && entry.content == nil)
        let text = String(decoding: entry.head, as: UTF8.self)
        #expect(text.hasPrefix("GET /path?q HTTP/1.1\r\nHost: example.test\r\nUser-Agent: test"))
    }

    @Test("A malformed head and a failed handshake leave no head")
    func withoutHead() throws {
        let recorder = TrafficRecorder(limit: 1, keptPaths: ["/kept"])
        let lane = recorder.makeLane()
        // Each entry replaces the previous entry, and must not keep its parts.
        try record(lane, "/kept", at: 1, content: [1])
        lane.record(peer, nil, time: 2, duration: 0, status: 400, bytes: 0, content: [2])
        let malformed = try #require(recorder.entries().entries.first)
        #expect(malformed.head.isEmpty && malformed.content == nil && malformed.status == 400)
        try record(lane, "/kept", at: 3, content: [3])
        lane.record(failedHandshakeOf: peer, time: 4, reason: "unknown ca")
        let failed = try #require(recorder.entries().entries.first)
        #expect(failed.head.isEmpty && failed.content == nil && failed.status == 0 && failed.bytes == 0)
        #expect(failed.failure == "unknown ca" && failed.time == 4 && failed.duration == 0 && failed.number == 4)
        try record(lane, "/after", at: 5)
        #expect(try #require(recorder.entries().entries.first).failure == nil)
    }

    @Test("The entries of several lanes are in the order of their times")
    func order() throws {
        let recorder = TrafficRecorder(limit: 10)
        let (first, second) = (recorder.makeLane(), recorder.makeLane())
        try record(second, "/b", at: 20)
        try record(first, "/a", at: 10)
        try record(first, "/c", at: 30)
        try record(second, "/e", at: 40)
        try record(first, "/d", at: 40)
        let entries = recorder.entries().entries
        #expect(entries.map(path) == ["/a", "/b", "/c", "/d", "/e"])
        #expect(entries.map(\.lane) == [0, 1, 0, 0, 1])
        #expect(entries.map(\.number) == [1, 1, 2, 3, 2])
    }

    @Test("The last entries are kept, across all lanes", arguments: [1, 2, 3, 7])
    func bound(_ limit: Int) throws {
        let recorder = TrafficRecorder(limit: limit)
        let lanes = [recorder.makeLane(), recorder.makeLane()]
        for number in 1...20 {
            try record(lanes[number % 2], "/\(number)", at: Int64(number))
            let listed = recorder.entries().entries.map(path)
            #expect(listed == (max(1, number - limit + 1)...number).map { "/\($0)" })
        }
    }

    @Test("A lane that has many entries does not hide the newer entries of another lane")
    func unevenLanes() throws {
        let recorder = TrafficRecorder(limit: 3)
        let (busy, quiet) = (recorder.makeLane(), recorder.makeLane())
        for number in 1...10 { try record(busy, "/\(number)", at: Int64(number)) }
        try record(quiet, "/11", at: 11)
        #expect(recorder.entries().entries.map(path) == ["/9", "/10", "/11"])
    }

    @Test("A cursor returns each entry once")
    func cursor() throws {
        let recorder = TrafficRecorder(limit: 5)
        #expect(recorder.entries().entries.isEmpty)
        let (first, second) = (recorder.makeLane(), recorder.makeLane())
        try record(first, "/a", at: 1)
        let (seen, start) = recorder.entries()
        #expect(seen.map(path) == ["/a"] && start == [1, 0])
        #expect(recorder.entries(after: start).entries.isEmpty)
        try record(second, "/b", at: 2)
        try record(first, "/c", at: 3)
        let (more, next) = recorder.entries(after: start)
        #expect(more.map(path) == ["/b", "/c"] && next == [2, 1])
        #expect(recorder.entries(after: next).entries.isEmpty)
        #expect(recorder.entries(after: next).cursor == next)
    }

    @Test("A reader that is late misses the entries that are gone, and reads the others")
    func lateReader() throws {
        let recorder = TrafficRecorder(limit: 3)
        let lane = recorder.makeLane()
        try record(lane, "/1", at: 1)
        let start = recorder.entries().cursor
        for number in 2...9 { try record(lane, "/\(number)", at: Int64(number)) }
        let (entries, next) = recorder.entries(after: start)
        #expect(entries.map(path) == ["/7", "/8", "/9"] && next == [9])
    }

    @Test(
        "A cursor for other lanes, or with a position that no entry has, is valid",
        arguments: [[], [1], [1, 0, 5], [-1], [7], [7, 9]])
    func foreignCursor(_ cursor: TrafficRecorder.Cursor) throws {
        let recorder = TrafficRecorder(limit: 3)
        let lanes = [recorder.makeLane(), recorder.makeLane()]
        try record(lanes[0], "/a", at: 1)
        try record(lanes[1], "/b", at: 2)
        let (entries, next) = recorder.entries(after: cursor)
        #expect(entries.map(path) == (cursor.first == 1 ? ["/b"] : ["/a", "/b"]))
        #expect(next == [1, 1])
    }

    @Test("A head is cut at its limit", arguments: [-1, 0, 1, 3_000])
    func truncation(_ excess: Int) throws {
        let recorder = TrafficRecorder(limit: 2)
        let lane = recorder.makeLane()
        let empty = try TestRequest("GET", "/", fields: ["X-Long: "]).head().withReceivedBytes { $0.count }
        let length = TrafficRecorder.headLimit - empty + excess
        try record(lane, "/", at: 1, fields: ["X-Long: " + String(repeating: "a", count: length)])
        let head = try #require(recorder.entries().entries.first).head
        #expect(head.count == TrafficRecorder.headLimit + min(excess, 0))
        #expect(head.starts(with: Array("GET / HTTP/1.1\r\n".utf8)))
        // A shorter head in the same slot must not contain bytes of the longer head.
        try record(lane, "/", at: 2)
        try record(lane, "/short", at: 3)
        let short = try TestRequest("GET", "/short").head().withReceivedBytes { $0.count }
        #expect(try #require(recorder.entries().entries.last).head.count == short)
    }

    /// A problem that a reader finds in the content of an entry. The search counts its work.
    private func problem(_ entry: TrafficRecorder.Entry, _ count: inout Int) throws -> String? {
        try #require(entry.content).problem { content in
            count += 1
            return content.bytes == [1, 0] ? nil : "\(content.bytes) at \(content.time)"
        }
    }

    @Test("A reader checks a content once, also if many entries have it and it has no problem")
    func problems() throws {
        let recorder = TrafficRecorder(limit: 1_000, keptPaths: ["/kept"])
        let lane = recorder.makeLane()
        // Each array has its own memory, as after a reload.
        for time in 1...1_000 { try record(lane, "/kept?\(time)", at: Int64(time), content: [1, UInt8(time % 2)]) }
        var count = 0
        for _ in 0..<3 {
            let problems = try recorder.entries().entries.map { try problem($0, &count) }
            #expect(Set(problems) == ["[1, 1] at 1", nil])
        }
        #expect(count == 2)
    }

    @Test("Entries share a content only for the same path, and for less than an hour")
    func sharing() throws {
        let recorder = TrafficRecorder(limit: 10, keptPaths: ["/kept", "/also"])
        let lane = recorder.makeLane()
        let hour: Int64 = 3_600_000
        for (target, time) in [("/kept", 0), ("/also", 1), ("/kept", hour - 1), ("/kept", hour), ("/also", hour)] {
            try record(lane, target, at: time, content: [1])
        }
        var count = 0
        let times = try recorder.entries().entries.map { entry in
            _ = try problem(entry, &count)
            return entry.content?.time
        }
        #expect(times == [0, 1, 0, hour, 1] && count == 3)
    }

    @Test("Entries share a content only in the same coding, and only one of the last four contents")
    func sharingBounds() throws {
        let recorder = TrafficRecorder(limit: 10, keptPaths: ["/kept"])
        let lane = recorder.makeLane()
        let head = try TestRequest("GET", "/kept").head()
        let contents: [(byte: UInt8, isGzip: Bool)] = [
            (1, false), (1, true), (2, false), (3, false), (1, false), (4, false), (1, false), (1, true),
        ]
        for (time, content) in contents.enumerated() {
            lane.record(
                peer, head, time: Int64(time), duration: 0, status: 200, bytes: 1, content: [content.byte],
                isGzip: content.isGzip)
        }
        let found = recorder.entries().entries.compactMap(\.content)
        #expect(found.map(\.time) == [0, 1, 2, 3, 0, 5, 6, 7])
        #expect(found.map(\.isGzip) == contents.map(\.isGzip))
    }

    @Test("Each response for a kept path is observed, also without content, and no other response")
    func observed() throws {
        let seen = Mailbox<String>()
        let recorder = TrafficRecorder(limit: 2, keptPaths: ["/kept"]) { peer, head, status in
            seen.put("\(peer.address.host) \(head.targetText) \(status)")
        }
        let lane = recorder.makeLane()
        let responses: [(String, Int, [UInt8]?)] = [("/kept", 200, [1]), ("/other", 200, [1]), ("/kept?q", 304, nil)]
        for (target, status, content) in responses {
            lane.record(
                peer, try TestRequest("GET", target).head(), time: 1, duration: 0, status: status, bytes: 0,
                content: content)
        }
        lane.record(peer, nil, time: 2, duration: 0, status: 400, bytes: 0, content: nil)
        #expect(seen.values == ["192.0.2.1 /kept 200", "192.0.2.1 /kept?q 304"])
    }

    @Test("Only the content of some paths is kept", arguments: ["/kept", "/kept?query", "/other", "/kept/x", "/"])
    func content(_ target: String) throws {
        let recorder = TrafficRecorder(limit: 2, keptPaths: ["/kept", "/also"])
        try record(recorder.makeLane(), target, at: 1, content: [1, 2, 3])
        let entry = try #require(recorder.entries().entries.first)
        #expect(entry.content?.bytes == (target == "/kept" || target == "/kept?query" ? [1, 2, 3] : nil))
    }
}
