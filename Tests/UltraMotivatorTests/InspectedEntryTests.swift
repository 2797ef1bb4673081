import MotivatorHTTP
import MotivatorPlatform
import SourceJSON
import Testing

@testable import Inspector
@testable import MotivatorServer

@Suite("An entry of the inspector") struct InspectedEntryTests {
    private static let path = "/.well-known/apple-app-site-association"
    private static let file = #"{"webcredentials": {"apps": ["D3KQX62K1A.com.example.DemoApp"]}}"#

    /// Creates an entry for a request over TLS.
    private func inspect(
        _ line: String, _ fields: [String] = [], _ edit: (inout TrafficRecorder.Entry) throws -> Void = { _ in }
    ) throws -> InspectedEntry {
        var entry = TrafficRecorder.Entry()
        entry.peer = Peer(
            address: try #require(SocketAddress("192.0.2.1", port: 50_000)), tlsVersion: "TLSv1.3",
            serverName: "one.test")
        let lines = ["\(line) HTTP/1.1", "Host: one.test"] + fields
        entry.head = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
        entry.status = 200
        try edit(&entry)
        return InspectedEntry(entry, trust: nil)
    }

    @Test(
        "The User-Agent identifies the client",
        arguments: [
            ("AASA-Bot/1.0.0", "AASA-Bot"), ("swcd (unknown version) CFNetwork/1410.0.3 Darwin/22.6.0", "swcd"),
            ("DemoApp/1 CFNetwork/1494.0.7 Darwin/23.4.0", "CFNetwork"),
            ("Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1", "Safari"),
            ("Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 CriOS/126.0.1 Safari/604.1", "Chrome for iOS"),
            ("Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36", "Chromium"),
            ("Mozilla/5.0 (X11) AppleWebKit/537.36 HeadlessChrome/126.0.0.0 Safari/537.36", "Chromium"),
            ("Mozilla/5.0 (X11) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0", "Edge"),
            ("Mozilla/5.0 (X11; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox"), ("curl/8.5.0", "curl"),
            ("UltraMotivator", "our checker"), ("Other/1.0 (test)", "Other"), ("", ""),
        ])
    func client(_ agent: String, _ client: String) throws {
        #expect(try inspect("GET /", ["User-Agent: \(agent)"]).client == client)
    }

    @Test(
        "A status leads to a conclusion",
        arguments: [
            (404, "A device denies the association: status 404."), (503, "A device tries again later: status 503."),
            (400, "A device denies the association: status 400."),
            (499, "A device denies the association: status 499."),
            (500, "A device tries again later: status 500."), (599, "A device tries again later: status 599."),
            (206, "Devices send neither conditions nor ranges, and exclude no coding: this is not a device."),
            (399, "A device denies the association: it does not follow redirects from the CDN."),
            (204, "A device denies the association: the response has no file."),
            (301, "A device denies the association: it does not follow redirects from the CDN."),
            (302, "A device denies the association: it does not follow redirects from the CDN."),
            (304, "Devices send neither conditions nor ranges, and exclude no coding: this is not a device."),
            (0, "A device tries again later: it receives no response."),
            (200, "A device tries again later: the response is incomplete."),
        ])
    func status(_ status: Int, _ conclusion: String) throws {
        #expect(try inspect("GET \(Self.path)") { $0.status = status }.conclusion?.text == conclusion)
    }

