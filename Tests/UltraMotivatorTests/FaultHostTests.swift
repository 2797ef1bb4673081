import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPSClient
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import MotivatorTLS
import SourceJSON
import TestSupport
import Testing
import UniversalLinks

@testable import Faults
@testable import UltraMotivator

/// The responses of the hosts with HTTP faults and file faults. The end-to-end tests check the other groups.
@Suite("The hosts that are broken on purpose") struct FaultHostTests {
    private static let right =
        #"{"webcredentials": {"apps": ["D3KQX62K1A.com.example.DemoApp", "D3KQX62K1A.com.example.DemoAdminApp"]}}"#
    private static let host = "test.faults.one.test"

    /// Builds the hosts. All hosts have the same name.
    final class Shop {
        let workshop: Workshop
        var file: IntactFile { workshop.file }
        private let bench: Bench

        /// - Parameter file: the intact file; nil for the demo's file.
        init(file: String? = nil) throws {
            let bench = try Bench()
            self.bench = bench
            let now: UnixTime = 1_800_000_000
            workshop = Workshop(
                host: FaultHostTests.host, domain: "one.test", port: 8_443, now: now,
                authority: try Authority.temporary(permitted: ["one.test"]), stranger: try Workshop.makeStranger(now),
                tickets: TicketKeys(), counters: RequestCounters(), accounts: try bench.accounts(),
                file: try file.map { try IntactFile(Array($0.utf8), name: "own.json", at: now) } ?? .demo(at: now))
        }

        func build(_ name: String) throws -> BrokenHost {
            try #require(FaultHost.all.first { $0.name == name }).build(workshop)
        }
    }

    /// Returns the responses of both paths.
    private func replies(_ host: BrokenHost, fields: String = "") async throws -> [Reply] {
        var replies: [Reply] = []
        for path in [FilePath.wellKnown.text, FilePath.root.text] {
            replies.append(try await reply(host, path, fields: fields))
        }
        return replies
    }

