import COpenSSL
import Certificates
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorTLS

@Suite("The server's TLS profile is Mozilla's intermediate one, version 5.7")
struct TLSProfileTests {
    private let hand = ManualClock(at: Clock.system.now())
    private let tickets: TicketKeys

    init() {
        tickets = TicketKeys(clock: hand.clock)
    }

    private func server(for client: Client, _ context: TLSContext) throws -> TLSSession {
        try TLSSession(context: context, descriptor: client.serverDescriptor)
    }

    @Test(
        "TLS 1.2 accepts the six suites of the profile",
        arguments: [
            ("ECDHE-ECDSA-AES128-GCM-SHA256", PrivateKey.Kind.p256), ("ECDHE-ECDSA-AES256-GCM-SHA384", .p256),
            ("ECDHE-ECDSA-CHACHA20-POLY1305", .p256), ("ECDHE-RSA-AES128-GCM-SHA256", .rsa2048),
            ("ECDHE-RSA-AES256-GCM-SHA384", .rsa2048), ("ECDHE-RSA-CHACHA20-POLY1305", .rsa2048),
        ])
    func accepted(suite: String, kind: PrivateKey.Kind) throws {
        let client = try Client(.init(most: TLS1_2_VERSION, suite: suite))
        let server = try server(
            for: client, TLSContext(identity: identity("a.test", kind: kind), tickets: tickets))
        #expect(client.handshake(server) == .done(0))
        #expect(server.cipher == suite)
    }

