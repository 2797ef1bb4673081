import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer

@Suite("Static files") struct StaticFileTests {
    static let long = String(repeating: "small steps count. ", count: 200)

    private let scratch: TemporaryDirectory
    private let router: Router
    private let files: StaticFiles

    init() throws {
        scratch = try TemporaryDirectory()
        try scratch.write(Self.long, to: "long.txt")
        try scratch.write("0123456789", to: "digits.txt")
        try scratch.write(numbered(4_096), to: "picture.png")
        files = StaticFiles(folder: try Folder(scratch.path))
        router = .serving(files)
    }

    @Test("A client with the current file gets 304, and one with another file gets the content", arguments: Depth.all)
    func conditions(_ depth: Depth) async throws {
        let first = try await depth.ask(TestRequest("GET", "/digits.txt"), of: router)
        let tag = try #require(first["etag"])
        let date = try #require(first["last-modified"])
        #expect(first["cache-control"] == "no-cache")
        let responses = try await depth.ask(
            ["If-None-Match: \(tag)", "If-None-Match: \"other\"", "If-Modified-Since: \(date)", "If-Match: \"other\""]
                .map {
                    TestRequest("GET", "/digits.txt", fields: [$0])
                }, of: router)
        #expect(responses.map(\.status) == [304, 200, 304, 412])
        #expect(responses[0]["etag"] == tag)
        #expect(responses[0].content.isEmpty)
        #expect(responses[1].text == "0123456789")
    }

    @Test("An entity tag is the first half of the SHA-256 digest, so that it is the same on every server")
    func tag() {
        #expect(ContentTag.of(Array("hello".utf8)) == "2cf24dba5fb0a30e26e83b2ac5b9e29e")
    }

    @Test("Last-Modified is the time of the file")
    func modified() async throws {
        let time = [timeval](repeating: timeval(tv_sec: 784_111_777, tv_usec: 0), count: 2)
        try #require(utimes(scratch.file("digits.txt"), time) == 0)
        let response = try await Depth.memory.ask(TestRequest("GET", "/digits.txt"), of: router)
        #expect(response["last-modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test("Last-Modified is not in the future (RFC 9110 §8.8.2.1)")
    func future() async throws {
        let time = [timeval](repeating: timeval(tv_sec: 4_102_444_800, tv_usec: 0), count: 2)
        try #require(utimes(scratch.file("digits.txt"), time) == 0)
        let response = try await Depth.memory.ask(TestRequest("GET", "/digits.txt"), of: router)
        #expect(response["last-modified"]?.contains(" 2100 ") == false)
    }

    @Test("A part of a file is sent as a part", arguments: Depth.all)
    func ranges(_ depth: Depth) async throws {
        let ranges = ["bytes=2-4", "bytes=-3", "bytes=7-", "bytes=10-"]
        let responses = try await depth.ask(
            ranges.map { TestRequest("GET", "/digits.txt", fields: ["Range: \($0)"]) }, of: router)
        #expect(responses.map(\.status) == [206, 206, 206, 416])
        #expect(responses.prefix(3).map(\.text) == ["234", "789", "789"])
        #expect(
            responses.map { $0["content-range"] } == ["bytes 2-4/10", "bytes 7-9/10", "bytes 7-9/10", "bytes */10"])
    }

    @Test("A client that accepts gzip gets it for compressible files, with a separate entity tag", arguments: Depth.all)
    func compression(_ depth: Depth) async throws {
        let accept = ["Accept-Encoding: gzip"]
        let responses = try await depth.ask(
            [
                TestRequest("GET", "/long.txt"), TestRequest("GET", "/long.txt", fields: accept),
                TestRequest("GET", "/digits.txt", fields: accept), TestRequest("GET", "/picture.png", fields: accept),
                TestRequest("GET", "/long.txt", fields: accept + ["Range: bytes=0-4"]),
            ], of: router)
        #expect(responses.map { $0["content-encoding"] } == [nil, "gzip", nil, nil, nil])
        try #require(responses.count == 5)
        #expect(try GzipTests.unpack(responses[1].content, count: Self.long.utf8.count) == Array(Self.long.utf8))
        #expect(responses[0].text == Self.long)
        #expect(responses[0]["etag"] != responses[1]["etag"])
        #expect(responses[0]["vary"] == "Accept-Encoding" && responses[1]["vary"] == "Accept-Encoding")
        #expect(responses[2]["vary"] == nil)
        #expect(responses[4].status == 206 && responses[4].text == "small")
    }

    @Test("An edited file is another content at once, a removed one is gone, a new one is there")
    func edited() async throws {
        #expect(try await text("/digits.txt") == "0123456789")
        try scratch.write("9876543210", to: "digits.txt")
        #expect(try await text("/digits.txt") == "9876543210")
        #expect(unlink(scratch.file("digits.txt")) == 0)
        #expect(try await text("/digits.txt") == nil)
        try scratch.write("again", to: "digits.txt")
        #expect(try await text("/digits.txt") == "again")
    }

    @Test("A file that an editor overwrites, without a new file, is another content at once")
    func overwritten() async throws {
        #expect(try await text("/digits.txt") == "0123456789")
        let file = try #require(fopen(scratch.file("digits.txt"), "w"))
        fputs("edited", file)
        fclose(file)
        #expect(try await text("/digits.txt") == "edited")
    }

    @Test("A file that did not change is read and compressed once")
    func remembered() async throws {
        guard case .found(let first) = await files.find("/long.txt"),
            case .found(let second) = await files.find("/long.txt")
        else {
            Issue.record("the file was not found")
            return
        }
        #expect(first === second)
    }

