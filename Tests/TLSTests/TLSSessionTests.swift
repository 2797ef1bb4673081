import COpenSSL
import Certificates
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorTLS

struct TLSSessionTests {
    private let hand = ManualClock(at: Clock.system.now())
    private let tickets: TicketKeys
    private let context: TLSContext

    init() throws {
        tickets = TicketKeys(clock: hand.clock)
        context = try TLSContext(identity: identity("a.test"), tickets: tickets)
    }

    private func connected(
        _ wishes: Client.Wishes = .init(), to other: TLSContext? = nil
    ) throws -> (Client, TLSSession) {
        let client = try Client(wishes)
        let server = try TLSSession(context: other ?? context, descriptor: client.serverDescriptor)
        #expect(client.handshake(server) == .done(0))
        return (client, server)
    }

    @Test("close_notify ends a session properly, an end without it is a truncation (RFC 8446 §6.1)")
    func ends() throws {
        let (polite, first) = try connected()
        #expect(SSL_shutdown(polite.ssl) == 0)
        #expect(first.readText().0 == .closed)
        #expect(first.closeNotify() == .closed)
        let (rude, second) = try connected()
        #expect(rude.write("last words") == 10)
        rude.hangUp()
        #expect(second.readText().1 == "last words")
        #expect(second.readText().0 == .failed(.truncated))
        #expect(second.closeNotify() == .closed)
        #expect(ERR_peek_error() == 0)
    }

    @Test("The server's close_notify reaches the client, whose close_notify completes it")
    func closing() throws {
        let (client, server) = try connected()
        #expect(server.closeNotify() == .done(0))
        #expect(client.read() == nil)
        #expect(SSL_get_shutdown(client.ssl) & SSL_RECEIVED_SHUTDOWN != 0)
        #expect(server.closeNotify() == .done(0))
        #expect(SSL_shutdown(client.ssl) == 1)
        #expect(server.readText().0 == .closed && server.closeNotify() == .closed)
    }

    @Test("A session that never began has nothing to close")
    func early() throws {
        let client = try Client()
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect(server.closeNotify() == .closed)
        #expect(server.cipher == nil || server.cipher == "(NONE)")
        #expect(server.serverName == nil && !server.hasPending)
    }

    @Test("Buffered bytes are reported, because no poller does")
    func pending() throws {
        let (client, server) = try connected()
        #expect(client.write("0123456789") == 10)
        #expect(client.write("abc") == 3)
        var small = [UInt8](repeating: 0, count: 4)
        #expect(small.withUnsafeMutableBytes { server.read(into: $0) } == .done(4))
        #expect(server.hasPending)
        #expect(server.readText().1 == "456789")
        #expect(server.hasPending)
        #expect(server.readText().1 == "abc")
        #expect(!server.hasPending)
    }

    @Test("A full socket wants writing, and the same bytes continue from another buffer")
    func partial() throws {
        let (client, server) = try connected()
        let block = [UInt8](repeating: 0x61, count: 100_000)
        var written = 0
        var sawFull = false
        var received = 0
        while written < 3_000_000 {
            // Uses a copy for each attempt, because the bytes may move between two attempts.
            let copy = Array(block)
            switch copy.withUnsafeBytes({ server.write($0) }) {
            case .done(let count):
                #expect(count > 0 && count <= block.count)
                written += count
            case .wantsWrite:
                sawFull = true
                while let text = client.read() { received += text.utf8.count }
            case let other:
                Issue.record("\(other)")
                return
            }
        }
        while let text = client.read() { received += text.utf8.count }
        #expect(sawFull)
        #expect(received == written)
    }

    @Test("Nothing is read or written for nothing")
    func empty() throws {
        let (client, server) = try connected()
        defer { withExtendedLifetime(client) {} }
        #expect(server.read(into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) == .done(0))
        #expect(server.write(UnsafeRawBufferPointer(start: nil, count: 0)) == .done(0))
    }

    @Test("A broken record breaks the session for good")
    func broken() throws {
        let (client, server) = try connected()
        client.sendRaw([0x17, 0x03, 0x03, 0x00, 0x20] + [UInt8](repeating: 7, count: 32))
        let progress = server.readText().0
        guard case .failed(.broken(let code)) = progress else {
            Issue.record("\(progress)")
            return
        }
        #expect(code != 0)
        #expect(server.readText().0 == .closed && server.writeText("x") == .closed)
    }

    @Test("An alert after the handshake ends the session, which keeps the alert")
    func alert() throws {
        let (client, server) = try connected(.init(most: TLS1_2_VERSION, suite: RecordForge.suite))
        #expect(server.alert == nil)
        var forge = try #require(RecordForge(client))
        // A fatal alert with the description unknown_ca (RFC 5246 §7.2).
        client.sendRaw(forge.record(SSL3_RT_ALERT, [2, 48]))
        guard case .failed(let failure) = server.readText().0 else {
            Issue.record("The session continues after the alert.")
            return
        }
        #expect(failure.reason.contains("alert unknown ca"))
        #expect(server.alert == failure)
    }

