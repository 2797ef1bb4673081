import AssociatedDomains
import Certificates
import Foundation
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import Testing

@testable import UltraMotivator

/// The rules are in docs/site-and-api.md, "Well-known resources" and "Fields".
@Suite("Well-known resources and fields for browsers") struct WellKnownTests {
    @Test("Password managers are sent to the form that changes the password", arguments: ["GET", "HEAD"])
    func changePassword(_ method: String) async throws {
        let reply = try await Caller(try Backend()).send(method, "/.well-known/change-password", [])
        #expect(reply.status == 303 && reply["Location"] == ["/update"] && reply["Cache-Control"] == ["no-store"])
    }

    @Test("The contact for security reports is valid for 180 days, in whole days (RFC 9116)")
    func security() async throws {
        let now = Guarded<UnixTime>(1_800_000_000)
        let contact = SecurityContact(contact: "mailto:security@one.test", clock: Clock { now.withLock { $0 } })
        let path = "/.well-known/security.txt"
        func text() async throws -> Reply {
            let peer = Peer(address: try #require(SocketAddress("192.0.2.1", port: 1)))
            return Reply(
                await contact.respond(
                    to: Request(head: try Bench.head("GET", path, host: "one.test"), content: [], peer: peer)))
        }
        let reply = try await text()
        #expect(
            reply.text
                == "Contact: mailto:security@one.test\nExpires: 2027-07-14T00:00:00Z\nPreferred-Languages: en\n")
        now.withLock { $0 += 57_599 }
        #expect(try await text().text == reply.text, "the text must not change before midnight, UTC")
        now.withLock { $0 += 1 }
        #expect(try await text().text.contains("Expires: 2027-07-15T00:00:00Z"))
        let served = try await Caller(try Backend()).send("GET", path, [])
        #expect(served.status == 200 && served["Content-Type"] == ["text/plain; charset=utf-8"])
        #expect(served.text.hasPrefix("Contact: mailto:security@one.test\n"))
    }

    @Test("assetlinks.json exists only if Android apps are configured")
    func assetLinks() async throws {
        let print = Array(repeating: "0A", count: 32).joined(separator: ":")
        let backend = try Backend { $0.androidApps = [try AndroidApp("com.example.app=\(print)")] }
        let reply = try await Caller(backend).send("GET", "/.well-known/assetlinks.json", [])
        #expect(reply.status == 200 && reply["Content-Type"] == ["application/json"])
        let links = reply.text.replacing(#/\s/#, with: "")
        let relations = #""delegate_permission/common.get_login_creds","delegate_permission/common.handle_all_urls""#
        #expect(links.contains("\"relation\":[\(relations)]"))
        #expect(links.contains("\"package_name\":\"com.example.app\"") && links.contains("[\"\(print)\"]"))
        await #expect(throws: Bench.Trouble.self, "the static files must handle the path") {
            try await Caller(try Backend()).send("GET", "/.well-known/assetlinks.json", [])
        }
    }

    @Test(
        "Representations that were made at the start are revalidated",
        arguments: ["/openapi.json", "/docs", "/check", "/check/codes"])
    func representations(_ path: String) async throws {
        let reply = try await Caller(try Backend()).send("GET", path, [])
        #expect(reply.status == 200 && reply["Cache-Control"] == ["no-cache"] && !reply["ETag"].isEmpty)
        #expect(
            reply["Content-Type"] == [path.hasSuffix(".json") ? "application/json" : "text/html; charset=utf-8"])
    }

    @Test("A query is searched or checked; without one, the page that was made at the start is sent")
    func queries() async throws {
        let caller = Caller(try Backend())
        for (target, part) in [
            ("/check?app=x", "The check did not run"), ("/check?example=comma", "#json-trailing-comma"),
            ("/check?example=x", "<form"),
            ("/check/codes?q=zzz", "No codes match &quot;zzz&quot;."),
        ] {
            let reply = try await caller.send("GET", target, ["Accept: text/html"])
            #expect(reply.text.contains(part) && reply["ETag"].isEmpty, "\(target)")
        }
        for query in ["q=", "q=%20", "q=a&q=a", "x=a"] {
            let reply = try await caller.send("GET", "/check/codes?" + query, [])
            #expect(reply.status == 303 && reply["Location"] == ["/check/codes"], "\(query)")
        }
        for target in ["/check?", "/check/codes?", "/docs?q=x"] {
            #expect(try await !caller.send("GET", target, [])["ETag"].isEmpty, "\(target)")
        }
    }

    @Test("Every response has the fields that apply to any content; pages have those for documents")
    func fields() {
        let (always, pages) = (SecurityFields.always, SecurityFields.pages())
        let frame = Frame("", hasFaults: false)
        let script = Data(Digest.sha256(Array(frame.script.utf8))).base64EncodedString()
        #expect(
            always.map { "\($0.name): \($0.value)" }.sorted() == [
                "Cross-Origin-Resource-Policy: same-origin", "X-Content-Type-Options: nosniff",
            ])
        #expect(
            pages.map { "\($0.name): \($0.value)" }.sorted() == [
                "Content-Security-Policy: default-src 'none'; style-src 'self'; img-src 'self'; "
                    + "script-src 'sha256-\(script)'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
                "Cross-Origin-Opener-Policy: same-origin",
                "Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()",
                "Referrer-Policy: no-referrer",
            ])
    }

    @Test("Strict-Transport-Security is sent only on request, and for subdomains only on request (RFC 6797 §6.1)")
    func strictTransport() {
        func value(_ seconds: Int, _ includesSubdomains: Bool) -> String? {
            SecurityFields.overTLS(strictTransport: seconds, includesSubdomains: includesSubdomains)[
                .strictTransportSecurity]
        }
        #expect(value(0, false) == nil && value(0, true) == nil)
        #expect(value(31_536_000, false) == "max-age=31536000")
        #expect(value(31_536_000, true) == "max-age=31536000; includeSubDomains")
    }
}
