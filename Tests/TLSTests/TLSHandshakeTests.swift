import COpenSSL
import Certificates
import MotivatorPlatform
import MotivatorTLS
import Synchronization
import Testing

struct TLSHandshakeTests {
    private let tickets = TicketKeys()

    @Test(
        "TLS 1.2 and 1.3 are spoken, with either sort of key",
        arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")], [PrivateKey.Kind.p256, .rsa2048])
    func versions(version: (number: Int32, name: String), kind: PrivateKey.Kind) throws {
        let context = try TLSContext(identity: identity("a.test", kind: kind), tickets: tickets)
        let client = try Client(.init(least: version.number, most: version.number))
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect(server.protocolVersion == nil && server.version == "")
        #expect(client.handshake(server) == .done(0))
        #expect(server.version == version.name)
        #expect(server.cipher?.contains("GCM") == true || server.cipher?.contains("CHACHA20") == true)
        #expect(client.write("hello") == 5)
        #expect(server.readText() == (.done(5), "hello"))
        #expect(server.writeText("answer") == .done(6))
        #expect(client.read() == "answer")
        #expect(server.readText().0 == .wantsRead)
    }

    @Test("TLS 1.1 and older are refused", arguments: [TLS1_VERSION, TLS1_1_VERSION])
    func oldVersions(version: Int32) throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        let client = try Client(.init(least: version, most: version))
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        let progress = client.handshake(server)
        guard case .failed(.handshakeRefused) = progress else {
            Issue.record("\(progress)")
            return
        }
        #expect(!client.isEstablished)
        #expect(server.handshake() == .closed && server.readText().0 == .closed && server.closeNotify() == .closed)
    }

    @Test(
        "ALPN chooses http/1.1, is silent without an offer and refuses all else (RFC 7301 §3.2)",
        arguments: [
            ("no offer", [], nil, true), ("http/1.1 alone", ["http/1.1"], "http/1.1", true),
            ("http/1.1 behind h2", ["h2", "http/1.1"], "http/1.1", true), ("h2 alone", ["h2"], nil, false),
            ("a longer name", ["http/1.1x", "xhttp/1.1"], nil, false),
        ] as [(String, [String], String?, Bool)])
    func alpn(rule: String, offer: [String], chosen: String?, isAccepted: Bool) throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        let client = try Client(.init(protocols: offer))
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect((client.handshake(server) == .done(0)) == isAccepted, "\(rule)")
        #expect(client.chosenProtocol == chosen, "\(rule)")
        if !isAccepted { #expect(client.reason.contains("no application protocol"), "\(rule)") }
    }

    @Test("The certificate matches the server name, in any case, also after a second hello")
    func names() throws {
        let (first, second) = (try identity("a.test"), try identity("b.test"))
        let asked = Mutex<[String?]>([])
        let other = try TLSContext(identity: second, tickets: tickets)
        let context = try TLSContext(identity: first, tickets: tickets) { name in
            asked.withLock { $0.append(name) }
            return name == "b.test" ? other : nil
        }
        let cases: [(String?, String?, Identity)] = [
            (nil, nil, first), ("a.test", nil, first), ("B.Test", nil, second), ("unknown.test", nil, first),
            // The client guesses a group that the server does not support, so the server sends a HelloRetryRequest.
            ("b.test", "P-384:P-256", second),
        ]
        for (name, groups, expected) in cases {
            let client = try Client(.init(name: name, groups: groups))
            let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
            #expect(client.handshake(server) == .done(0), "\(name ?? "no name")")
            #expect(client.shown == expected.certificate.der, "\(name ?? "no name")")
            #expect(server.serverName == name?.lowercased())
        }
        #expect(asked.withLock { Array($0.prefix(4)) } == [nil, "a.test", "b.test", "unknown.test"])
    }

    @Test(
        "Only a name that a certificate is for is acknowledged (RFC 6066 §3)",
        arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func acknowledgement(version: Int32) throws {
        let other = try TLSContext(identity: identity("b.test"), tickets: tickets)
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets) { $0 == "b.test" ? other : nil }
        for (name, isAcknowledged) in [("a.test", true), ("b.test", true), ("unknown.test", false)] {
            let client = try Client(.init(least: version, most: version, name: name))
            let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
            #expect(client.handshake(server) == .done(0), "\(name)")
            let session = client.takeSession()
            defer { SSL_SESSION_free(session) }
            // A client's session contains the name only if the server acknowledged the name.
            #expect((SSL_SESSION_get0_hostname(session) != nil) == isAcknowledged, "\(name)")
        }
    }