    @Test("A running server serves an edited file", arguments: Way.all)
    func servedAnew(_ way: Way) async throws {
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let first = try await wire.ask(TestRequest("GET", "/digits.txt"))
            #expect(first.text == "0123456789")
            try scratch.write("edited", to: "digits.txt")
            var response = first
            try await ProgressLimit.wait {
                #expect(response.text == first.text || response.text == "edited", "neither the old nor the new content")
                response = try await wire.ask(TestRequest("GET", "/digits.txt"))
                return response.text == "edited"
            }
            #expect(response.text == "edited")
            #expect(response["etag"] != first["etag"])
            let stale = TestRequest("GET", "/digits.txt", fields: ["If-None-Match: \(first["etag"] ?? "")"])
            #expect(try await wire.ask(stale).status == 200)
        }
    }

    @Test("A file that is cut, grows or vanishes while it is sent arrives as it was", arguments: Way.all, 0..<3)
    func changedMeanwhile(_ way: Way, _ change: Int) async throws {
        let content = numbered(8 << 20)
        let path = try scratch.write(content, to: "large.bin")
        try await Live.run(way.poller, router) { live in
            let wire = try await live.connect(Wire.Wishes(isSecure: way.isSecure, receiveBuffer: 16 << 10))
            try await wire.send(TestRequest("GET", "/large.bin").bytes)
            // The head has arrived, so the server has read the file.
            #expect(try await wire.hears())
            switch change {
            case 0: #expect(truncate(path, 10) == 0)
            case 1: #expect(truncate(path, off_t(content.count + 1_000)) == 0)
            default: #expect(unlink(path) == 0)
            }
            let response = try await wire.response()
            #expect(response.status == 200)
            #expect(response.content == content)
        }
    }

    @Test("A file too large to be held is a failure that the log explains and the client does not", arguments: Way.all)
    func tooLarge(_ way: Way) async throws {
        let path = try scratch.write("", to: "huge.txt")
        try #require(truncate(path, off_t(StaticFiles.largestFile + 1)) == 0)
        try await Live.run(way.poller, router) { live in
            let response = try await live.connect(isSecure: way.isSecure).ask(TestRequest("GET", "/huge.txt"))
            #expect(response.status == 500)
            #expect(!response.text.contains(scratch.path))
            try await live.events.first {
                $0.hasPrefix("error: ") && $0.contains("huge.txt") && $0.contains("bytes long; the limit is")
            }
        }
    }

    @Test(
        "A file that the server may not read is a failure that the log explains",
        .enabled(if: geteuid() != 0, "root may read all"), arguments: Way.all)
    func unreadable(_ way: Way) async throws {
        try scratch.write("closed", to: "closed.txt", mode: 0o000)
        try await Live.run(way.poller, router) { live in
            let response = try await live.connect(isSecure: way.isSecure).ask(TestRequest("GET", "/closed.txt"))
            #expect(response.status == 500)
            #expect(!response.text.contains(scratch.path))
            try await live.events.first { $0.contains("closed.txt") && $0.contains("permission denied") }
        }
    }

    private func text(_ path: String) async throws -> String? {
        guard case .found(let representation) = await files.find(path) else { return nil }
        return try TestResponse(representation, TestRequest("GET", path).head()).text
    }
}

@Suite("Media types") struct MediaTypeTests {
    static let types: [(String, String, Bool)] = [
        ("index.html", "text/html; charset=utf-8", true), ("INDEX.HTML", "text/html; charset=utf-8", true),
        ("a.b.css", "text/css; charset=utf-8", true),
        ("data.json", "application/json", true), ("image.png", "image/png", false),
        ("root.cer", "application/x-x509-ca-cert", false),
        ("none", "application/octet-stream", false), ("none.", "application/octet-stream", false),
        ("html", "application/octet-stream", false), ("a.unknown", "application/octet-stream", false),
        ("archive.tar.gz", "application/gzip", false), ("a.htm", "text/html; charset=utf-8", true),
        ("a.js", "text/javascript; charset=utf-8", true), ("a.mjs", "text/javascript; charset=utf-8", true),
        ("a.map", "application/json", true), ("a.webmanifest", "application/manifest+json", true),
        ("a.txt", "text/plain; charset=utf-8", true), ("A.md", "text/markdown; charset=utf-8", true),
        ("a.xml", "application/xml", true), ("a.svg", "image/svg+xml", true), ("a.wasm", "application/wasm", true),
        ("a.ico", "image/x-icon", false), ("a.jpg", "image/jpeg", false), ("a.jpeg", "image/jpeg", false),
        ("a.gif", "image/gif", false), ("a.webp", "image/webp", false), ("a.avif", "image/avif", false),
        ("a.woff", "font/woff", false), ("a.woff2", "font/woff2", false), ("a.pdf", "application/pdf", false),
        ("a.zip", "application/zip", false), ("a.mp4", "video/mp4", false),
        ("a.pem", "application/x-pem-file", false), ("a.der", "application/x-x509-ca-cert", false),
        ("a.mobileconfig", "application/x-apple-aspen-config", false),
    ]

    @Test("A name without an extension has the type that the files are made with")
    func named() throws {
        let files = StaticFiles(folder: try Folder("/"), types: ["notes": "text/plain"])
        #expect(files.type(of: "notes") == ("text/plain", true))
        #expect(files.type(of: "notes.png") == ("image/png", false))
        #expect(files.type(of: "other") == ("application/octet-stream", false))
    }

    @Test("The extension of a file name decides its type and whether it is compressed", arguments: types)
    func type(_ name: String, _ type: String, _ isCompressible: Bool) {
        #expect(MediaType.of(name) == (type, isCompressible))
    }
}
