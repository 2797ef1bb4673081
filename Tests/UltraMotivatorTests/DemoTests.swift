import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPTypes
import Logging
import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS
import Passkeys
import TestSupport
import Testing

@testable import MotivatorServer
@testable import UltraMotivator

@Suite("The configuration of the demo") struct DemoTests {
    static let rootPath = "/apple-app-site-association"
    static let wellKnown = "/.well-known/apple-app-site-association"
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private func content(_ snapshot: ServerSnapshot, _ path: String, host: String) throws -> (
        type: String, bytes: [UInt8]
    ) {
        let head = try Bench.head("GET", path, host: host)
        guard case .representation(let representation) = snapshot.router.decide(head) else {
            throw Bench.Trouble.noHead
        }
        let selection = representation.select(for: head, now: 0)
        let fields = String(decoding: selection.fields, as: UTF8.self)
        let type = fields.split(separator: "\r\n").first { $0.hasPrefix("Content-Type: ") } ?? ""
        return (String(type.dropFirst("Content-Type: ".count)), Array(selection.content[selection.range]))
    }

    @Test("Each host's signed file verifies for that host and for no other")
    func signedForEachHost() throws {
        let (snapshot, identities) = try bench.demo(["one.test", "two.test"], .signed).load(port: 8443, now: 0)
        let root = try #require(identities.root)
        for (host, other) in [("one.test", "two.test"), ("two.test", "one.test")] {
            let (type, bytes) = try content(snapshot, Self.wellKnown, host: host)
            #expect(type == "application/pkcs7-mime")
            let message = try CMS.open(bytes)
            let now = Clock.system.now()
            let own = try identities.identity(for: host).certificate.der
            #expect(message.certificates.contains { $0.der == own })
            let inside = try message.verify(trust: [root], at: now, domain: host)
            #expect(AssociationFile(inside, name: "", at: now).apps[.webcredentials]?.count == 1)
            #expect(throws: CMSIssue.self) { try message.verify(trust: [root], at: now, domain: other) }
        }
    }

    @Test("Without a folder of static files, the style sheet and the icon are those of the folder Public")
    func builtIn() throws {
        var demo = try bench.demo(["one.test"])
        demo.publicFolder = nil
        let (hosting, _) = try demo.load(port: 8443, now: 0)
        let top = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        for (name, type) in [("style.css", "text/css; charset=utf-8"), ("favicon.svg", "image/svg+xml")] {
            let served = try content(hosting, "/\(name)", host: "one.test")
            #expect(served.type == type)
            #expect(served.bytes == (try File.read("\(top)/Public/\(name)", limit: 1 << 20)))
        }
    }

    @Test("The legacy form is signed at the root and plain below .well-known, with the same content")
    func legacy() throws {
        let (snapshot, _) = try bench.demo(["one.test"], .legacy).load(port: 8443, now: 0)
        let signed = try content(snapshot, Self.rootPath, host: "one.test")
        let plain = try content(snapshot, Self.wellKnown, host: "one.test")
        #expect(signed.type == "application/pkcs7-mime")
        #expect(plain.type == "application/json")
        #expect(try CMS.open(signed.bytes).content == plain.bytes)
    }

    @Test("A signed file is served unchanged, and its content is the plain file of the legacy format")
    func signedFile() throws {
        let (made, _) = try bench.demo(["one.test"], .signed).load(port: 8443, now: 0)
        let signed = try content(made, Self.rootPath, host: "one.test").bytes
        let path = bench.folder + "/signed"
        try File.write(signed, to: path, mode: 0o600)
        for format in ServedAssociation.Format.allCases {
            let (snapshot, _) = try bench.demo(["one.test"], format, association: .file(path)).load(port: 8443, now: 0)
            #expect(try content(snapshot, Self.rootPath, host: "one.test").bytes == signed)
            let expected = format == .legacy ? try CMS.open(signed).content : signed
            #expect(try content(snapshot, Self.wellKnown, host: "one.test").bytes == expected)
        }
    }

    @Test("A leaf gets a successor when a third of its lifetime is left, and the server then uses it")
    func renewal() throws {
        let time = Guarded<UnixTime>(1_800_000_000)
        let clock = Clock { time.withLock { $0 } }
        let authority = try Authority.open(folder: bench.folder + "/certs", permitted: ["one.test"], clock: clock)
        let identities = ServerIdentities(
            .authority(authority), domains: ["one.test"], addresses: [], tickets: TicketKeys(clock: clock),
            log: RecordingLog.silent)
        let first = try identities.identity(for: "one.test")
        #expect(try !identities.haveSuccessors())
        time.withLock { $0 += 59 * 86_400 }
        #expect(try !identities.haveSuccessors())
        time.withLock { $0 += 2 * 86_400 }
        #expect(try identities.haveSuccessors())
        #expect(try identities.identity(for: "one.test").certificate != first.certificate)
        #expect(try !identities.haveSuccessors())
    }