    @Test(
        "A greeting gets the offers of the client hello, with the server name in lower case",
        arguments: [
            (TLS1_2_VERSION, [0x0303]), (TLS1_3_VERSION, [0x0304, 0x0303]),
        ] as [(Int32, [UInt16])])
    func greeting(most: Int32, versions: [UInt16]) throws {
        let hellos = Mutex<[ClientHello]>([])
        let greet: TLSContext.Greeting = { hello in
            hellos.withLock { $0.append(hello) }
            return .proceed
        }
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets, greet: greet)
        let client = try Client(.init(most: most, name: "A.Test", protocols: ["h2", "http/1.1"]))
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect(client.handshake(server) == .done(0))
        let hello = try #require(hellos.withLock { $0.first })
        #expect(hello.serverName == "a.test")
        #expect(hello.versions == versions)
        #expect(server.details.applicationProtocol == "http/1.1" && server.details.serverName == "a.test")
    }

    @Test("The details of a session have the names of the offered versions and suites")
    func details() throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets, greet: { _ in .proceed })
        let client = try Client(.init(least: TLS1_VERSION, groups: "P-256"))
        SSL_set_cipher_list(client.ssl, "ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=0")
        SSL_set_ciphersuites(client.ssl, "TLS_AES_128_GCM_SHA256")
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect(client.handshake(server) == .done(0))
        let details = server.details
        #expect(details.offeredVersions == ["TLSv1.3", "TLSv1.2", "TLSv1.1", "TLSv1.0"])
        let suites = ["TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"]
        #expect(details.offeredSuites.map { Array($0.prefix(2)) } == suites)
        #expect(details.version == "TLSv1.3" && details.cipher == "TLS_AES_128_GCM_SHA256")
        #expect(details.group == "secp256r1" && details.applicationProtocol == nil && details.serverName == nil)
        #expect(!details.isResumed)
    }

    @Test(
        "After a greeting that stalls or closes, no byte of the client continues the handshake",
        arguments: [(.stall, .wantsRead), (.close, .closed)] as [(GreetingReply, TLSProgress)])
    func unfinishedGreeting(reply: GreetingReply, progress: TLSProgress) throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets, greet: { _ in reply })
        let client = try Client()
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        SSL_do_handshake(client.ssl)
        #expect(server.handshake() == progress)
        client.sendRaw([0x16])
        #expect(server.handshake() == .closed)
    }

    @Test("A certificate that a greeting selects takes precedence over that of the server name")
    func greetingCertificate() throws {
        let (first, second) = (try identity("a.test"), try identity("b.test"))
        let named = try TLSContext(identity: first, tickets: tickets)
        let greeted = try TLSContext(identity: second, tickets: tickets)
        let context = try TLSContext(
            identity: first, tickets: tickets, choose: { _ in named },
            greet: { $0.serverName == "b.test" ? .use(greeted) : .proceed })
        for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
            for (name, shown) in [("b.test", second), ("a.test", first)] {
                let client = try Client(.init(least: version, most: version, name: name))
                let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
                #expect(client.handshake(server) == .done(0), "\(name)")
                #expect(client.shown == shown.certificate.der, "\(name)")
            }
        }
    }

    @Test(
        "If a greeting selects outdated settings, the server accepts TLS 1.0 and 1.1, and no later version",
        arguments: [(TLS1_VERSION, true), (TLS1_1_VERSION, true), (TLS1_2_VERSION, false), (TLS1_3_VERSION, false)])
    func outdatedGreeting(version: Int32, isAccepted: Bool) throws {
        let old = try TLSContext(identity: identity("b.test"), tickets: tickets, settings: .outdated)
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets, greet: { _ in .use(old) })
        let client = try Client(.init(least: version, most: version))
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect((client.handshake(server) == .done(0)) == isAccepted)
        #expect(server.protocolVersion == (isAccepted ? TLSVersion.outdated : nil))
    }

    @Test("A session outlives the context that was chosen for it")
    func reload() throws {
        let fresh = try identity("b.test")
        let tickets = tickets
        // The closure creates the new context. Only the session retains that context.
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets) { _ in
            try? TLSContext(identity: fresh, tickets: tickets)
        }
        let client = try Client(.init(name: "b.test"))
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect(client.handshake(server) == .done(0))
        #expect(client.shown == fresh.certificate.der)
        #expect(client.write("still here") == 10)
        #expect(server.readText().1 == "still here")
    }

    @Test("The intermediate is shown with the certificate, the root is not")
    func chain() throws {
        let (rootKey, key) = (try PrivateKey.generate(.p256), try PrivateKey.generate(.p256))
        let now = Clock.system.now()
        func authority(_ name: String) -> CertificateDraft {
            CertificateDraft(
                organization: nil, commonName: name, notBefore: now - 60, notAfter: now + 86_400,
                extensions: [.init("basicConstraints", "CA:TRUE", isCritical: true)])
        }
        let root = try authority("Root").signed(for: rootKey, issuer: nil, issuerKey: rootKey)
        let middle = try authority("Middle").signed(for: key, issuer: root, issuerKey: rootKey)
        var draft = try CertificateDraft.server(
            [SubjectName("a.test")], kind: .p256, notBefore: now - 60, notAfter: now + 60)
        draft.extensions.removeAll { $0.name == "authorityKeyIdentifier" }
        let leaf = try draft.signed(for: key, issuer: middle, issuerKey: key)
        let context = try TLSContext(
            identity: Identity(certificate: leaf, key: key, chain: [middle, root]), tickets: tickets)
        let client = try Client()
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect(client.handshake(server) == .done(0))
        #expect(OPENSSL_sk_num(SSL_get_peer_cert_chain(client.ssl)) == 2)
    }

    @Test("A key that does not belong to the certificate is refused")
    func mismatch() throws {
        let (one, other) = (try identity("a.test"), try identity("b.test"))
        let wrong = Identity(certificate: one.certificate, key: other.key, chain: [])
        #expect(throws: ExplainedFailure.self) { try TLSContext(identity: wrong, tickets: tickets) }
    }

    @Test(
        "Plain HTTP on the TLS port is recognized, and nothing is written to the client",
        arguments: ["GET / HTTP/1.1\r\n\r\n", "DELETE /x HTTP/1.1\r\n\r\n", "g", "CONNECT a.test:443 HTTP/1.1\r\n\r\n"])
    func plain(request: String) throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        let client = try Client()
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect(server.handshake() == .wantsRead)
        client.sendRaw(Array(request.utf8))
        #expect(server.handshake() == .failed(.plainHTTP))
        var bytes: [UInt8] = [0]
        #expect(MotivatorPlatform.read(client.descriptor, &bytes, 1) == -1 && errno == EAGAIN)
    }

    @Test(
        "A first byte that is an ASCII letter starts plain HTTP, and no other byte does",
        arguments: [
            ("@", false), ("A", true), ("Z", true), ("[", false), ("`", false), ("a", true), ("z", true), ("{", false),
        ])
    func firstByte(byte: String, isPlainHTTP: Bool) throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        let client = try Client()
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        client.sendRaw(Array("\(byte)123456789".utf8))
        #expect((server.handshake() == .failed(.plainHTTP)) == isPlainHTTP)
    }

    @Test("Bytes that are not a ClientHello are refused with a reason")
    func garbage() throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        let inputs: [[UInt8]] = [
            [0x16, 0x03, 0x01, 0x00, 0x04, 0xFF, 0xFF, 0xFF, 0xFF], [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06],
            [0x80, 0x09, 0x01, 0x00, 0x02, 0x00, 0x15, 0x00, 0x00, 0x00, 0x10],
            [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28],
        ]
        for input in inputs {
            let client = try Client()
            let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
            client.sendRaw(input)
            #expect(server.handshake() == .failed(.noClientHello), "\(input)")
            #expect(ERR_peek_error() == 0)
        }
    }

    @Test("A malformed ClientHello is refused with OpenSSL's reason")
    func malformed() throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        let client = try Client()
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        client.sendRaw([0x16, 0x03, 0x01, 0x00, 0x04, 0x01, 0x00, 0x00, 0x00])
        let progress = server.handshake()
        guard case .failed(.handshakeRefused(let code)) = progress else {
            Issue.record("\(progress)")
            return
        }
        #expect(code != 0 && !TLSFailure.handshakeRefused(code: code).reason.isEmpty)
        #expect(ERR_peek_error() == 0)
    }

    @Test("A client that leaves before its first byte has closed; one that leaves in the middle is a failure")
    func leaving() throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: tickets)
        for (sent, expected) in [([], .closed), ([0x16, 0x03], .failed(.truncated))] as [([UInt8], TLSProgress)] {
            let client = try Client()
            let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
            client.sendRaw(sent)
            client.hangUp()
            #expect(server.handshake() == expected)
        }
    }
}
