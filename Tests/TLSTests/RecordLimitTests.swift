import COpenSSL
import Certificates
import MotivatorPlatform
import Testing

@testable import MotivatorTLS

@Suite("Records without application data are limited") struct RecordLimitTests {
    private let context: TLSContext

    init() throws {
        context = try TLSContext(identity: identity("a.test"), tickets: TicketKeys())
    }

    private func connected(_ wishes: Client.Wishes = .init()) throws -> (Client, TLSSession) {
        let client = try Client(wishes)
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor)
        #expect(client.handshake(server) == .done(0))
        return (client, server)
    }

    /// Writes key updates (RFC 8446 §4.6.3), with one record per update.
    private func updateKeys(_ ssl: OpaquePointer, _ count: Int, isRequested: Bool) throws {
        for _ in 0..<count {
            try #require(
                SSL_key_update(ssl, isRequested ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED) == 1)
            try #require(SSL_do_handshake(ssl) == 1)
        }
    }

    private func unread(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        _ = ioctl(descriptor, UInt(FIONREAD), &count)
        return Int(count)
    }

    @Test(
        "32 key updates in a row are processed, and application data starts the count again", arguments: [true, false])
    func allowed(isRequested: Bool) throws {
        let (client, server) = try connected(.init(least: TLS1_3_VERSION))
        for _ in 0..<3 {
            try updateKeys(client.ssl, RecordCount.limit, isRequested: isRequested)
            #expect(client.write("hello") == 5)
            #expect(server.readText() == (.done(5), "hello"))
            #expect(server.readText().0 == .wantsRead)
            #expect(server.writeText("response") == .done(8))
            #expect(client.read() == "response")
        }
    }

    @Test(
        "More key updates in a row end the session, in one call or in many", arguments: [true, false], [1, 5, 200])
    func refused(isRequested: Bool, step: Int) throws {
        let (client, server) = try connected(.init(least: TLS1_3_VERSION))
        var written = 0
        var progress = TLSProgress.wantsRead
        while progress == .wantsRead, written < 200 {
            try updateKeys(client.ssl, step, isRequested: isRequested)
            written += step
            progress = server.readText().0
        }
        #expect(progress == .failed(.tooManyRecordsWithoutData))
        #expect(written <= max(RecordCount.limit + 2 * step, step))
        #expect(server.readText().0 == .closed && server.writeText("x") == .closed && !server.hasPending)
        #expect(ERR_peek_error() == 0)
    }

    @Test("The server responds to key updates, up to the limit")
    func answered() throws {
        let (client, server) = try connected(.init(least: TLS1_3_VERSION))
        let before = unread(client.descriptor)
        try updateKeys(client.ssl, 200, isRequested: true)
        #expect(server.readText().0 == .failed(.tooManyRecordsWithoutData))
        // Each response is one record: header, message, inner type, tag. OpenSSL writes the last one with the next
        // data.
        let responses = (unread(client.descriptor) - before) / (5 + 5 + 1 + 16)
        #expect(responses == RecordCount.limit || responses == RecordCount.limit + 1)
    }

    @Test("Waiting does not count as a record")
    func waiting() throws {
        let (client, server) = try connected(.init(least: TLS1_3_VERSION))
        for _ in 0..<200 { #expect(server.readText().0 == .wantsRead) }
        try updateKeys(client.ssl, RecordCount.limit, isRequested: false)
        for _ in 0..<200 { #expect(server.readText().0 == .wantsRead) }
        #expect(client.write("hello") == 5)
        #expect(server.readText() == (.done(5), "hello"))
    }

    @Test("After a key update, the application data after it is read by the same call")
    func mixed() throws {
        let (client, server) = try connected(.init(least: TLS1_3_VERSION))
        try updateKeys(client.ssl, 1, isRequested: true)
        #expect(client.write("first") == 5)
        #expect(server.readText() == (.done(5), "first"))
        try updateKeys(client.ssl, 1, isRequested: true)
        #expect(server.readText().0 == .wantsRead)
    }

    @Test("Each call reads until the socket is empty or data came, also when the records come one by one")
    func single() throws {
        let (client, server) = try connected(.init(least: TLS1_3_VERSION))
        for _ in 0..<4 {
            for _ in 0..<3 {
                try updateKeys(client.ssl, 1, isRequested: true)
                #expect(server.readText().0 == .wantsRead)
                // The call must consume the whole key update. The poller would not announce the remaining bytes.
                #expect(!server.hasPending && unread(server.socket.descriptor) == 0)
            }
            #expect(client.write("data") == 4)
            #expect(server.readText() == (.done(4), "data"))
        }
    }

    @Test("A record that arrives in parts is one record")
    func parts() throws {
        let (client, server) = try connected(.init(most: TLS1_2_VERSION, suite: RecordForge.suite))
        var forge = try #require(RecordForge(client))
        let record = forge.record(SSL3_RT_APPLICATION_DATA, Array("hello".utf8))
        for byte in record.dropLast() {
            client.sendRaw([byte])
            #expect(server.readText().0 == .wantsRead)
        }
        client.sendRaw([record[record.count - 1]])
        #expect(server.readText() == (.done(5), "hello"))
    }

    @Test(
        "Records of TLS 1.2 that OpenSSL ignores end the session as well",
        arguments: [
            // A HelloRequest for renegotiation: OpenSSL sends a warning and continues reading.
            ("client hellos", [(SSL3_RT_HANDSHAKE, [1, 0, 0, 0])], true),
            ("warnings", [(SSL3_RT_ALERT, [1, 90])], false),
            ("empty records", [(SSL3_RT_APPLICATION_DATA, [])], false),
            (
                "empty records and client hellos",
                [(SSL3_RT_APPLICATION_DATA, []), (SSL3_RT_HANDSHAKE, [1, 0, 0, 0])], true
            ),
            ("warnings and client hellos", [(SSL3_RT_ALERT, [1, 90]), (SSL3_RT_HANDSHAKE, [1, 0, 0, 0])], true),
        ] as [(String, [(Int32, [UInt8])], Bool)])
    func ignored(name: String, kinds: [(Int32, [UInt8])], isOurLimit: Bool) throws {
        let (client, server) = try connected(.init(most: TLS1_2_VERSION, suite: RecordForge.suite))
        var forge = try #require(RecordForge(client))
        var sent = 0
        var progress = TLSProgress.wantsRead
        while progress == .wantsRead, sent < 200 {
            let (type, content) = kinds[sent % kinds.count]
            client.sendRaw(forge.record(type, content))
            sent += 1
            progress = server.readText().0
        }
        guard case .failed(let failure) = progress else {
            Issue.record("\(name): \(progress)")
            return
        }
        // OpenSSL has its own limits for consecutive records of a type. Those limits are not higher.
        #expect((failure == .tooManyRecordsWithoutData) == isOurLimit, "\(name): \(failure.reason)")
        #expect(sent <= RecordCount.limit + 2, "\(name)")
    }

    @Test("A flood in one piece costs one call, and the rest of it is not processed")
    func flood() throws {
        let (client, server) = try connected(.init(most: TLS1_2_VERSION, suite: RecordForge.suite))
        var forge = try #require(RecordForge(client))
        var bytes: [UInt8] = []
        for _ in 0..<2_000 { bytes += forge.record(SSL3_RT_HANDSHAKE, [1, 0, 0, 0]) }
        client.sendRaw(bytes)
        #expect(server.readText().0 == .failed(.tooManyRecordsWithoutData))
        // One warning per hello: header, nonce, alert, tag.
        #expect(unread(client.descriptor) == (RecordCount.limit + 1) * (5 + 8 + 2 + 16))
    }

    @Test("After a rejected renegotiation, the session continues (RFC 5746 §4.5)")
    func refusedRenegotiation() throws {
        let (client, server) = try connected(.init(most: TLS1_2_VERSION, suite: RecordForge.suite))
        var forge = try #require(RecordForge(client))
        client.sendRaw(forge.record(SSL3_RT_HANDSHAKE, [1, 0, 0, 0]))
        client.sendRaw(forge.record(SSL3_RT_APPLICATION_DATA, Array("hello".utf8)))
        #expect(server.readText() == (.done(5), "hello"))
        #expect(server.writeText("response") == .done(8))
        let options = SSL_get_options(server.pointer)
        #expect(options & COPENSSL_OP_NO_RENEGOTIATION != 0 && options & COPENSSL_OP_CLIENT_RENEGOTIATION == 0)
    }

    @Test("OpenSSL returns after each record, on either side")
    func modes() throws {
        let (_, server) = try connected()
        let modes = SSL_ctrl(server.pointer, SSL_CTRL_MODE, 0, nil)
        #expect(modes & Int(SSL_MODE_AUTO_RETRY) == 0)
        // An idle session has no buffers. A single system call reads the header and body of a record.
        #expect(modes & Int(SSL_MODE_RELEASE_BUFFERS) != 0 && SSL_get_read_ahead(server.pointer) == 1)
        let client = SSL_CTX_ctrl(try TLSClientContext().pointer, SSL_CTRL_MODE, 0, nil)
        #expect(client & Int(SSL_MODE_AUTO_RETRY) == 0)
    }
}
