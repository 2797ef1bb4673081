import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer
@testable import UltraMotivator

@Suite("The page of the plain port") struct OnboardingTests {
    private let bench: Bench
    private let router: Router

    init() throws {
        bench = try Bench()
        router = try bench.demo(["one.test", "two.test"]).load(port: 8443, now: 0).0.plainRouter
    }

    private func page(_ target: String, host: String = "one.test", agent: String? = nil) throws -> String {
        let fields = agent.map { "User-Agent: \($0)\r\n" } ?? ""
        let head = try Bench.head("GET", target, host: host, fields: fields)
        guard case .representation(let page) = router.decide(head) else { throw Bench.Trouble.noHead }
        let selection = page.select(for: head, now: 0)
        #expect(selection.status == 200)
        return String(decoding: selection.content[selection.range], as: UTF8.self)
            .replacing(/<\/?(?:wbr|bdi)>/, with: "")
    }

    /// A phrase in the steps of each platform.
    private static let steps = [
        "ios": "In Safari, download the profile", "android": "tap Install anyway",
        "macos": "security add-trusted-cert", "windows": "certutil -addstore", "linux": "certutil -d sql:",
    ]

    @Test(
        "The steps are those of the platform in the query, or else of the browser's platform",
        arguments: [
            ("/", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)", "ios"), ("/", "a iPad b", "ios"),
            ("/", "Mozilla/5.0 (Linux; Android 15; Pixel 9)", "android"),
            ("/", "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "macos"),
            ("/", "Mozilla/5.0 (Windows NT 10.0; Win64; x64)", "windows"),
            ("/", "Mozilla/5.0 (X11; Linux x86_64)", "linux"), ("/", nil, "linux"), ("/", "iphone", "linux"),
            ("/?platform=windows", "a iPhone b", "windows"), ("/?a=b&platform=%69os", nil, "ios"),
            ("/?platform=beos", "a iPhone b", "ios"), ("/?platform=", "a Android b", "android"),
            ("/?platform=macos&platform=ios", nil, "macos"), ("/?Platform=ios", nil, "linux"),
        ])
    func platforms(_ target: String, _ agent: String?, _ expected: String) throws {
        let page = try page(target, agent: agent)
        let found = Self.steps.filter { page.contains($0.value) }.keys.sorted()
        #expect(found == [expected])
        for other in Self.steps.keys where other != expected { #expect(page.contains("/?platform=\(other)")) }
    }

    @Test("The page links to the requested host, and its entry names a domain")
    func hosts() throws {
        for (host, home, entry) in [
            ("one.test", "one.test", "one.test"), ("TWO.test.", "two.test", "two.test"),
            ("127.0.0.1:8080", "127.0.0.1", "one.test"), ("[::1]", "[::1]", "one.test"),
            ("localhost", "localhost", "one.test"), ("other.test", "one.test", "one.test"),
        ] {
            let page = try page("/", host: host)
            #expect(page.contains("href=\"https://\(home):8443/\""), "\(host)")
            #expect(page.contains("https://\(home):8443/trusted.svg"), "\(host)")
            #expect(page.contains("webcredentials:\(entry):8443?mode=developer"), "\(host)")
        }
    }

    @Test("On a local network, the entry has the name of the machine, and the page shows when a device has the file")
    func phones() throws {
        let reads = DeviceReads(log: RecordingLog.silent)
        var demo = try bench.demo(["one.test", "two.test"])
        func page(_ name: String?) throws -> String {
            let address = try #require(SocketAddress("127.0.0.1", port: 8080))
            demo.phones = PhoneAccess(addresses: [address], name: name, reads: reads)
            let router = try demo.load(port: 8443, now: 0).0.plainRouter
            let head = try Bench.head("GET", "/", host: "127.0.0.1")
            guard case .representation(let page) = router.decide(head) else { throw Bench.Trouble.noHead }
            let selection = page.select(for: head, now: 0)
            return String(decoding: selection.content[selection.range], as: UTF8.self)
                .replacing(/<\/?(?:wbr|bdi)>/, with: "")
        }
        let named = try page("two.test")
        #expect(named.contains("webcredentials:two.test:8443?mode=developer"))
        #expect(named.contains("/read.svg") && named.contains("No device has read the file yet."))
        // The name does not resolve, or the certificate does not cover it.
        #expect(try page(nil).contains("webcredentials:one.test:8443?mode=developer"))
        #expect(try page("other.local").contains("webcredentials:one.test:8443?mode=developer"))
        #expect(try !self.page("/").contains("/read.svg"))
    }

    @Test("The policy permits the picture of the HTTPS site, which is at the requested host")
    func policy() throws {
        for (host, images) in [
            ("one.test", "https://one.test:8443"), ("TWO.test", "https://two.test:8443"),
            ("127.0.0.1", "https://127.0.0.1:8443"), ("[::1]", "https:"),
        ] {
            let head = try Bench.head("GET", "/", host: host)
            guard case .representation(let page) = router.decide(head) else { throw Bench.Trouble.noHead }
            let fields = String(decoding: page.select(for: head, now: 0).fields, as: UTF8.self)
            #expect(fields.contains("img-src 'self' \(images); script-src"), "\(host)")
            #expect(fields.contains("Cache-Control: no-store\r\n"), "\(host)")
        }
    }

    @Test("A computer shows a QR code for phones; a picture is empty until a device has the file")
    func phonePictures() async throws {
        let reads = DeviceReads(log: RecordingLog.silent)
        var demo = try bench.demo(["one.test", "two.test"])
        let address = try #require(SocketAddress("127.0.0.1", port: 8080))
        demo.phones = PhoneAccess(addresses: [address], name: nil, reads: reads)
        let router = try demo.load(port: 8443, now: 0).0.plainRouter
        func text(_ target: String) throws -> String {
            let head = try Bench.head("GET", target, host: "127.0.0.1")
            guard case .representation(let page) = router.decide(head) else { throw Bench.Trouble.noHead }
            let selection = page.select(for: head, now: 0)
            return String(decoding: selection.content[selection.range], as: UTF8.self)
        }
        for (platform, hasCode) in [("ios", false), ("android", false), ("macos", true), ("linux", true)] {
            let page = try text("/?platform=\(platform)")
            #expect(page.contains("src=\"/qr.svg\"") == hasCode, "\(platform)")
            #expect(page.contains("http://127.0.0.1:8080/") == hasCode, "\(platform)")
        }
        #expect(try text("/qr.svg").contains("<svg"))
        func picture() async throws -> Reply {
            let head = try Bench.head("GET", "/read.svg", host: "127.0.0.1")
            guard case .handler(let handler, _, _) = router.decide(head) else { throw Bench.Trouble.noHead }
            return Reply(await handler.respond(to: Request(head: head, content: [], peer: Peer(address: address))))
        }
        #expect(try await picture().content.isEmpty)
        let file = try Bench.head("GET", ServedAssociation.paths[1], host: "one.test", fields: "User-Agent: swcd\r\n")
        DeviceReads.recorder(limit: 1, for: reads).makeLane().record(
            Peer(address: address, tlsVersion: "TLSv1.3"), file, time: 0, duration: 0, status: 200, bytes: 0,
            content: nil)
        let shown = try await picture()
        #expect(shown.text.contains("✓ A device has read the file.") && shown["Cache-Control"] == ["no-store"])
    }

    @Test("The CA is available in three formats")
    func downloads() throws {
        for (path, start) in [
            ("/authority.pem", "-----BEGIN CERTIFICATE-----"), ("/authority.cer", "0"),
            ("/authority.mobileconfig", "<?xml"),
        ] {
            #expect(try page(path).hasPrefix(start), "\(path)")
        }
    }
}
