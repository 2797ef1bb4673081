import Foundation
import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer
@testable import MotivatorTLS

@Suite("The access log") struct AccessLogTests {
    private let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory() }

    /// User agents and targets that try to span several lines or to control a terminal.
    static let hostile = [
        "a\"b", "a\\b", "\u{1B}[31mred", "\u{9B}31m", "\u{85}", "\u{2028}next", "\u{202E}reversed", "\u{7F}",
        "tab\there",
        "é 日本 😀", "{\"status\":200}", "-", "", "status=200 bytes=1", "\\u000a", "\\", "\"", "%0d%0a", "a\u{FFFD}b",
    ]

    @Test("A log line is one line of printable ASCII for any request", arguments: LogFormat.allCases, hostile)
    func oneLine(_ format: LogFormat, _ agent: String) throws {
        let lines = try logged(format, [TestRequest("GET", "/path", fields: ["User-Agent: \(agent)"])])
        #expect(lines.count == 1)
        for line in lines { #expect(line.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }) }
    }

    struct Line: Decodable {
        let time, client: String
        let id: String
        let host, method, target, tls, cipher, group, alpn, sni, reader, agent: String?
        let resumed: Bool?
        let status, bytes, `in`, ms: Int
    }

    @Test("A JSON line contains the request with any bytes", arguments: hostile)
    func json(_ agent: String) throws {
        let request = TestRequest("GET", "/a%20b?q", fields: ["User-Agent: \(agent)"])
        let line = try #require(try logged(.json, [request]).first)
        let entry = try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        #expect(entry.time == "2001-09-09T01:46:40.012Z")
        #expect(entry.client == "192.0.2.1" && entry.host == "example.test")
        #expect(entry.method == "GET" && entry.target == "/a%20b?q")
        #expect(entry.status == 200 && entry.bytes == 7 && entry.in == 90 && entry.ms == 1_234)
        #expect(entry.id == "0000000000ab-1")
        #expect(entry.tls == "TLSv1.3" && entry.cipher == "TLS_AES_128_GCM_SHA256" && entry.group == "x25519")
        #expect(entry.resumed == false && entry.alpn == "http/1.1" && entry.sni == "sni.test" && entry.reader == nil)
        #expect(try entry.agent == request.lenientHead().text(.userAgent))
    }

    @Test("A text line has the values in order, and a dash for each missing value")
    func text() throws {
        let lines = try logged(.text, [TestRequest("GET", "/p", fields: ["User-Agent: a b"]), nil])
        #expect(
            lines == [
                "2001-09-09T01:46:40.012Z 192.0.2.1 example.test GET /p 200 bytes=7 in=90 ms=1234 id=0000000000ab-1 "
                    + #"TLSv1.3 cipher=TLS_AES_128_GCM_SHA256 group=x25519 resumed=false alpn=http/1.1 sni=sni.test "#
                    + #"agent="a b""#,
                "2001-09-09T01:46:40.012Z 192.0.2.1 - - - 200 bytes=7 in=90 ms=1234 id=0000000000ab-2 "
                    + "TLSv1.3 cipher=TLS_AES_128_GCM_SHA256 group=x25519 resumed=false alpn=http/1.1 sni=sni.test",
            ])
    }

    /// Requests that repeat some parts of the previous request. nil stands for bytes that are not a request.
    private static let partlyRepeated: [TestRequest?] = {
        let agents = ["a", "a", "swcd", "swcd", "b", nil, "b", ""].enumerated().map { index, agent in
            TestRequest(
                host: index % 3 == 0 ? "one.test" : "two.test", fields: agent.map { ["User-Agent: \($0)"] } ?? [])
        }
        return agents + [
            TestRequest("GET", "/a", host: "one.test"), nil, TestRequest("GET", "/a", host: "one.test"),
            TestRequest("HEAD", "/a", host: "one.test"), TestRequest("HEAD", "/ab", host: "one.test"),
            TestRequest("HEAD", "/ab", host: "one.tesT"), TestRequest("HEAD", "/ab", host: nil, version: "HTTP/1.0"),
            TestRequest("HEAD", "/ab", host: "two.test"), TestRequest("BREW", "/ab", host: "two.test"),
            TestRequest("BRE", "/ab", host: "two.test"), TestRequest("BRE", "/", host: "two.test"),
        ]
    }()

    @Test("Repeated values belong to their own line", arguments: LogFormat.allCases)
    func repeated(_ format: LogFormat) throws {
        let requests = Self.partlyRepeated
        let together = try logged(format, requests)
        let apart = try requests.flatMap { try logged(format, [$0]) }
        let withoutNumber = together.map { $0.replacing(/ab-[0-9]+/, with: "ab-1") }
        #expect(withoutNumber == apart)
        // One request occurs twice.
        #expect(Set(apart).count == requests.count - 1)
    }

    @Test("Repeated numbers belong to their own line", arguments: LogFormat.allCases)
    func repeatedNumbers(_ format: LogFormat) throws {
        let numbers = [[200, 7, 90, 0], [304, 7, 90, 0], [304, 8, 90, 0], [304, 8, 91, 0], [304, 8, 91, 1]]
        let together = try logged(format, numbers.map { _ in TestRequest() }, numbers: numbers)
        let found = together.map { line in
            line.matches(of: /(?: |status":)([0-9]{3})[ ,]|(?:bytes|in|ms)"?[=:]([0-9]+)/).compactMap { match in
                (match.output.1 ?? match.output.2).flatMap { Int($0) }
            }
        }
        #expect(found == numbers)
    }

    @Test("A dash from a client differs from a missing value")
    func dash() {
        let cases = [(LogFormat.text, " \"-\"", " -"), (.json, ",\"host\":\"-\"", ",\"host\":null")]
        for (format, dash, missing) in cases {
            let line = LineBuffer()
            LogField("host", format).appendMissing(to: line)
            #expect(String(decoding: format.field("host", "-"), as: UTF8.self) == dash)
            #expect(String(decoding: line.bytes, as: UTF8.self) == missing)
        }
    }

    @Test("An event has its level, its sentence and its fields")
    func event() throws {
        let more = [(name: "path", value: "/a b"), (name: "client", value: "-")]
        let sentence = "The file \"é\" is\nbroken"
        let text = String(decoding: LogFormat.text.event("warning", sentence, more), as: UTF8.self)
        #expect(text.dropFirst(20) == " warning The file \"\\u00e9\" is\\nbroken path=\"/a b\" \"-\"\n")
        let json = String(decoding: LogFormat.json.event("warning", sentence, more), as: UTF8.self)
        #expect(
            json.dropFirst(30)
                == #","level":"warning","message":"The file \"\u00e9\" is\nbroken","path":"/a b","client":"-"}"# + "\n"
        )
        for line in [text, String(json.dropFirst(9))] { #expect(Timestamp.parse(String(line.prefix(20))) != nil) }
    }

    static let readers: [(String, String?)] = [
        ("AASA-Bot/1.0.0", "AASA-Bot"), ("swcd (unknown version) CFNetwork/1410.0.3 Darwin/22.6.0", "swcd"),
        ("DemoApp/1 CFNetwork/1494.0.7 Darwin/23.4.0", "CFNetwork"), ("curl/8.5.0", nil), ("aasa-bot/1.0", nil),
        ("", nil), ("swcd AASA-Bot/1.0.0", "AASA-Bot"), ("swswcd/1", "swcd"), ("x/swcd", "swcd"), ("x/swc", nil),
    ]

    @Test("The log names the first configured agent that User-Agent contains", arguments: readers)
    func reader(_ agent: String, _ reader: String?) throws {
        let line = try #require(try logged(.json, [TestRequest("GET", "/", fields: ["User-Agent: \(agent)"])]).first)
        #expect(try JSONDecoder().decode(Line.self, from: Data(line.utf8)).reader == reader)
    }

    @Test("The time of a line is that of its response")
    func time() throws {
        let lines = try logged(.text, [TestRequest(), TestRequest(), TestRequest()], step: 989)
        let times = ["2001-09-09T01:46:40.012Z", "2001-09-09T01:46:41.001Z", "2001-09-09T01:46:41.990Z"]
        #expect(lines.map { String($0.prefix(24)) } == times)
    }

    @Test("A running server logs each response once, in order, also for rejected bytes", arguments: Way.all)
    func live(_ way: Way) async throws {
        let file = FileDescriptor(owning: open(scratch.file("log"), O_WRONLY | O_CREAT, 0o600))
        let sink = LogSink(descriptor: file.number)
        let clock = Clock { 1_000_000_000 }
        let errors = Mailbox<Int>()
        let began = SocketCalls.monotonicMilliseconds()
        try await Live.run(
            way.poller, RoutingTests.router, clock: clock, accessLog: AccessLogOptions(sink: sink, format: .json)
        ) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let first = try await wire.ask(TestRequest("GET", "/ready", fields: ["User-Agent: swcd"]))
            #expect(first["date"] == "Sun, 09 Sep 2001 01:46:40 GMT")
            _ = try await wire.ask(TestRequest("GET", "/hello"))
            _ = try await wire.ask(TestRequest("HEAD", "/ready"))
            _ = try await wire.ask(TestRequest("HEAD", "/hello"))
            errors.put(try await wire.ask(TestRequest("GET", "/none")).content.count)
            _ = try await wire.ask(TestRequest("POST", "/hello", content: "steps"))
            try await wire.send("GET /\u{1B}\r\n\r\n")
            errors.put(try await wire.response().content.count)
            _ = try await wire.rest()
            _ = try await live.connect(isSecure: way.isSecure).ask(TestRequest("GET", "/ready"))
        }
        let elapsed = SocketCalls.monotonicMilliseconds() - began
        let entries = try scratch.text(of: "log").split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(entries.map(\.status) == [200, 200, 200, 200, 404, 201, 400, 200])
        #expect(entries.map(\.target) == ["/ready", "/hello", "/ready", "/hello", "/none", "/hello", nil, "/ready"])
        #expect(entries.map(\.bytes) == [5, 5, 0, 0, errors.values[0], 5, errors.values[1], 5])
        #expect(entries.map { $0.id.dropFirst(12) } == ["-1", "-2", "-3", "-4", "-5", "-6", "-7", "-1"])
        let connections = entries.map { $0.id.prefix(12) }
        #expect(Set(connections.prefix(7)).count == 1 && Set(connections).count == 2)
        // The size of the request includes its content.
        #expect(entries.map(\.in) == [61, 43, 44, 44, 42, 68, 0, 43])
        #expect(entries.allSatisfy { (0...elapsed).contains(Int64($0.ms)) } && entries[6].ms == 0)
        for entry in entries {
            #expect(entry.client == "127.0.0.1" && entry.time == "2001-09-09T01:46:40.000Z")
            #expect(entry.resumed == (way.isSecure ? false : nil) && (entry.cipher != nil) == way.isSecure)
            #expect(entry.tls == (way.isSecure ? "TLSv1.3" : nil) && entry.sni == (way.isSecure ? "example.test" : nil))
        }
    }

    @Test(
        "A line is written although its connection stays open, or was the last one", arguments: Way.all, [false, true])
    func prompt(_ way: Way, _ closes: Bool) async throws {
        try scratch.makePipe("log")
        let reader = FileDescriptor(owning: open(scratch.file("log"), O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        let sink = try LogSink(path: scratch.file("log"), format: .text)
        try await Live.run(
            way.poller, RoutingTests.router, accessLog: AccessLogOptions(sink: sink, format: .text)
        ) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let request = TestRequest("GET", "/ready", fields: closes ? ["Connection: close"] : [])
            #expect(try await wire.ask(request).status == 200)
            #expect(ProgressLimit.wait(on: reader.number) != nil)
        }
    }

    @Test("A sink that opens its file again releases the old one")
    func reopening() throws {
        // The reader of a named pipe detects that the last writer has closed the pipe.
        try scratch.makePipe("log")
        let path = scratch.file("log")
        let reader = FileDescriptor(owning: open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        let sink = try LogSink(path: path, format: .text)
        sink.write(Array("old\n".utf8))
        sink.flush()
        try #require(unlink(path) == 0)
        sink.reopen { Issue.record("\($0)") }
        sink.write(Array("new\n".utf8))
        sink.flush()
        #expect(ProgressLimit.wait(for: 0, on: reader.number) == Int16(POLLHUP))
        #expect(try scratch.text(of: "log") == "new\n")
    }

    @Test("Other users cannot read a log file that the server creates")
    func mode() throws {
        _ = try LogSink(path: scratch.file("log"), format: .text)
        #expect(try scratch.mode("log") & 0o007 == 0)
    }

    /// Returns the log lines for some responses. nil stands for bytes that are not a request.
    ///
    /// - Parameter numbers: status, content bytes, request bytes and milliseconds of each response, in this order.
    private func logged(
        _ format: LogFormat, _ requests: [TestRequest?], step: Int64 = 0, numbers: [[Int]] = []
    ) throws -> [String] {
        let file = FileDescriptor(owning: open(scratch.file("log"), O_WRONLY | O_CREAT | O_TRUNC, 0o600))
        let sink = LogSink(descriptor: file.number)
        let log = AccessLog(
            AccessLogOptions(sink: sink, format: format, agents: ["AASA-Bot", "swcd", "CFNetwork"]), firstID: 0xAB)
        let address = try #require(SocketAddress("192.0.2.1", port: 1))
        let tls = TLSDetails(
            version: "TLSv1.3", cipher: "TLS_AES_128_GCM_SHA256", group: "x25519", applicationProtocol: "http/1.1",
            serverName: "sni.test", isResumed: false, offeredVersions: nil, offeredSuites: nil)
        let client = log.client(address, tls)
        for (number, request) in requests.enumerated() {
            let parts = numbers.isEmpty ? [200, 7, 90, 1_234] : numbers[number]
            let response = AccessLog.Response(
                time: 1_000_000_000_012 + Int64(number) * step, status: parts[0], bytes: parts[1], received: parts[2],
                duration: Int64(parts[3]), number: number + 1)
            let head = try (request ?? TestRequest()).lenientHead()
            log.add(response, from: client, head: head, isUnderstood: request != nil)
        }
        log.flush()
        sink.flush()
        let text = try scratch.text(of: "log")
        #expect(text.hasSuffix("\n"))
        return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

extension TestRequest {
    /// Parses the head. If necessary, first removes the control characters from the fields.
    fileprivate func lenientHead() throws -> RequestHead {
        do {
            return try head()
        } catch is Refused {
            var request = self
            request.fields = fields.map { line in
                String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
            }
            return try request.head()
        }
    }
}
