import Accounts
import AssociationChecker
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import SourceJSON
import Testing

@testable import Faults
@testable import UltraMotivator

@Suite("The list of the hosts that are broken on purpose") struct FaultListTests {
    private static let host = "test.faults.one.test"

    private func request(_ target: String, from address: String = "192.0.2.1") throws -> Request {
        let peer = Peer(address: try #require(SocketAddress(address, port: 50_000)))
        return Request(head: try Bench.head("GET", target, host: Self.host), content: [], peer: peer)
    }

    /// A host, and what a client sees of its association file.
    struct Listed: Sendable, CustomTestStringConvertible {
        let name: String
        let groups: [String]
        var status: Int?
        /// The size of the file divided by Content-Length; nil without the field.
        var length: Int?
        /// The size of the file divided by the number of received bytes; nil without a response.
        var bytes: Int?
        var failure: String?
        var testDescription: String { name }
    }

    private static let slow = ["HTTP", "slow"]

    static let listed = [
        Listed(name: "only-well-known", groups: ["HTTP"], status: 200, length: 1, bytes: 1),
        Listed(name: "chunked", groups: ["HTTP"], status: 200, bytes: 1),
        Listed(name: "short-length", groups: ["HTTP"], status: 200, length: 2, bytes: 2),
        Listed(name: "truncated", groups: ["HTTP"], status: 200, length: 1, bytes: 2, failure: "closed"),
        Listed(name: "slow-content", groups: slow, status: 200, length: 1, bytes: 1),
        Listed(name: "stall-content", groups: slow, status: 200, length: 1, bytes: 2, failure: "timeout"),
        Listed(name: "stall-head", groups: slow, failure: "timeout"),
        Listed(name: "reset", groups: ["TLS"], failure: "reset"),
        Listed(name: "close-handshake", groups: ["TLS"], failure: "closed"),
        Listed(name: "stall-handshake", groups: ["TLS", "slow"], failure: "timeout"),
        Listed(name: "expired", groups: ["TLS"], status: 200, length: 1, bytes: 1, failure: "certificate"),
    ]

    private func hosts(_ built: [String: BrokenHost], _ file: IntactFile) throws -> [JSONObject] {
        let page = FaultPages(domain: "one.test", port: 8_443, file: file, version: "1", hosts: built)
        let root = try #require(try JSONDocument(page.list().content).root.object)
        return try #require(root["hosts"]?.array).compactMap(\.object)
    }

    @Test("The list has the response or the failure that a client sees", arguments: listed)
    func seen(_ listed: Listed) throws {
        let shop = try FaultHostTests.Shop()
        let hosts = try hosts([listed.name: shop.build(listed.name)], shop.file)
        let host = try #require(hosts.first { $0["name"]?.string == listed.name })
        #expect(host["groups"]?.array?.compactMap(\.string) == listed.groups)
        let path = try #require(host["paths"]?.object?[FilePath.wellKnown.text]?.object)
        let size = shop.file.text.utf8.count
        #expect(path["status"]?.integer == listed.status && path["failure"]?.string == listed.failure)
        #expect(path["bytes"]?.integer == listed.bytes.map { size / $0 })
        #expect(path["fields"]?.object?["Content-Length"]?.string == listed.length.map { "\(size / $0)" })
    }

    @Test(
        "The list has the URL of each host, and says if no source settles its verdict",
        arguments: [
            ("bom", ["File", "unproven"], "/.well-known/apple-app-site-association", 1),
            ("app-missing", ["File"], "/.well-known/apple-app-site-association", 1),
            ("android-large", ["Android", "unproven"], "/.well-known/assetlinks.json", 2),
            ("android-redirect", ["Android"], "/.well-known/assetlinks.json", 2),
        ])
    func properties(_ name: String, _ groups: [String], _ path: String, _ since: Int) throws {
        let hosts = try hosts([:], .demo(at: 1_800_000_000))
        let host = try #require(hosts.first { $0["name"]?.string == name })
        #expect(host["groups"]?.array?.compactMap(\.string) == groups)
        #expect(host["url"]?.string == "https://\(name).faults.one.test:8443\(path)")
        #expect(host["since"]?.integer == since)
    }

    @Test("The page has one verdict if all profiles agree, or else that of each profile")
    func page() throws {
        let shop = try FaultHostTests.Shop()
        let built = ["stall-handshake": try shop.build("stall-handshake"), "expired": try shop.build("expired")]
        let page = FaultPages(domain: "one.test", port: 443, file: shop.file, version: "1", hosts: built)
        func row(_ name: String) throws -> FaultPages.View.Row {
            try #require(page.view.groups.flatMap(\.rows).first { $0.fault.name == name })
        }
        func cells(_ cells: [FaultPages.View.Cell]) -> [String] {
            cells.map { "\($0.profile): \($0.word) \($0.symbol)" }
        }
        let expired = try row("expired")
        #expect(cells([expired.shared].compactMap(\.self)) == ["All profiles: denied ✗"] && expired.verdicts.isEmpty)
        #expect(expired.origin == "https://expired.faults.one.test" && !expired.isSilent)
        let root = try row("only-root")
        #expect(root.shared == nil && root.verdict == "denied")
        #expect(
            cells(root.verdicts) == [
                "iOS 14 and later: denied ✗", "Apple's documentation: associated ✓", "iOS 9 to 13: associated ✓",
                "iOS 8: associated ✓",
            ])
        let android = try row("android-redirect")
        #expect(cells([android.shared].compactMap(\.self)) == ["Android: denied ✗"])
        #expect(android.path == "/.well-known/assetlinks.json")
        let silent = try row("stall-handshake")
        #expect(cells([silent.shared].compactMap(\.self)) == ["All profiles: retry ↻"] && silent.isSilent)
        #expect(try cells(row("bom").verdicts).first == "iOS 14 and later: unproven ?")
    }