    @Test("Only the certificate of the first host has the names and addresses of the machine")
    func addresses() throws {
        let (_, identities) = try bench.demo(["one.test", "two.test"]).load(port: 8443, now: 0)
        let first = try identities.identity(for: "one.test").certificate
        let second = try identities.identity(for: "two.test").certificate
        #expect(first.addresses == ["127.0.0.1", "::1"] && first.dnsNames.contains("localhost"))
        #expect(second.addresses.isEmpty && second.dnsNames == ["two.test"])
        #expect(["one.test", "two.test", "localhost", "::1"].allSatisfy(identities.covers))
        #expect(!identities.covers("three.test") && !identities.covers("a.one.test"))
        #expect(identities.expirations.map(\.host) == ["one.test", "two.test"])
    }

    @Test("A reload keeps the limits, the last quotes and the addresses for phones")
    func replace() throws {
        var (old, new) = (try bench.demo(["one.test"]), try bench.demo(["two.test"]))
        let address = try #require(SocketAddress("192.0.2.1", port: 8080))
        old.phones = PhoneAccess(addresses: [address], name: nil, reads: DeviceReads(log: RecordingLog.silent))
        #expect(new.ceremonyLimiter !== old.ceremonyLimiter)
        new.replace(old)
        #expect(new.ceremonyLimiter === old.ceremonyLimiter && new.motivator === old.motivator)
        #expect(new.checkQueues.checkRate === old.checkQueues.checkRate)
        #expect(new.checkQueues.fetches === old.checkQueues.fetches)
        #expect(new.phones?.urls == ["http://192.0.2.1:8080/"] && new.domains == ["two.test"])
    }

    @Test("The configuration determines the origins, the apps and the time limit of passkeys")
    func passkeys() throws {
        var demo = try bench.demo(["one.test", "two.test"])
        let print = Array(repeating: "0A", count: 31).joined(separator: ":") + ":FF"
        demo.androidApps = [try AndroidApp("com.example.app=\(print)")]
        (demo.passkeyDomain, demo.passkeyOrigins, demo.passkeyTimeout) = ("one.test", ["https://one.test:9"], 60)
        let settings = demo.passkeys
        #expect(settings.domains == ["one.test", "two.test"] && settings.sharedDomain == "one.test")
        #expect(settings.origins == ["https://one.test:9"] && settings.lifetime == 60)
        #expect(settings.fingerprints == [[UInt8](repeating: 10, count: 31) + [255]])
    }

    struct Redirect: Sendable, CustomTestStringConvertible {
        let method: String
        let target: String
        let host: String
        let location: String?
        let status: Int

        init(_ target: String, host: String, to location: String?, _ status: Int = 307, method: String = "GET") {
            (self.method, self.target, self.host) = (method, target, host)
            (self.location, self.status) = (location, status)
        }

        var testDescription: String { "\(method) \(target) at \(host)" }
    }