    @Test("The content of a response leads to a conclusion")
    func content() throws {
        func conclusion(_ content: [UInt8], isGzip: Bool = false) throws -> String {
            let recorder = TrafficRecorder(limit: 1, keptPaths: [Self.path])
            let peer = Peer(address: try #require(SocketAddress("192.0.2.1", port: 1)), tlsVersion: "TLSv1.3")
            recorder.makeLane().record(
                peer, try Bench.head("GET", Self.path, host: "one.test"), time: 0, duration: 0, status: 200, bytes: 0,
                content: content, isGzip: isGzip)
            return try #require(InspectedEntry(recorder.entries().entries[0], trust: nil).conclusion?.text)
        }
        let spaces = String(repeating: " ", count: 1_000)
        #expect(try conclusion(Array(Self.file.utf8)) == "A device accepts this file.")
        #expect(
            try conclusion(try #require(Gzip.compress(Array((Self.file + spaces).utf8))), isGzip: true)
                == "A device accepts this file.")
        #expect(try conclusion(Array("<!doctype html>".utf8)).hasPrefix("A device denies this file: "))
        #expect(try conclusion([UInt8](" [\(Self.file)]".utf8)).contains("[file-not-an-object]"))
        #expect(try conclusion([0x1F, 0x8B, 0], isGzip: true).contains("not valid gzip"))
    }

    @Test(
        "A failed handshake has a conclusion",
        arguments: [
            ("sslv3 alert certificate unknown", "If this client is a device", "(TLS alert certificate_unknown)"),
            ("tlsv1 alert unknown ca", "If this client is a device", "(TLS alert unknown_ca)"),
            ("unsupported protocol", "If this client is a device", "no common TLS version"),
            ("tlsv1 alert protocol version", "If this client is a device", "no common TLS version"),
            ("sslv3 alert handshake failure", "A device tries again later", "(TLS alert handshake_failure)"),
            ("tlsv1 alert internal error", "A device tries again later", "(TLS alert internal_error)"),
            ("the client closed the connection", "A device tries again later", "the client closed the connection."),
        ])
    func handshake(_ failure: String, _ start: String, _ part: String) throws {
        let conclusion = try #require(try inspect("GET /") { $0.failure = failure }.conclusion)
        #expect(conclusion.text.hasPrefix(start) && conclusion.text.contains(part), "\(conclusion)")
        #expect(conclusion.outcome == (start.hasPrefix("If") ? .inactive : .retry))
    }

    @Test("Only requests that a device sends have a conclusion")
    func otherRequests() throws {
        for line in ["GET /", "GET \(Self.path)/none", "HEAD \(Self.path)", "POST \(Self.path)"] {
            #expect(try inspect(line).conclusion?.text == nil, "\(line)")
        }
        let plain = try inspect("GET \(Self.path)") { entry in
            entry.peer = Peer(address: try #require(SocketAddress("192.0.2.1", port: 1)))
        }
        #expect(plain.conclusion?.text == "Devices request this file over https only.")
        #expect(plain.url == "http://one.test\(Self.path)")
        #expect(try inspect("GET \(Self.path)?a=b") { $0.status = 404 }.conclusion?.outcome == .denied)
    }

    @Test("The host is that of the request, or else the server name of the handshake")
    func host() throws {
        let other = try inspect("GET /a") { $0.head = Array("GET /a HTTP/1.1\r\nHOST: two.test:8443\r\n".utf8) }
        #expect(other.host == "two.test:8443" && other.url == "https://two.test:8443/a")
        let failed = try inspect("GET /") { $0.head = [] }
        #expect(failed.host == "one.test" && failed.method.isEmpty && failed.fields.isEmpty)
        let absolute = try inspect("GET https://two.test/a?token=s3cr3t")
        #expect(absolute.url == "https://two.test/a?token=(removed)")
    }

    @Test(
        "Secrets in fields and queries do not appear in any form",
        arguments: [
            ("GET /", "Authorization: Bearer s3cr3t"), ("GET /", "Cookie: a=s3cr3t"), ("GET /", "X-Api-Key: s3cr3t"),
            ("GET /", "X-Auth: s3cr3t"), ("GET /", "X-CSRF-Token: s3cr3t"), ("GET /?token=s3cr3t&a=1", "X-A: 1"),
            ("GET /?a=1&Password=s3cr3t", "X-A: 1"), ("GET /", "Referer: https://one.test/?token=s3cr3t"),
        ])
    func secrets(_ line: String, _ field: String) throws {
        let entry = try inspect(line, [field])
        let json = String(decoding: entry.json.bytes(), as: UTF8.self)
        let archive = String(decoding: entry.archive.bytes(), as: UTF8.self)
        for text in [entry.curl, json, archive] { #expect(!text.contains("s3cr3t")) }
        #expect(json.contains("(removed)"))
    }

    @Test("The curl command sends the same request")
    func curl() throws {
        let entry = try inspect(
            "DELETE /it's?a=$(touch+made);d",
            ["X-Value: `touch made` \"quoted\" *", "X-Empty:", "Connection: close", "Content-Length: 0"])
        #expect(
            entry.curl
                == #"""
                curl -i --path-as-is -X DELETE \
                  -H 'X-Value: `touch made` "quoted" *' \
                  -H 'X-Empty;' \
                  'https://one.test/it'\''s?a=$(touch+made);d'
                """#)
        #expect(try inspect("GET /").curl == "curl -i --path-as-is \\\n  https://one.test/")
        #expect(try inspect("HEAD /").curl == "curl -i --path-as-is --head \\\n  https://one.test/")
    }

    @Test("The archive has the start of a request, and its query as pairs")
    func archive() throws {
        let entry = try inspect("GET /?a=1&b") {
            $0.time = 1_800_000_000_005
            $0.duration = 10
            $0.bytes = 7
        }
        #expect(entry.time == "2027-01-15T08:00:00.005Z")
        let document = try JSONDocument(entry.archive.bytes())
        #expect(document.root.object?["startedDateTime"]?.string == "2027-01-15T07:59:59.995Z")
        let request = try #require(document.root.object?["request"]?.object)
        let pairs = try #require(request["queryString"]?.array).compactMap(\.object)
        #expect(pairs.map { $0["name"]?.string } == ["a", "b"])
        #expect(pairs.map { $0["value"]?.string } == ["1", ""])
    }
}