    @Test(
        "A host that is not in the list names the most similar one",
        arguments: [
            ("expird", "Did you mean \"expired\"?"),
            ("passkey-timeut", "Did you mean \"passkey-timeout\"?"), ("nothing-like-it", "Check the name."),
        ])
    func unknown(_ name: String, _ fix: String) throws {
        let page = FaultPages(
            domain: "one.test", port: 8_443, file: try .demo(at: 1_800_000_000), version: "1", hosts: [:])
        let host = "\(name).faults.one.test"
        let respond = try #require(page.unknownSite(Pages.shared, at: 0).otherwise)
        let response = respond(try Bench.head("GET", "/", host: host))
        let text = String(decoding: response.content, as: UTF8.self)
        #expect(response.status.code == 404)
        #expect(text == "The host \"\(host)\" is not in the list. \(fix) See https://one.test:8443/faults.\n")
    }

    @Test("A flaky host fails for the first two requests of each client, and again after a reset")
    func flaky() async throws {
        let shop = try FaultHostTests.Shop()
        let host = try shop.build("flaky-503")
        func statuses(_ count: Int, from address: String) async throws -> [Int] {
            var statuses: [Int] = []
            for number in 0..<count {
                let path = number.isMultiple(of: 2) ? FilePath.wellKnown.text : FilePath.root.text
                let reply = try #require(host.replies[path])
                statuses.append(await reply.response(to: try request(path, from: address)).status.code)
            }
            return statuses
        }
        #expect(try await statuses(4, from: "192.0.2.1") == [503, 503, 200, 200])
        #expect(try await statuses(1, from: "192.0.2.2") == [503])
        await shop.workshop.counters.reset([Self.host], ClientAddress([192, 0, 2, 1]), shop.workshop.accounts)
        #expect(try await statuses(3, from: "192.0.2.1") == [503, 503, 200])
        #expect(try await statuses(2, from: "192.0.2.2") == [503, 200])
    }

    /// Returns the options of a host with a passkey fault.
    private func options(_ name: String, _ query: String = "") async throws -> JSONObject {
        let fault = try #require(PasskeyFault.all.first { $0.name == name })
        let sites = try fault.build(FaultHostTests.Shop().workshop, Array("page".utf8))
        let other = fault.hasOwnRP ? [fault.rpHost(on: "one.test")] : []
        #expect(sites.map(\.host) == [fault.host(on: "one.test")] + other)
        let reply = try #require(sites[0].site.replies[PasskeyFault.optionsPath])
        let response = await reply.response(to: try request(PasskeyFault.optionsPath + query))
        return try #require(try JSONDocument(response.content).root.object)
    }

    private func creation(_ name: String, _ query: String = "") async throws -> JSONObject {
        try #require(try await options(name, query)["publicKey"]?.object)
    }

    /// Returns the decoded value of base64url.
    private func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.string.flatMap { Base64.decode($0.utf8, .urlSafe) }
    }

    @Test("The options of a host are valid except for its fault")
    func passkeys() async throws {
        let intact = try await creation("passkey-app-missing")
        #expect(intact["rp"]?.object?["id"]?.string == "passkey-app-missing.faults.one.test")
        #expect(bytes(intact["challenge"])?.count == 32 && bytes(intact["user"]?.object?["id"])?.count == 32)
        #expect(intact["pubKeyCredParams"]?.array?.map { $0.object?["alg"]?.integer } == [-7, -8, -257])
        #expect(intact["timeout"]?.integer == 300_000 && intact["excludeCredentials"]?.array?.isEmpty == true)
        #expect(try await options("passkey-app-missing")["repeat"]?.boolean == false)
        #expect(try await creation("passkey-app-missing")["challenge"]?.string != intact["challenge"]?.string)

        let same = try #require(try await creation("passkey-one-challenge")["challenge"]?.string)
        #expect(try await creation("passkey-one-challenge")["challenge"]?.string == same)
        let padded = try await creation("passkey-challenge-padding")["challenge"]?.string
        #expect(padded?.utf8.count == 44 && padded?.hasSuffix("=") == true)
        #expect(try await bytes(creation("passkey-user-id-65")["user"]?.object?["id"])?.count == 65)
        let algorithms = try await creation("passkey-only-es384")["pubKeyCredParams"]?.array
        #expect(algorithms?.map { $0.object?["alg"]?.integer } == [-35])
        #expect(try await creation("passkey-timeout")["timeout"]?.integer == 1)
        for (name, id) in [
            ("passkey-rp-id-other", "example.com"), ("passkey-rp-id-port", "\(Self.host):8443"),
            ("passkey-related-html", "passkey-related-html-rp.faults.one.test"),
        ] {
            #expect(try await creation(name)["rp"]?.object?["id"]?.string == id)
        }
    }

    @Test("The options exclude the passkey in the query")
    func excluded() async throws {
        #expect(try await options("passkey-excluded")["repeat"]?.boolean == true)
        for (query, ids) in [("?exclude=-_8", ["-_8"]), ("?other=-_8", []), ("", [])] {
            let excluded = try await creation("passkey-excluded", query)["excludeCredentials"]?.array
            #expect(excluded?.compactMap { $0.object?["id"]?.string } == ids, "\(query)")
        }
    }
}