    @Test(
        "TLS 1.2 refuses every other suite of OpenSSL: no CBC, no CCM, no static RSA, no finite fields, no NULL",
        arguments: [PrivateKey.Kind.p256, .rsa2048])
    func refused(kind: PrivateKey.Kind) throws {
        let context = try TLSContext(identity: identity("a.test", kind: kind), tickets: tickets)
        let outside = TLSProfileTests.suites(of: "ALL:COMPLEMENTOFALL:@SECLEVEL=0")
            .subtracting(TLSContext.suites.split(separator: ":").map(String.init))
            // A client offers these suites only with a secret that it shares with the server.
            .filter { !$0.contains("PSK") && !$0.contains("SRP") }
        // The test would pass with an empty list, so this checks that OpenSSL returned its suites.
        #expect(
            outside.isSuperset(of: [
                "AES128-GCM-SHA256", "AES128-SHA", "DHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-CCM",
                "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA384",
                "ECDHE-RSA-NULL-SHA",
            ]))
        for suite in outside.sorted() {
            let client = try Client(.init(most: TLS1_2_VERSION, suite: "\(suite):@SECLEVEL=0"))
            let progress = client.handshake(try server(for: client, context))
            guard case .failed(.handshakeRefused(let code)) = progress else {
                Issue.record("\(suite): \(progress)")
                continue
            }
            #expect(ERR_GET_REASON(code) == SSL_R_NO_SHARED_CIPHER, "\(suite)")
        }
    }

    @Test(
        "TLS 1.3 has its three suites of AES-GCM and ChaCha20, and not the two of CCM",
        arguments: [
            ("TLS_AES_128_GCM_SHA256", true), ("TLS_AES_256_GCM_SHA384", true), ("TLS_CHACHA20_POLY1305_SHA256", true),
            ("TLS_AES_128_CCM_SHA256", false), ("TLS_AES_128_CCM_8_SHA256", false),
        ])
    func version13(suite: String, isAccepted: Bool) throws {
        let client = try Client(.init(least: TLS1_3_VERSION))
        #expect(SSL_set_ciphersuites(client.ssl, suite) == 1)
        let server = try server(for: client, TLSContext(identity: identity("a.test"), tickets: tickets))
        #expect((client.handshake(server) == .done(0)) == isAccepted)
    }

    @Test(
        "The server's order of protocols decides, not the client's (RFC 7301 §3.2)",
        arguments: [
            ("http/1.1 after http/1.0", ["http/1.0", "http/1.1"], "http/1.1"),
            ("http/1.1 before http/1.0", ["http/1.1", "http/1.0"], "http/1.1"),
            ("http/1.1 last of many", ["h3", "http/1.0", "h2", "http/1.1"], "http/1.1"),
            ("http/1.0 alone", ["http/1.0"], "http/1.0"), ("http/1.0 after h2", ["h2", "http/1.0"], "http/1.0"),
        ])
    func preference(rule: String, offer: [String], chosen: String) throws {
        let client = try Client(.init(protocols: offer))
        let server = try server(for: client, TLSContext(identity: identity("a.test"), tickets: tickets))
        #expect(client.handshake(server) == .done(0), "\(rule)")
        #expect(client.chosenProtocol == chosen, "\(rule)")
    }

    @Test(
        "The key exchange groups are X25519 and P-256, and no other curve",
        arguments: [("X25519", true), ("P-256", true), ("P-384", false), ("P-521", false), ("X448", false)])
    func groups(name: String, isAccepted: Bool) throws {
        // In TLS 1.2, the groups also limit the keys of ECDSA certificates.
        let context = try TLSContext(identity: identity("a.test", kind: .rsa2048), tickets: tickets)
        for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
            let client = try Client(.init(least: version, most: version, groups: name))
            let server = try server(for: client, context)
            #expect((client.handshake(server) == .done(0)) == isAccepted, "\(version)")
        }
    }

    @Test("An identity with a weak key is refused, except for a server that clients must reject")
    func weakIdentity() throws {
        let weak = try identity("a.test", kind: .rsa(bits: 1024))
        let error = #expect(throws: ExplainedFailure.self) { try TLSContext(identity: weak, tickets: tickets) }
        #expect(error?.problem.contains("refuses the certificate \"CN=a.test,O=Ultra Motivator\"") == true)
        for settings in [TLSContext.Settings.anyIdentity, .outdated] {
            #expect(throws: Never.self) { try TLSContext(identity: weak, tickets: tickets, settings: settings) }
        }
    }

    @Test("The server sends one ticket")
    func oneTicket() throws {
        let client = try Client()
        let server = try server(for: client, TLSContext(identity: identity("a.test"), tickets: tickets))
        #expect(SSL_get_num_tickets(server.pointer) == 1)
    }

    @Test("The server stores no session: without a ticket, a client of TLS 1.2 cannot resume (RFC 5246 §7.4.1.3)")
    func cache() throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        let first = try Client(.init(most: TLS1_2_VERSION))
        SSL_set_options(first.ssl, COPENSSL_OP_NO_TICKET)
        #expect(first.handshake(try server(for: first, context)) == .done(0))
        let session = first.takeSession()
        defer { SSL_SESSION_free(session) }
        var count: UInt32 = 1
        _ = SSL_SESSION_get_id(session, &count)
        #expect(count == 0, "the server must not promise resumption")
        SSL_shutdown(first.ssl)
        let second = try Client(.init(most: TLS1_2_VERSION), resuming: session)
        SSL_set_options(second.ssl, COPENSSL_OP_NO_TICKET)
        let resumed = try server(for: second, context)
        #expect(second.handshake(resumed) == .done(0))
        #expect(!resumed.isResumed)
        #expect(SSL_CTX_ctrl(context.pointer, SSL_CTRL_SESS_NUMBER, 0, nil) == 0)
    }
}

extension TLSProfileTests {
    /// Returns the names of the suites for TLS 1.2 and older that an OpenSSL cipher string selects.
    private static func suites(of list: String) -> Set<String> {
        guard let context = SSL_CTX_new(TLS_client_method()) else { return [] }
        defer { SSL_CTX_free(context) }
        SSL_CTX_set_cipher_list(context, list)
        SSL_CTX_set_ciphersuites(context, "")
        let stack = SSL_CTX_get_ciphers(context)
        return Set(
            (0..<max(OPENSSL_sk_num(stack), 0)).compactMap { index in
                OPENSSL_sk_value(stack, index).flatMap { SSL_CIPHER_get_name(OpaquePointer($0)) }.map {
                    String(cString: $0)
                }
            })
    }

    /// Performs a full handshake, and returns the session. The caller frees it.
    private func session(_ context: TLSContext, version: Int32, name: String? = nil) throws -> OpaquePointer? {
        let client = try Client(.init(least: version, most: version, name: name))
        #expect(client.handshake(try server(for: client, context)) == .done(0))
        SSL_shutdown(client.ssl)
        return client.takeSession()
    }