    private func reply(_ host: BrokenHost, _ path: String, fields: String = "") async throws -> Reply {
        let head = try Bench.head("GET", path, host: Self.host, fields: fields)
        let peer = Peer(address: try #require(SocketAddress("192.0.2.1", port: 50_000)))
        let reply = try #require(host.replies[path])
        return Reply(await reply.response(to: Request(head: head, content: [], peer: peer)))
    }

    /// Returns the plain file of a host without line breaks and indentation.
    private func file(_ name: String) async throws -> String {
        let replies = try await replies(Shop().build(name))
        #expect(replies.map(\.status) == [200, 200])
        #expect(replies.flatMap { $0["Content-Type"] } == ["application/json", "application/pkcs7-mime"])
        return replies[0].text.replacing(#/\n */#, with: "")
    }

    @Test("Every code is in the catalog")
    func codes() {
        for host in FaultHost.all {
            #expect(host.issues.allSatisfy { Diagnostic.named($0) != nil }, "\(host.name)")
            #expect(host.issues == host.issues.sorted(), "\(host.name)")
        }
    }

    @Test(
        "A host with a status responds with that status and its fields at both paths",
        arguments: [304, 401, 403, 404, 410, 418, 429, 451, 204, 500, 502, 503, 504, 599])
    func status(_ code: Int) async throws {
        for reply in try await replies(Shop().build("status-\(code)")) {
            #expect(reply.status == code)
            #expect(reply["WWW-Authenticate"] == (code == 401 ? ["Basic realm=\"test\""] : []))
            #expect(reply["Retry-After"] == (code == 503 ? ["120"] : []))
            #expect(reply["Location"].isEmpty && !reply.text.contains(IntactFile.demoApp))
            #expect(reply.content.isEmpty == [204, 304].contains(code))
        }
    }

    @Test("A redirect leads to the correct file on the same host", arguments: [301, 302, 307, 308])
    func redirect(_ code: Int) async throws {
        let host = try Shop().build("redirect-\(code)")
        let replies = try await replies(host)
        #expect(replies.map(\.status) == [code, code])
        let targets = replies.flatMap { $0["Location"] }
        #expect(targets == ["/moved/plain", "/moved/signed"])
        var files: [Reply] = []
        for target in targets { files.append(try await reply(host, target)) }
        #expect(files.map(\.status) == [200, 200])
        #expect(files[0].text.replacing(#/\n */#, with: "") == Self.right)
        #expect(files[1]["Content-Type"] == ["application/pkcs7-mime"])
    }

    @Test("A redirect leads to http, to itself or to another host")
    func otherRedirects() async throws {
        let shop = try Shop()
        let rows: [(String, Int, [String])] = [
            ("redirect-http", 302, ["http://\(Self.host)/moved/plain", "http://\(Self.host)/moved/signed"]),
            ("redirect-loop", 302, [FilePath.wellKnown.text, FilePath.root.text]),
            (
                "redirect-other-host", 301,
                ["https://one.test:8443\(FilePath.wellKnown.text)", "https://one.test:8443\(FilePath.root.text)"]
            ),
        ]
        for (name, code, targets) in rows {
            let replies = try await replies(shop.build(name))
            #expect(replies.map(\.status) == [code, code], "\(name)")
            #expect(replies.flatMap { $0["Location"] } == targets, "\(name)")
        }
    }

    @Test(
        "A file has an unsuitable type",
        arguments: [
            ("no-content-type", []), ("type-html", ["text/html"]),
            ("type-octet-stream", ["application/octet-stream"]),
        ])
    func type(_ name: String, _ type: [String]) async throws {
        for reply in try await replies(Shop().build(name)) {
            #expect(reply.status == 200 && reply["Content-Type"] == type)
            #expect(String(decoding: reply.content, as: UTF8.self).contains(IntactFile.demoApp))
        }
    }

    @Test("A host with an HTML page shows the file only to a client with the cookie, or never")
    func pages() async throws {
        let shop = try Shop()
        let wall = try shop.build("cookie-wall")
        let page = try shop.build("html-page")
        for reply in try await replies(wall) + replies(page) {
            #expect(reply.status == 200 && reply["Content-Type"] == ["text/html; charset=utf-8"])
            #expect(!reply.text.contains(IntactFile.demoApp))
        }
        #expect(try await replies(wall)[0]["Set-Cookie"] == ["seen=1; Secure; HttpOnly"])
        #expect(try await replies(page)[0]["Set-Cookie"] == [])
        let opened = try await replies(wall, fields: "Cookie: seen=1\r\n")
        #expect(opened[0].text.replacing(#/\n */#, with: "") == Self.right)
        #expect(opened[1]["Content-Type"] == ["application/pkcs7-mime"])
    }

    @Test("Only one path has the file, or the paths list different apps")
    func paths() async throws {
        let shop = try Shop()
        #expect(try await replies(shop.build("only-root")).map(\.status) == [404, 200])
        #expect(try await replies(shop.build("only-well-known")).map(\.status) == [200, 404])
        for (name, listed) in [("paths-differ", [false, true]), ("paths-differ-reversed", [true, false])] {
            let replies = try await replies(shop.build(name))
            #expect(replies.map { $0.text.contains("\"\(IntactFile.demoApp)\"") } == listed, "\(name)")
            #expect(replies.allSatisfy { $0.text.contains("\"D3KQX62K1A.com.example.DemoAdminApp\"") }, "\(name)")
        }
    }

    private static let syntax: [(String, String)] = [
        ("bom", "\u{FEFF}" + right), ("trailing-comma", right.replacing("]", with: ",]")),
        ("comment", "// The apps of this site" + right), ("single-quotes", right.replacing("\"", with: "'")),
        (
            "smart-quotes",
            right.replacing("\"webcredentials\"", with: "“webcredentials”").replacing("\"apps\"", with: "“apps”")
        ),
        ("top-array", "[\(right)]"), ("top-string", "\"D3KQX62K1A.com.example.DemoApp\""),
        ("duplicate-key", extended(#""webcredentials": {"apps": ["D3KQX62K1A.com.example.DemoApp"]}"#)),
        (
            "deep-nesting",
            extended(#""unknown": "# + String(repeating: "[", count: 600) + String(repeating: "]", count: 600))
        ), ("empty", ""), ("blank", "      "),
    ]

    private static let apps: [(String, String)] = [
        ("app-missing", listing("D3KQX62K1A.com.example.DemoAdminApp")),
        (
            "app-only-in-applinks",
            #"{"applinks": {"details": [{"appIDs": ["D3KQX62K1A.com.example.DemoApp"], "components": [{"/": "/*"}]}]},"#
                + listing("D3KQX62K1A.com.example.DemoAdminApp").dropFirst()
        ),
        ("app-other-prefix", listing("A1B2C3D4E5.com.example.DemoApp")),
        ("app-other-case", listing("D3KQX62K1A.com.example.demoapp")),
        ("app-leading-space", listing(" D3KQX62K1A.com.example.DemoApp")),
        ("app-wildcard", listing("D3KQX62K1A.com.example.*")), ("app-without-prefix", listing("com.example.DemoApp")),
        ("apps-string", #"{"webcredentials": {"apps": "D3KQX62K1A.com.example.DemoApp"}}"#),
        ("apps-empty", #"{"webcredentials": {"apps": []}}"#),
        ("service-misspelt", right.replacing("webcredentials", with: "webCredentials")),
        (
            "service-misplaced",
            #"{"applinks": {"details": [], "webcredentials": {"apps": ["D3KQX62K1A.com.example.DemoApp"]}}}"#
        ),
        ("app-lower-prefix", listing("d3kqx62k1a.com.example.DemoApp")),
        ("apps-with-numbers", #"{"webcredentials": {"apps": [1, "D3KQX62K1A.com.example.DemoApp", 2.5]}}"#),
    ]

    /// Returns the correct file with one more member.
    private static func extended(_ member: String) -> String { right.dropLast() + ",\(member)}" }

    @Test("The file has exactly the named fault", arguments: syntax + apps)
    func content(_ name: String, _ text: String) async throws {
        let found = try await file(name)
        #expect(Array(found.unicodeScalars) == Array(text.unicodeScalars))
    }

    private static func listing(_ app: String) -> String { "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}" }

    @Test("A file in RTF contains the correct file, with the escape sequences of RTF")
    func richText() async throws {
        let text = try await file("rtf")
        #expect(text.hasPrefix(#"{\rtf1\ansi"#))
        let body = try #require(text.components(of: #"\fs24 "#).last).dropLast()
        let repaired = body.replacing("\\{", with: "{").replacing("\\}", with: "}").replacing(#/\\ */#, with: "")
        #expect(repaired == Self.right)
    }

    @Test("A file in UTF-16 has a byte order mark")
    func utf16() async throws {
        let content = try await replies(Shop().build("utf-16"))[0].content
        let units = stride(from: 0, to: content.count, by: 2).map { UInt16(content[$0]) | UInt16(content[$0 + 1]) << 8 }
        let text = String(decoding: units, as: UTF16.self)
        #expect(text.unicodeScalars.first == "\u{FEFF}")
        #expect(String(text.unicodeScalars.dropFirst()).replacing(#/\n */#, with: "") == Self.right)
    }

    @Test("The file of Android has a statement for an app")
    func android() async throws {
        let document = try JSONDocument(Array(try await file("assetlinks").utf8))
        let statement = try #require(document.root.array?.first?.object)
        #expect(Set(statement.members.map(\.key)) == ["relation", "target"])
        let target = try #require(statement["target"]?.object)
        #expect(Set(target.members.map(\.key)) == ["namespace", "package_name", "sha256_cert_fingerprints"])
        #expect(target["namespace"]?.string == "android_app")
    }

    private static let own: [String?] = [
        nil,
        #"{"applinks":{"details":[{"appIDs":["A1B2C3D4E5.org.example.own"],"components":[{"/":"/a","comment":"\"} ]"}]}]},"webcredentials":{"apps":["A1B2C3D4E5.org.example.own"]}}"#,
        "{ \"webcredentials\" : {\"apps\" : [ \"7353918204.org.example.x\",\n\t\"A1B2C3D4E5.org.example.OWN\" ] } ,\n\"appclips\":{\"apps\":[\"A1B2C3D4E5.org.example.OWN.Clip\"]}}",
    ]

    @Test("Each faulty file has the expected verdict, also around another file", arguments: own)
    func verdicts(_ text: String?) throws {
        let shop = try Shop(file: text)
        #expect(shop.file.app.prefix == (text == nil ? "D3KQX62K1A" : "A1B2C3D4E5"))
        for fault in FaultHost.file + FaultHost.universalLinks {
            let reply = try #require(shop.build(fault.name).replies[FilePath.wellKnown.text])
            let file = AssociationFile(reply.content, name: "a", domain: Self.host, at: 1_800_000_000)
            var request = CheckRequest()
            (request.apps, request.service) = ([shop.file.app], .webcredentials)
            let report = file.report(for: request)
            guard fault.verdict(.device) != .unproven else { continue }
            #expect(report.verdict(.device).rawValue == fault.verdict(.device)?.rawValue, "\(fault.name)")
        }
    }

    @Test("Each URL opens the expected app, also around another file", arguments: own)
    func links(_ text: String?) throws {
        let shop = try Shop(file: text)
        for fault in FaultHost.universalLinks {
            let reply = try #require(shop.build(fault.name).replies[FilePath.wellKnown.text])
            let file = AssociationFile(reply.content, name: "a", domain: Self.host, at: 1_800_000_000)
            #expect(!fault.links.isEmpty)
            for link in fault.links where link.result != .unproven {
                let match = try #require(file.links).match(try WebURL("https://\(Self.host)\(link.target)"))
                let app = match.outcome == .matched ? match.app.flatMap { try? AppIdentifier($0) } : nil
                let expected: [FaultHost.Link.Result: String] = [
                    .app: shop.file.app.description, .other: shop.file.other,
                ]
                #expect(app?.description == expected[link.result], "\(fault.name) \(link.target)")
            }
        }
    }

    @Test(
        "A file that is faulty itself is refused",
        arguments: [
            ("not JSON", "{", "json-"), ("no webcredentials", #"{"applinks":{"details":[]}}"#, ""),
            ("no app", #"{"webcredentials":{"apps":[]}}"#, ""),
            ("a warning", #"{"webcredentials":{"apps":[1,"A1B2C3D4E5.org.example.own"]}}"#, "app-not-a-string"),
            (
                "a prefix without a letter", #"{"webcredentials":{"apps":["7353918204.org.example.own"]}}"#,
                "lists an app"
            ),
            ("an escaped key", #"{"web\u0063redentials":{"apps":["A1B2C3D4E5.org.example.own"]}}"#, "lists an app"),
        ])
    func refused(_ name: String, _ text: String, _ words: String) {
        #expect(name.isEmpty == false)
        do {
            _ = try IntactFile(Array(text.utf8), name: "own.json", at: 1_800_000_000)
            Testing.Issue.record("\(name) is accepted")
        } catch {
            #expect(error.problem.contains("own.json") && error.problem.contains(words), "\(error)")
            #expect(!error.fix.hasSuffix("."), "the description adds a full stop")
        }
    }

    @Test("A reload builds the hosts around the new file, and keeps the counters")
    func reload() throws {
        let bench = try Bench()
        var (old, new) = (try bench.demo(["one.test"]), try bench.demo(["one.test"]))
        let first = Faults(association: "one.json")
        old.faults = first
        new.faults = Faults(association: "two.json")
        new.replace(old)
        let replaced = try #require(new.faults as? Faults)
        #expect(replaced.association == "two.json" && replaced.counters === first.counters)
    }

    @Test("A compressed file has its content coding")
    func gzip() async throws {
        for reply in try await replies(Shop().build("gzip")) {
            #expect(reply["Content-Encoding"] == ["gzip"] && reply.content.starts(with: [0x1F, 0x8B]))
        }
    }
}