    @Test("Renegotiation is refused (TLS 1.2)")
    func renegotiation() throws {
        let (client, server) = try connected(.init(most: TLS1_2_VERSION))
        #expect(SSL_renegotiate(client.ssl) == 1)
        SSL_do_handshake(client.ssl)
        #expect(server.readText().0 == .wantsRead)
        ERR_clear_error()
        SSL_do_handshake(client.ssl)
        #expect(client.reason.contains("no renegotiation"))
    }

    @Test("An old error in the queue of the thread is not a failure of the session")
    func oldErrors() throws {
        let (client, server) = try connected()
        defer { withExtendedLifetime(client) {} }
        let garbage: [UInt8] = [1, 2, 3]
        garbage.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            _ = d2i_X509(nil, &next, buffer.count)
        }
        #expect(ERR_peek_error() != 0)
        #expect(server.readText().0 == .wantsRead)
    }
}

extension TLSSessionTests {
    /// Connects again with an earlier session. Returns whether the server resumed the session.
    private func resumes(_ session: OpaquePointer?, on other: TLSContext? = nil, version: Int32) throws -> Bool {
        let client = try Client(.init(least: version, most: version), resuming: session)
        let server = try TLSSession(context: other ?? context, descriptor: client.serverDescriptor)
        #expect(client.handshake(server) == .done(0))
        #expect(server.isResumed == (SSL_session_reused(client.ssl) == 1))
        return server.isResumed
    }

    /// Connects once, and returns the session with its ticket. The caller frees it.
    private func ticket(of other: TLSContext? = nil, version: Int32) throws -> OpaquePointer? {
        let (client, _) = try connected(.init(least: version, most: version), to: other)
        let session = client.takeSession()
        #expect(SSL_SESSION_has_ticket(session) == 1)
        // A client that closes properly keeps its session resumable.
        SSL_shutdown(client.ssl)
        return session
    }