    private func isResumed(_ session: OpaquePointer?, _ context: TLSContext, version: Int32) throws -> Bool {
        let client = try Client(.init(least: version, most: version), resuming: session)
        let server = try server(for: client, context)
        #expect(client.handshake(server) == .done(0))
        return server.isResumed
    }

    private func ticket(_ session: OpaquePointer?) -> [UInt8] {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        SSL_SESSION_get0_ticket(session, &bytes, &count)
        return [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    }

    /// The first 16 bytes of a ticket, which are the name of its key (RFC 5077 §4).
    private func keyName(_ session: OpaquePointer?) -> [UInt8] { Array(ticket(session).prefix(16)) }

    @Test(
        "A client that keeps reconnecting resumes every time, with a new ticket in TLS 1.3 (RFC 8446 §4.6.1, appendix C.4)",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func reconnecting(version: Int32) throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        var session = try session(context, version: version)
        defer { SSL_SESSION_free(session) }
        for _ in 0..<9 {
            let client = try Client(.init(least: version, most: version), resuming: session)
            let server = try server(for: client, context)
            #expect(client.handshake(server) == .done(0))
            #expect(server.isResumed)
            SSL_shutdown(client.ssl)
            let next = client.takeSession()
            #expect((ticket(next) != ticket(session)) == (version == TLS1_3_VERSION))
            SSL_SESSION_free(session)
            session = next
        }
    }

    @Test("A ticket has a lifetime of two hours", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func lifetime(version: Int32) throws {
        let session = try session(
            TLSContext(identity: identity("a.test"), tickets: tickets), version: version)
        defer { SSL_SESSION_free(session) }
        #expect(SSL_SESSION_get_ticket_lifetime_hint(session) == 7200)
    }

    @Test("A ticket key is replaced after exactly one hour", arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func rotation(version: Int32) throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        var names: [[UInt8]] = []
        for seconds: UnixTime in [0, 3599, 1] {
            hand.advance(seconds)
            let session = try session(context, version: version)
            defer { SSL_SESSION_free(session) }
            names.append(keyName(session))
        }
        #expect(names[0].count == 16 && names[0] == names[1] && names[1] != names[2])
    }

    @Test(
        "A ticket key decrypts for exactly three hours, with and without newer keys",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION], [true, false])
    func age(version: Int32, hasNewerKeys: Bool) throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        let sessions = try (0..<2).map { _ in try session(context, version: version) }
        defer { for session in sessions { SSL_SESSION_free(session) } }
        for seconds: UnixTime in [3600, 3600, 3599] {
            hand.advance(seconds)
            if hasNewerKeys { SSL_SESSION_free(try session(context, version: version)) }
        }
        #expect(try isResumed(sessions[0], context, version: version))
        hand.advance(1)
        #expect(try !isResumed(sessions[1], context, version: version))
    }

    @Test(
        "A resumed session has the server name that its client sends", arguments: [TLS1_2_VERSION, TLS1_3_VERSION],
        ["a.test", "b.test"])
    func resumedName(version: Int32, name: String) throws {
        let other = try TLSContext(identity: identity("b.test"), tickets: tickets)
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets) { $0 == "b.test" ? other : nil }
        let session = try session(context, version: version, name: name)
        defer { SSL_SESSION_free(session) }
        let client = try Client(.init(least: version, most: version, name: name), resuming: session)
        let server = try server(for: client, context)
        #expect(client.handshake(server) == .done(0))
        #expect(server.isResumed)
        #expect(server.serverName == name)
    }

    @Test("A client of TLS 1.3 that resumes with another server name gets what belongs to that name (RFC 8446 §4.6.1)")
    func changedName() throws {
        let second = try identity("b.test")
        let other = try TLSContext(identity: second, tickets: tickets)
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets) { $0 == "b.test" ? other : nil }
        let session = try session(context, version: TLS1_3_VERSION, name: "a.test")
        defer { SSL_SESSION_free(session) }
        let client = try Client(.init(least: TLS1_3_VERSION, name: "b.test"), resuming: session)
        let server = try server(for: client, context)
        #expect(client.handshake(server) == .done(0))
        #expect(server.serverName == "b.test")
        #expect(server.isResumed || client.shown == second.certificate.der)
    }
}
