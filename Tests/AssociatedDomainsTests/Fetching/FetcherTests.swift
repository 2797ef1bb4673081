import Certificates
import MotivatorHTTP
import MotivatorPlatform
import Testing

@testable import HTTPSClient

@Suite("Fetcher: every behavior of a server has a result")
struct FetcherTests {
    @Test("Handshakes", arguments: HandshakeCases.all)
    func handshakes(_ table: FetchCase) async throws { try await verifier(table) }

    @Test("Complete responses", arguments: AnswerCases.complete)
    func complete(_ table: FetchCase) async throws { try await verifier(table) }

    @Test("Responses that end early", arguments: AnswerCases.cut)
    func cut(_ table: FetchCase) async throws { try await verifier(table) }

    @Test("Malformed responses", arguments: AnswerCases.malformed)
    func malformed(_ table: FetchCase) async throws { try await verifier(table) }

    @Test("Endless responses", arguments: AnswerCases.endless)
    func endless(_ table: FetchCase) async throws { try await verifier(table) }

    @Test("Slow responses", arguments: AnswerCases.slow)
    func slow(_ table: FetchCase) async throws { try await verifier(table) }

    private static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

    /// What the server received from a fetch.
    private struct Seen: Sendable {
        var request = ""
        var name: String?
        var offered: String?
    }

    private func fetch(_ request: FetchRequest, _ options: Fetcher.Options) throws -> (Fetched, Seen, SocketAddress) {
        let server = try HostileServer()
        let seen = Guarded(Seen())
        server.serve { connection in
            let text = connection.request()
            let (name, offered) = (connection.serverName, connection.offeredProtocol)
            seen.withLock { $0 = Seen(request: text, name: name, offered: offered) }
            connection.send(Self.hello)
            connection.closeNotify()
        }
        var request = request
        var options = options
        options.deadline = 600
        if request.port == 0 { request.port = server.address.port }
        for host in ["a.test", "a.test."] {
            options.connectTo.append(try Fetcher.ConnectTo("\(host)::127.0.0.1:\(server.address.port)"))
        }
        let fetched = Fetcher(options).fetch(request)
        return (fetched, seen.withLock { $0 }, server.address)
    }

