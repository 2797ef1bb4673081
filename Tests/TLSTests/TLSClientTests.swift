import COpenSSL
import Certificates
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorTLS

@Suite("The client's side of TLS: it verifies nothing and hands out what was served")
struct TLSClientTests {
    /// Both ends in a single thread, connected by a socket pair.
    private final class Pair {
        let client: TLSSession
        let server: TLSSession
        let clientSocket: FileDescriptor
        let serverSocket: FileDescriptor

        enum Trouble: Error { case noSocket }

        init(_ identity: Identity, name: String? = "a.test") throws {
            var pair: [Int32] = [0, 0]
            guard socketpair(AF_UNIX, SocketCalls.stream, 0, &pair) == 0 else { throw Trouble.noSocket }
            for number in pair { _ = fcntl(number, F_SETFL, O_NONBLOCK) }
            clientSocket = FileDescriptor(owning: pair[0])
            serverSocket = FileDescriptor(owning: pair[1])
            client = try TLSSession(client: TLSClientContext(), descriptor: pair[0], serverName: name)
            server = try TLSSession(
                context: TLSContext(identity: identity, tickets: TicketKeys()), descriptor: pair[1])
        }

        /// Drives both ends in turn until both complete the handshake or one fails.
        func handshake() -> (client: TLSProgress, server: TLSProgress) {
            var last = (client: TLSProgress.wantsRead, server: TLSProgress.wantsRead)
            for _ in 0..<10 where last.client == .wantsRead || last.server == .wantsRead {
                last = (client.handshake(), server.handshake())
            }
            return last
        }
    }

    @Test("A handshake reports version, suite, protocol and chain")
    func handshake() throws {
        let identity = try identity("a.test")
        let pair = try Pair(identity)
        #expect(pair.handshake() == (.done(0), .done(0)))
        #expect(pair.client.version == "TLSv1.3" && pair.client.cipher?.hasPrefix("TLS_") == true)
        #expect(pair.client.applicationProtocol == "http/1.1")
        #expect(pair.client.servedChain == [identity.certificate])
        #expect(pair.server.serverName == "a.test")
        #expect(pair.client.outdatedVersion == nil && pair.client.foreignBytes == [])
    }

