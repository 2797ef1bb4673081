import MotivatorHTTP
import TestSupport
import Testing

@Suite("Parser on random bytes")
struct ParserFuzzTests {
    static let seeds: [[UInt8]] = [
        get("Accept: */*", "Connection: keep-alive"), post("Content-Length: 5") + "hello" + get(),
        chunked("5;a=\"b\\\"c\"\r\nhello\r\n1 \r\n"), chunked("5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n") + get(),
        "\r\nGET http://[::1]:80/%41?b HTTP/1.0\r\nHost: a:1\r\nConnection: close\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: [::ffff:1.2.3.4]\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi" + get(),
        "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
    ].map(latin1)

    /// Fragments of the grammars, so that a change gets past the first byte.
    static let pieces: [[UInt8]] = [
        "\r\n", "\n", "\r", " ", "\t", ":", ";", ",", "\"", "\\", "%", "0", "f", "/", "?", "[", "]", "\0", "\u{B}",
        "\u{7F}",
        "\u{85}", "\u{A0}", "\u{FF}", "Host: b\r\n", "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n",
        "chunked", "0\r\n\r\n",
        "GET / HTTP/1.1\r\n", "5\r\n", ";a=\"", "close", "7fffffffffffffff",
    ].map(latin1)

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        let index = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, index + Int.random(in: 1...8, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where index < end: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1 where index < end: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes.removeSubrange(index..<end)
        case 3: bytes.insert(contentsOf: bytes[index..<end], at: index)
        case 4: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        default: bytes.insert(contentsOf: pieces.randomElement(using: &generator) ?? [], at: index)
        }
    }

    private static func pieces(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + Int.random(in: 1...40, using: &generator))
            parts.append(bytes[start..<end])
            start = end
        }
        return parts
    }

    /// Limits that are so small that changes of a few bytes reach them.
    static let tight: Limits = {
        var limits = Limits()
        limits.startLine = 40
        limits.method = 8
        limits.fieldBytes = 60
        limits.fieldLines = 4
        limits.content = 7
        limits.chunkExtensions = 9
        limits.chunkSizeDigits = 4
        return limits
    }()

    @Test("Changed requests have the same result for any split", arguments: [9110, 9112, 6585, 3986] as [UInt64])
    func changedRequests(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        for _ in 0..<5000 {
            var bytes = Self.seeds.randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &generator) { Self.mutate(&bytes, &generator) }
            let limits = Bool.random(using: &generator) ? Self.tight : Limits()
            let whole = read(Delivery.whole(bytes), limits: limits)
            let bytewise = read(Delivery.bytewise(bytes), limits: limits)
            let cut = read(Self.pieces(bytes, &generator), limits: limits)
            guard bytewise == whole, cut == whole else {
                Issue.record("\(bytes) means \(whole) whole, \(bytewise) byte by byte, \(cut) in pieces")
                return
            }
            accepted += whole.messages.isEmpty ? 0 : 1
        }
        #expect(accepted > 500 && accepted < 4500, "too few inputs are accepted or rejected: \(accepted)")
    }

    @Test("A connection handles any order of events, and stays closed once closed")
    func anyOrder() {
        var generator = SeededGenerator(seed: 9112)
        let events: [ConnectionEvent] = [.end, .proceed, .respondNow, .answered, .drain, .timeOut, .refuse]
        for _ in 0..<2000 {
            var connection = ServerConnection(limits: Self.tight)
            var isClosed = false
            for _ in 0..<12 {
                let bytes = (Self.seeds + Self.pieces).randomElement(using: &generator) ?? []
                let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
                let event =
                    Bool.random(using: &generator) ? .receive(text) : events.randomElement(using: &generator) ?? .end
                // The owner of the connection sends these events only if they were requested.
                switch event {
                case .proceed, .proceedUpTo, .deferContent, .respondNow:
                    guard connection.phase == .response, connection.requests > 0 else { continue }
                case .refuse: guard connection.requests == 0, connection.phase != .closed else { continue }
                case .receive, .end, .answered, .drain, .timeOut: break
                }
                if isClosed, case .proceed = event { continue }
                connection.take(event)
                let actions = connection.actions()
                #expect(actions.count < 20, "The connection must wait")
                if isClosed { #expect(actions == [.close]) }
                isClosed = actions.last == .close
            }
        }
    }
}