    @Test("The request has the fields of a plain client, without compression or cookies")
    func request() throws {
        let (fetched, seen, _) = try fetch(FetchRequest(host: "A.test", target: "/x?y=z"), .init())
        #expect(fetched.failure == nil)
        #expect(
            seen.request == "GET /x?y=z HTTP/1.1\r\nHost: A.test\r\nAccept: */*\r\nUser-Agent: UltraMotivator\r\n"
                + "Connection: close\r\n\r\n")
        #expect(seen.name == "A.test" && seen.offered == "http/1.1")
        #expect(fetched.tls?.version == "TLSv1.3" && fetched.tls?.cipher.hasPrefix("TLS_") == true)
    }

    @Test("The request's own fields replace the fetcher's, and content has its length")
    func ownFields() throws {
        var options = Fetcher.Options()
        options.userAgent = ""
        let request = FetchRequest(
            method: "POST", host: "a.test", port: 8443, target: "/", fields: [("accept", "text/plain"), ("X", "é")],
            content: Array("hi".utf8))
        let (fetched, seen, _) = try fetch(request, options)
        #expect(fetched.failure == nil)
        #expect(
            seen.request == "POST / HTTP/1.1\r\nHost: a.test:8443\r\naccept: text/plain\r\nX: é\r\n"
                + "Content-Length: 2\r\nConnection: close\r\n\r\nhi")
    }

    @Test("The request's User-Agent replaces the fetcher's, in any case", arguments: ["User-Agent", "user-agent"])
    func ownUserAgent(_ name: String) throws {
        let request = FetchRequest(host: "a.test", target: "/", fields: [(name, "Test")])
        let (fetched, seen, _) = try fetch(request, .init())
        #expect(fetched.failure == nil)
        let agents = seen.request.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("user-agent:") }
        #expect(agents == ["\(name): Test"])
    }

    @Test("The server name has no trailing dot, but the Host field keeps it (RFC 6066 §3)")
    func trailingDot() throws {
        let (fetched, seen, _) = try fetch(FetchRequest(host: "a.test.", target: "/"), .init())
        #expect(fetched.failure == nil && seen.name == "a.test")
        #expect(seen.request.contains("\r\nHost: a.test.\r\n"))
    }

    @Test(
        "A request without content has a length only if its method usually has content (RFC 9110 §8.6)",
        arguments: [
            ("GET", false), ("HEAD", false), ("DELETE", false), ("POST", true), ("PUT", true), ("PATCH", true),
        ])
    func noContent(_ method: String, _ hasLength: Bool) {
        func lengths(_ content: [UInt8]) -> [Substring] {
            let request = FetchRequest(method: method, host: "a.test", target: "/", content: content)
            let lines = String(decoding: request.bytes, as: UTF8.self).split(separator: "\r\n")
            return lines.filter { $0.hasPrefix("Content-Length:") }
        }
        #expect(lengths([]) == (hasLength ? ["Content-Length: 0"] : []))
        #expect(lengths([1, 2]) == ["Content-Length: 2"])
    }

    @Test("A request for an address has no server name", arguments: ["127.0.0.1"])
    func address(host: String) throws {
        let (fetched, seen, server) = try fetch(FetchRequest(host: host, port: 0, target: "/"), .init())
        #expect(fetched.failure == nil && fetched.address == server)
        #expect(seen.name == nil)
        #expect(seen.request.contains("\r\nHost: 127.0.0.1:\(server.port)\r\n"))
    }

    @Test("The Host field has an IPv6 address in brackets", .enabled(if: SocketAddress.hasIPv6Loopback))
    func ipv6() throws {
        let server = try HostileServer(host: "::1")
        let seen = Guarded("")
        server.serve { connection in
            let text = connection.request()
            seen.withLock { $0 = text }
            connection.send(Self.hello)
        }
        let fetched = Fetcher.patient.fetch(FetchRequest(host: "::1", port: server.address.port, target: "/"))
        #expect(fetched.response?.status == 200)
        #expect(seen.withLock { $0 }.contains("\r\nHost: [::1]:\(server.address.port)\r\n"))
    }

    @Test("The first matching rule determines the connection")
    func connectTo() throws {
        var options = Fetcher.Options()
        options.connectTo = [
            try Fetcher.ConnectTo("b.test:443:127.0.0.1:1"), try Fetcher.ConnectTo("a.test:1:127.0.0.1:1"),
        ]
        let (fetched, seen, server) = try fetch(FetchRequest(host: "a.test", target: "/"), options)
        #expect(fetched.failure == nil && fetched.address == server && seen.name == "a.test")
    }

    @Test("The result contains the chain as served, valid or not", arguments: [false, true])
    func chain(isReversed: Bool) async throws {
        let identity = try Identities.host.get()
        let issuer = try #require(identity.chain.first)
        let other = try Identities.weak.get().certificate
        let served = Identity(certificate: identity.certificate, key: identity.key, chain: [issuer, other])
        let table = FetchCase(
            "", "", answer: Self.hello, status: 200, content: "hello",
            { ($0.wishes.identity, $0.wishes.reversesChain) = (served, isReversed) })
        let (fetched, _) = try await table.run()
        #expect(fetched.failure == nil)
        #expect(
            fetched.tls?.chain == [identity.certificate] + (isReversed ? [other, issuer] : [issuer, other]))
    }

    @Test("The result contains a certificate that every platform rejects")
    func weak() async throws {
        let identity = try Identities.weak.get()
        let table = FetchCase(
            "", "", answer: Self.hello, status: 200, content: "hello", { $0.wishes.identity = identity })
        let (fetched, _) = try await table.run()
        #expect(fetched.failure == nil && fetched.tls?.chain.first == identity.certificate)
    }

    @Test("A handshake that fails late still provides the chain")
    func lateFailure() async throws {
        let table = try #require(HandshakeCases.all.first { $0.rule.contains("demanded client certificate") })
        let (fetched, _) = try await table.run()
        #expect(fetched.failure != nil && fetched.tls?.version == "")
        #expect(try fetched.tls?.chain.first == Identities.host.get().certificate)
    }

    @Test("A chain that is not accepted ends the fetch before a byte of the request")
    func refusedChain() throws {
        let server = try HostileServer()
        let seen = Guarded<String?>(nil)
        let isDone = Signal()
        server.serve { connection in
            let text = connection.request()
            seen.withLock { $0 = text }
            isDone.give()
        }
        let asked = Guarded(0)
        let fetched = Fetcher.patient.fetch(
            FetchRequest(host: "127.0.0.1", port: server.address.port, target: "/"),
            accept: { chain in
                asked.withLock { $0 += chain.count }
                return false
            })
        isDone.wait()
        #expect(fetched.failure == .refusedChain(server.address))
        #expect(fetched.response == nil && fetched.tls?.version == "TLSv1.3")
        #expect(asked.withLock { $0 } == 2 && seen.withLock { $0 } == "")
    }

    @Test("A response before the end of the request is accepted")
    func earlyAnswer() throws {
        let server = try HostileServer()
        server.serve { connection in
            connection.request()
            connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
            connection.waitForClose()
        }
        let fetched = Fetcher.patient.fetch(
            FetchRequest(
                method: "POST", host: "127.0.0.1", port: server.address.port, target: "/",
                content: [UInt8](repeating: 0x78, count: 20 << 20)))
        #expect(fetched.failure == nil && fetched.response?.status == 413)
    }

    @Test("Fields are found by name without regard to case, in their order")
    func fields() async throws {
        let answer = "HTTP/1.1 200 OK\r\nset-cookie: a\r\nX: y\r\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n"
        let (fetched, _) = try await FetchCase("", "", answer: answer, status: 200).run()
        #expect(fetched.response?.values(of: "SET-COOKIE") == ["a", "b"])
        #expect(fetched.response?.fields.map(\.name) == ["set-cookie", "X", "Set-Cookie", "Content-Length"])
    }
}