    @Test("Without a name, no SNI is sent, and a name that is too long is rejected")
    func names() throws {
        let pair = try Pair(identity("a.test"), name: nil)
        #expect(pair.handshake().server == .done(0))
        #expect(pair.server.serverName == nil)
        #expect(throws: ExplainedFailure.self) {
            try Pair(identity("a.test"), name: String(repeating: "a", count: 256))
        }
    }

    @Test("Reading and writing go both ways, and end with close_notify")
    func conversation() throws {
        let pair = try Pair(identity("a.test"))
        _ = pair.handshake()
        #expect(pair.client.writeText("question") == .done(8))
        #expect(pair.server.readText() == (.done(8), "question"))
        #expect(pair.server.writeText("answer") == .done(6))
        #expect(pair.client.readText() == (.done(6), "answer"))
        #expect(pair.client.readText().0 == .wantsRead)
        _ = pair.server.closeNotify()
        #expect(pair.client.readText().0 == .closed)
    }

    @Test("The client offers TLS 1.2 and 1.3 without finite-field Diffie-Hellman, and never renegotiates")
    func offer() throws {
        let pair = try Pair(identity("a.test"))
        let (stack, pointer) = (SSL_get_ciphers(pair.client.pointer), pair.client.pointer)
        let suites = (0..<max(OPENSSL_sk_num(stack), 0)).compactMap { index in
            OPENSSL_sk_value(stack, index).flatMap { SSL_CIPHER_get_name(OpaquePointer($0)) }.map {
                String(cString: $0)
            }
        }
        #expect(suites.contains("ECDHE-RSA-AES128-GCM-SHA256") && suites.contains("AES128-SHA"))
        // OpenSSL offers suites with a pre-shared key only if a key exists.
        #expect(!suites.contains { $0.hasPrefix("DHE-") && !$0.hasPrefix("DHE-PSK-") })
        #expect(SSL_ctrl(pointer, SSL_CTRL_GET_MIN_PROTO_VERSION, 0, nil) == Int(TLS1_2_VERSION))
        #expect(SSL_ctrl(pointer, SSL_CTRL_GET_MAX_PROTO_VERSION, 0, nil) == Int(TLS1_3_VERSION))
        let options = SSL_get_options(pointer)
        #expect(options & COPENSSL_OP_NO_RENEGOTIATION != 0 && options & COPENSSL_OP_LEGACY_SERVER_CONNECT != 0)
        #expect(SSL_get_security_level(pointer) == 0)
    }

    @Test(
        "A server hello with an outdated version is reported by its name",
        arguments: [(0x0300, "SSLv3"), (0x0301, "TLSv1"), (0x0302, "TLSv1.1"), (0x0303, nil)] as [(Int, String?)])
    func outdated(version: Int, name: String?) throws {
        let pair = try Pair(identity("a.test"))
        #expect(pair.client.handshake() == .wantsRead)
        // RFC 5246 §7.4.1.3: the version, 32 random bytes, no session, ECDHE-RSA-AES128-SHA, and no compression.
        let number = [UInt8(version >> 8), UInt8(version & 0xFF)]
        let hello = number + [UInt8](repeating: 7, count: 32) + [0, 0xC0, 0x13, 0]
        let message = [2, 0, 0, UInt8(hello.count)] + hello
        let record = [0x16, 3, 1, 0, UInt8(message.count)] + message
        try #require(write(pair.serverSocket.number, record, record.count) == record.count)
        let end = pair.client.handshake()
        #expect(pair.client.outdatedVersion == name)
        guard name != nil else { return }
        guard case .failed(let failure) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(failure.isAboutVersion)
    }

    @Test(
        "A server without a common version is distinguished from other refusals", arguments: [(70, true), (40, false)])
    func versionAlert(description: UInt8, isAboutVersion: Bool) throws {
        let pair = try Pair(identity("a.test"))
        #expect(pair.client.handshake() == .wantsRead)
        let alert: [UInt8] = [0x15, 3, 3, 0, 2, 2, description]
        try #require(write(pair.serverSocket.number, alert, alert.count) == alert.count)
        guard case .failed(let failure) = pair.client.handshake() else {
            Issue.record("The handshake continues after the alert.")
            return
        }
        #expect(failure.isAboutVersion == isAboutVersion)
        #expect(!TLSFailure.truncated.isAboutVersion)
    }

    @Test(
        "Bytes that begin no record are left in the socket (RFC 8446 §5.1)",
        arguments: ["HTTP/1.1 400", "SSH-2.0", String(repeating: "long ", count: 20)])
    func foreign(text: String) throws {
        let pair = try Pair(identity("a.test"))
        #expect(pair.client.handshake() == .wantsRead)
        _ = text.withCString { write(pair.serverSocket.number, $0, text.utf8.count) }
        #expect(pair.client.handshake() == .failed(.notTLS))
        #expect(pair.client.foreignBytes == Array(text.utf8.prefix(64)))
        var left = [UInt8](repeating: 0, count: 128)
        #expect(read(pair.clientSocket.number, &left, left.count) == text.utf8.count)
    }

    @Test("One call reads a limited number of bytes (RFC 5246 §7.4.1.1)")
    func budget() throws {
        let pair = try Pair(identity("a.test"))
        #expect(pair.client.handshake() == .wantsRead)
        let ignored = Array(repeatElement([0x16, 3, 3, 0, 4, 0, 0, 0, 0] as [UInt8], count: 20_000).joined())
        // As many messages as fit into the socket. OpenSSL skips each message without a response.
        let sent = write(pair.serverSocket.number, ignored, ignored.count)
        try #require(sent > 100 << 10)
        #expect(pair.client.handshake() == .wantsRead)
        var left: Int32 = 0
        _ = ioctl(pair.clientSocket.number, UInt(FIONREAD), &left)
        #expect(Int(left) == sent - (64 << 10))
    }

    @Test("Each call has its own limit, so that a long response is read to its end")
    func manyCalls() throws {
        let pair = try Pair(identity("a.test"))
        _ = pair.handshake()
        let part = String(repeating: "x", count: 4096)
        // The total is more than twice the limit of a single call.
        for _ in 0..<40 {
            try #require(pair.server.writeText(part) == .done(4096))
            try #require(pair.client.readText() == (.done(4096), part))
        }
    }

    @Test("An alert as the first record is a refusal and no other protocol (RFC 8446 §5.1)")
    func alert() throws {
        let pair = try Pair(identity("a.test"))
        #expect(pair.client.handshake() == .wantsRead)
        // handshake_failure, fatal (RFC 8446 §6.2).
        let alert: [UInt8] = [0x15, 3, 3, 0, 2, 2, 40]
        try #require(write(pair.serverSocket.number, alert, alert.count) == alert.count)
        let end = pair.client.handshake()
        guard case .failed(.handshakeRefused) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(pair.client.foreignBytes == [])
    }

    @Test("A closed peer is a result, not a signal")
    func gone() throws {
        let pair = try Pair(identity("a.test"))
        _ = pair.handshake()
        // The socket stays open, so that no other test gets its number.
        shutdown(pair.serverSocket.number, Int32(SHUT_RDWR))
        // The peer sent bytes before it closed. They are still readable, so writing succeeds.
        #expect(pair.client.writeText("question") == .done(8))
        #expect(pair.client.readText().0 == .failed(.truncated))
        #expect(pair.client.readText().0 == .closed)
    }

    @Test("A server that closes in the handshake cuts it")
    func cut() throws {
        let pair = try Pair(identity("a.test"))
        #expect(pair.client.handshake() == .wantsRead)
        shutdown(pair.serverSocket.number, Int32(SHUT_WR))
        #expect(pair.client.handshake() == .failed(.truncated))
        #expect(pair.client.servedChain == [])
    }

    @Test(
        "A reset during a write is reported as a reset, after the bytes that the server sent before it",
        arguments: [
            ("", .system(ECONNRESET)), ("HTTP/1.1 400 Bad Request\r\n", .notTLS),
        ] as [(String, TLSFailure)])
    func reset(response: String, failure: TLSFailure) throws {
        // Only TCP supports resets.
        let listener = FileDescriptor(owning: SocketCalls.socket(AF_INET))
        var address = try #require(SocketAddress("127.0.0.1", port: 0))
        try #require(address.withSystemAddress { bind(listener.number, $0, $1) } == 0)
        try #require(listen(listener.number, 1) == 0)
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener.number, $0, &length) }
        }
        try #require(status == 0)
        address = try #require(SocketAddress(storage))
        let socket = try address.connect(seconds: 20)
        let accepted = accept(listener.number, nil, nil)
        try #require(write(accepted, response, response.utf8.count) == response.utf8.count)
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(accepted, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close(accepted)
        // Wait until the reset arrives.
        try #require(ProgressLimit.wait(for: 0, on: socket.number) != nil)
        let client = try TLSSession(client: TLSClientContext(), descriptor: socket.number, serverName: "a.test")
        #expect(client.handshake() == .failed(failure))
        #expect(client.handshake() == .closed)
    }

    @Test("A server that only updates keys is disconnected, and tickets are not a flood (RFC 8446 §4.6)")
    func keyUpdates() throws {
        let pair = try Pair(identity("a.test"))
        _ = pair.handshake()
        #expect(SSL_new_session_ticket(pair.server.pointer) == 1 && SSL_do_handshake(pair.server.pointer) == 1)
        for _ in 0..<RecordCount.limit - 2 { try updateKeys(pair) }
        #expect(pair.server.writeText("answer") == .done(6))
        #expect(pair.client.readText() == (.done(6), "answer"))
        for _ in 0..<200 { try updateKeys(pair) }
        #expect(pair.client.readText().0 == .failed(.tooManyRecordsWithoutData))
        #expect(pair.client.readText().0 == .closed)
    }

    @Test(
        "A chain of more than 100 KiB is refused, and a shorter one is accepted",
        arguments: [(98, true), (103, false)])
    func longChain(kibibytes: Int, isTaken: Bool) throws {
        // A single certificate with a long comment replaces a long chain, because OpenSSL limits the total size.
        let key = try PrivateKey.generate(.p256)
        let now = Clock.system.now()
        let comment = String(repeating: "x", count: kibibytes << 10)
        let issuer = try CertificateDraft(
            organization: nil, commonName: "Long", notBefore: now - 60, notAfter: now + 86_400,
            extensions: [.init("nsComment", comment)]
        ).signed(for: key, issuer: nil, issuerKey: try PrivateKey.generate(.p256))
        let leaf = try identity("a.test")
        let pair = try Pair(Identity(certificate: leaf.certificate, key: leaf.key, chain: [issuer]))
        let end = pair.handshake().client
        if isTaken {
            #expect(end == .done(0))
            #expect(pair.client.servedChain == [leaf.certificate, issuer])
        } else {
            guard case .failed(.handshakeRefused(let code)) = end else {
                Issue.record("\(end)")
                return
            }
            #expect(ERR_GET_REASON(code) == SSL_R_EXCESSIVE_MESSAGE_SIZE)
            #expect(pair.client.servedChain == [])
        }
    }

    private func updateKeys(_ pair: Pair) throws {
        try #require(SSL_key_update(pair.server.pointer, SSL_KEY_UPDATE_REQUESTED) == 1)
        try #require(SSL_do_handshake(pair.server.pointer) == 1)
    }
}