    static let redirects: [Redirect] = [
        Redirect("/a?b=c", host: "one.test:8080", to: "https://one.test:8443/a?b=c"),
        Redirect("/a", host: "TWO.test.", to: "https://two.test:8443/a"),
        Redirect("/a", host: "[::1]:8080", to: "https://[::1]:8443/a"),
        Redirect("/a", host: "127.0.0.1", to: "https://127.0.0.1:8443/a"),
        Redirect("/a", host: "evil.example", to: "https://one.test:8443/a"),
        Redirect("/a", host: "one.test", to: "https://one.test:8443/a", method: "POST"),
        Redirect(rootPath, host: "one.test", to: nil, 404),
        Redirect(wellKnown, host: "one.test", to: nil, 404, method: "HEAD"),
        Redirect("/.well-known/%61pple-app-site-association", host: "one.test", to: nil, 404),
        Redirect("/%2Ewell%2Dknown%2Fapple-app-site-association?a=b", host: "one.test", to: nil, 404, method: "POST"),
        Redirect("/./x/..//.well-known/apple-app-site-association", host: "one.test", to: nil, 404),
        Redirect("/../apple-app-site-association/", host: "one.test", to: nil, 404),
        Redirect("http://one.test/apple-app-site-association", host: "two.test", to: nil, 404),
        Redirect(
            "/APPLE-app-site-association", host: "one.test", to: "https://one.test:8443/APPLE-app-site-association"),
        Redirect("/a", host: "one.test", to: "https://one.test:8443/a", method: "HEAD"),
        Redirect("/signin", host: "one.test", to: "https://one.test:8443/signin", method: "POST"),
        Redirect("http://two.test/a", host: "one.test", to: "https://two.test:8443/a"),
        Redirect("/api/signin", host: "one.test", to: nil, 403, method: "POST"),
        Redirect("/api/signin", host: "one.test", to: nil, 403, method: "HEAD"),
        Redirect("/api/password", host: "one.test", to: nil, 403),
        Redirect("/api/account", host: "evil.example", to: nil, 403, method: "DELETE"),
        Redirect("/%61pi/signin", host: "one.test", to: nil, 403, method: "POST"),
        Redirect("//api//signin", host: "one.test", to: nil, 403, method: "POST"),
        Redirect("/x/%2E%2E/api/signin", host: "one.test", to: nil, 403, method: "POST"),
        Redirect("/ultra_motivator/api/signin.py", host: "one.test", to: nil, 403, method: "POST"),
        Redirect("/ultra_motivator/%2e/api/signup.py", host: "one.test", to: nil, 403, method: "POST"),
        Redirect("/api", host: "one.test", to: nil, 403, method: "POST"),
        Redirect("/ultra_motivator/api", host: "one.test", to: nil, 403, method: "POST"),
        Redirect("/apis", host: "one.test", to: "https://one.test:8443/apis", method: "POST"),
        Redirect(
            "/ultra_motivator/web/signin.py", host: "one.test",
            to: "https://one.test:8443/ultra_motivator/web/signin.py"),
        Redirect("/a", host: "one.test", to: nil, 501, method: "TRACE"),
        Redirect("/a", host: "one.test", to: nil, 501, method: "get"),
    ]

    @Test("The plain port leads to https, but never to the association file", arguments: redirects)
    func plainPort(_ redirect: Redirect) throws {
        let (snapshot, _) = try bench.demo(["one.test", "two.test"]).load(port: 8443, now: 0)
        let head = try Bench.head(redirect.method, redirect.target, host: redirect.host)
        guard case .response(let response) = snapshot.plainRouter.decide(head) else { throw Bench.Trouble.noHead }
        #expect(response.status.code == redirect.status)
        #expect(response.fields[.location] == redirect.location)
        guard [403, 404].contains(redirect.status) else { return }
        #expect(String(decoding: response.content, as: UTF8.self).contains("https:"), "the reason must mention https")
        #expect(response.fields[.cacheControl] == "no-store")
    }

    @Test("URLs do not contain the default port of https")
    func defaultPort() async throws {
        let (snapshot, _) = try bench.demo(["one.test"]).load(port: 443, now: 0)
        let head = try Bench.head("GET", "/a", host: "one.test:80")
        guard case .response(let response) = snapshot.plainRouter.decide(head) else { throw Bench.Trouble.noHead }
        #expect(response.fields[.location] == "https://one.test/a")
        let page = String(decoding: try content(snapshot, "/docs", host: "one.test").bytes, as: UTF8.self)
        #expect(page.contains("https://localhost/api/signin"))
    }

    @Test("An API call on the plain port is refused in the format of the API, with the URL to use")
    func plainAPI() throws {
        let (snapshot, _) = try bench.demo(["one.test"]).load(port: 8443, now: 0)
        func members(_ path: String) throws -> [String: String]? {
            let head = try Bench.head("POST", path, host: "one.test")
            guard case .response(let response) = snapshot.plainRouter.decide(head) else { return nil }
            return Reply(response).members
        }
        let call = try #require(try members("/api/signin"))
        #expect(Set(call.keys) == ["error", "code"] && call["code"] == "forbidden")
        #expect(call["error"]?.hasSuffix(" https://one.test:8443/api/signin") == true)
        #expect(try members("/ultra_motivator/api/signin.py").map { Array($0.keys) } == ["error"])
    }

    @Test("An address that the authority may not vouch for is served without being in the certificate")
    func foreignAddress() throws {
        var demo = try bench.demo(["one.test"])
        demo.aliases.append("192.0.2.1")
        let (snapshot, identities) = try demo.load(port: 8443, now: 0)
        #expect(try content(snapshot, Self.rootPath, host: "192.0.2.1").type == "application/json")
        #expect(try identities.identity(for: "one.test").certificate.addresses == ["127.0.0.1", "::1"])
    }
}