    @Test(
        "A ticket resumes, for three hours at most, also on another context",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func tickets(version: Int32) throws {
        let other = try TLSContext(identity: identity("b.test"), tickets: tickets)
        let foreign = try TLSContext(identity: identity("c.test"), tickets: TicketKeys(clock: hand.clock))
        let sessions = try (0..<5).map { _ in try ticket(version: version) }
        defer { for session in sessions { SSL_SESSION_free(session) } }
        #expect(try resumes(sessions[0], version: version))
        #expect(try resumes(sessions[1], on: other, version: version))
        #expect(try !resumes(sessions[2], on: foreign, version: version))
        hand.advance(TicketKeys.rotation)
        _ = try ticket(version: version).map { SSL_SESSION_free($0) }
        hand.advance(TicketKeys.rotation)
        #expect(try resumes(sessions[3], version: version))
        hand.advance(TicketKeys.rotation)
        #expect(try !resumes(sessions[4], version: version))
    }

    @Test("A ticket of an older key is replaced by one of the newest", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func renewal(version: Int32) throws {
        let old = try ticket(version: version)
        defer { SSL_SESSION_free(old) }
        hand.advance(TicketKeys.rotation)
        let client = try Client(.init(least: version, most: version), resuming: old)
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect(client.handshake(server) == .done(0))
        #expect(server.isResumed)
        let fresh = client.takeSession()
        defer { SSL_SESSION_free(fresh) }
        #expect(keyName(old) != keyName(fresh))
        SSL_shutdown(client.ssl)
        hand.advance(2 * TicketKeys.rotation)
        #expect(try resumes(fresh, version: version))
    }

    @Test("Servers with the same secret accept each other's tickets", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func sharedSecret(version: Int32) throws {
        let folder = try TemporaryDirectory()
        /// Creates a server with a secret and with a clock that is some hours ahead.
        func server(_ secret: String, hours: UnixTime = 0) throws -> TLSContext {
            try folder.write(Array(secret.utf8), to: "secret", mode: 0o600)
            let clock = ManualClock(at: 1_700_002_800 + hours * TicketKeys.rotation).clock
            let tickets = TicketKeys(secret: try .load(path: folder.file("secret")), clock: clock)
            return try TLSContext(identity: identity("a.test"), tickets: tickets)
        }
        let text = "0123456789abcdef0123456789abcdef"
        let one = try server(text)
        for hours: UnixTime in -2...4 {
            let session = try ticket(of: one, version: version)
            defer { SSL_SESSION_free(session) }
            // HKDF-SHA-256 of the secret, without a salt, with the info "ultra-motivator session ticket 1700002800".
            #expect(keyName(session).map { String($0, radix: 16) } == Self.name)
            #expect(try resumes(session, on: server(text + "\n", hours: hours), version: version) == (-1...2 ~= hours))
        }
        let session = try ticket(of: one, version: version)
        defer { SSL_SESSION_free(session) }
        #expect(try !resumes(session, on: server("f" + text), version: version))
    }

    @Test("A derived key protects tickets: 16 bytes name it, 32 are for AES-256-CBC, 32 for HMAC-SHA-256")
    func derivedKey() throws {
        let folder = try TemporaryDirectory()
        let secret = Array("0123456789abcdef0123456789abcdef".utf8)
        try folder.write(secret, to: "secret", mode: 0o600)
        let tickets = TicketKeys(
            secret: try .load(path: folder.file("secret")), clock: ManualClock(at: 1_700_002_800).clock)
        let session = try ticket(
            of: TLSContext(identity: identity("a.test"), tickets: tickets), version: TLS1_2_VERSION)
        defer { SSL_SESSION_free(session) }
        var (bytes, count): (UnsafePointer<UInt8>?, Int) = (nil, 0)
        SSL_SESSION_get0_ticket(session, &bytes, &count)
        let ticket = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
        // HKDF-SHA-256 (RFC 5869), implemented with HMAC.
        let extracted = Digest.hmacSHA256(key: [UInt8](repeating: 0, count: 32), secret)
        let info = Array("ultra-motivator session ticket 1700002800".utf8)
        var (key, block): ([UInt8], [UInt8]) = ([], [])
        for number: UInt8 in 1...3 {
            block = Digest.hmacSHA256(key: extracted, block + info + [number])
            key += block
        }
        // RFC 5077 §4: the key name, the initialization vector, the encrypted state, and their MAC.
        #expect(Array(ticket.prefix(16)) == Array(key[..<16]))
        #expect(Array(ticket.suffix(32)) == Digest.hmacSHA256(key: Array(key[48..<80]), Array(ticket.dropLast(32))))
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        let (vector, encrypted) = (Array(ticket[16..<32]), Array(ticket[32...].dropLast(32)))
        var (plain, length) = ([UInt8](repeating: 0, count: encrypted.count), Int32(0))
        var end = [UInt8](repeating: 0, count: 32)
        #expect(EVP_DecryptInit_ex(context, EVP_aes_256_cbc(), nil, Array(key[16..<48]), vector) == 1)
        #expect(EVP_DecryptUpdate(context, &plain, &length, encrypted, Int32(encrypted.count)) == 1)
        // The padding at the end is valid only with the correct key. The state is a DER sequence.
        #expect(EVP_DecryptFinal_ex(context, &end, &length) == 1 && plain[0] == 0x30)
    }

    @Test("White space at the end of a secret is not part of it, and a file has at most 4,096 bytes")
    func secretFile() throws {
        let folder = try TemporaryDirectory()
        func count(_ end: String, of file: Int) throws -> Int {
            let text = String(repeating: "a", count: file - end.utf8.count) + end
            try folder.write(Array(text.utf8), to: "secret", mode: 0o600)
            return try TicketSecret.load(path: folder.file("secret")).bytes.count
        }
        #expect(try count("", of: 32) == 32)
        #expect(try count(" \t\r\n\u{B}\u{C}", of: 40) == 34)
        #expect(try count("\u{8}", of: 40) == 40 && count("!", of: 40) == 40)
        #expect(try count("", of: 4096) == 4096)
        #expect(throws: FileError.self) { try count("", of: 4097) }
    }

    private static let name = [
        "a3", "b7", "15", "51", "95", "a0", "92", "4", "e7", "c9", "17", "2b", "3c", "6", "f2", "a0",
    ]

    @Test("A secret that others can read or that is too short is refused")
    func badSecret() throws {
        let folder = try TemporaryDirectory()
        try folder.write(Array(repeating: 0x61, count: 31) + [0x0A], to: "secret", mode: 0o600)
        let error = #expect(throws: ExplainedFailure.self) { try TicketSecret.load(path: folder.file("secret")) }
        #expect(error?.problem.contains("is only 31 bytes long; the minimum is 32") == true)
        try folder.write(Array(repeating: 0x61, count: 32), to: "open", mode: 0o644)
        #expect(throws: FileError.readableByOthers(path: folder.file("open"), mode: "0644")) {
            try TicketSecret.load(path: folder.file("open"))
        }
    }

    /// The first 16 bytes of a ticket, which are the name of the key (RFC 5077 §4).
    private func keyName(_ session: OpaquePointer?) -> [UInt8] {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        SSL_SESSION_get0_ticket(session, &bytes, &count)
        return [UInt8](UnsafeBufferPointer(start: bytes, count: min(count, 16)))
    }
}
