import COpenSSL
import Certificates
import FuzzSupport
import MotivatorPlatform

@testable import MotivatorTLS

/// The state that all inputs share, created for the first input: a P-256 key, a certificate, and the contexts.
private struct Fixture: Sendable {
    let server: TLSContext
    let client: TLSClientContext

    static let shared: Fixture = {
        signal(SIGPIPE, SIG_IGN)
        do {
            let key = try PrivateKey.generate(.p256)
            let now = Clock.system.now()
            var draft = try CertificateDraft.server(
                [SubjectName("localhost")], kind: .p256, notBefore: now - 60, notAfter: now + 86_400)
            // A self-signed certificate has no separate issuer key to identify.
            draft.extensions.removeAll { $0.name == "authorityKeyIdentifier" }
            let certificate = try draft.signed(for: key, issuer: nil, issuerKey: key)
            let identity = Identity(certificate: certificate, key: key, chain: [])
            return Fixture(
                server: try TLSContext(identity: identity, tickets: TicketKeys()), client: try TLSClientContext())
        } catch {
            fatalError("\(error)")
        }
    }()
}

/// The first bytes that a client sends, recorded once.
enum Recorded {
    private static let tls13 = make(mode: 0)
    private static let tls12 = make(mode: 2)

    static func hello(_ mode: UInt8) -> [UInt8] { mode & 2 == 0 ? tls13 : tls12 }

    private static func make(mode: UInt8) -> [UInt8] {
        guard let nothing = Tampering([0, 0, 0, 0]) else { fatalError("the tampering is invalid") }
        let line = SocketPair()
        defer { line.close() }
        ClientSide(line.second, nothing, mode: mode).step()
        let hello = line.receive()
        require(hello.count > 100, "the client sent no hello")
        return hello
    }
}

/// The server's session, driven as in the event loop.
final class ServerSide {
    private let session: TLSSession
    private var isEstablished = false
    private var hasFailed = false
    private(set) var hasEnded = false
    private(set) var received: [UInt8] = []
    private var written = 0

    init(_ descriptor: Int32) {
        guard let session = try? TLSSession(context: Fixture.shared.server, descriptor: descriptor) else {
            fatalError("cannot create a session")
        }
        self.session = session
    }

    /// Reads until no more data is available.
    func step() {
        guard !hasEnded else { return }
        if !isEstablished {
            note(session.handshake())
            guard !hasEnded, session.protocolVersion != nil else { return }
            isEstablished = true
            require(session.handshake() == .done(0), "an established session repeats its handshake")
            require(["TLSv1.2", "TLSv1.3"].contains(session.version), "version \(session.version)")
            require(session.cipher != nil, "an established session has no cipher")
        }
        var calls = 0
        while !hasEnded {
            calls += 1
            require(calls < 1000, "the session never waits")
            var progress = TLSProgress.wantsRead
            let piece = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                progress = session.read(into: UnsafeMutableRawBufferPointer(buffer))
                count = if case .done(let got) = progress { got } else { 0 }
            }
            received += piece
            if case .done = progress {
                require(!piece.isEmpty, "a read returned no bytes")
                respond()
                continue
            }
            note(progress)
            return
        }
    }

    /// Responds to the first reads, so that both directions are used.
    private func respond() {
        guard written < 3 else { return }
        written += 1
        note([UInt8](repeating: 0x2A, count: 100).withUnsafeBytes { session.write($0) })
    }

    private func note(_ progress: TLSProgress) {
        switch progress {
        case .closed: hasEnded = true
        case .failed(let failure):
            hasEnded = true
            hasFailed = true
            require(!failure.reason.isEmpty, "a failure has no explanation")
        case .done, .wantsRead, .wantsWrite: break
        }
    }

    /// Ends the peer's side. The session must detect the end, and stay ended after any call.
    func finish() {
        var calls = 0
        while !hasEnded {
            calls += 1
            require(calls < 100, "the session does not detect the end of the stream")
            step()
        }
        let last = session.closeNotify()
        if case .done = last { require(isEstablished, "a session without a handshake sends close_notify") }
        for _ in 0..<2 {
            var bytes: [UInt8] = [0]
            let progress = bytes.withUnsafeMutableBytes { session.read(into: $0) }
            if case .done = progress { fatalError("an ended session still reads") }
            require(progress == .closed || !hasFailed, "a failed session is used again: \(progress)")
        }
    }
}

/// A real client.
final class ClientSide {
    private let session: TLSSession
    private let tampering: Tampering
    private let renegotiates: Bool
    private let closes: Bool
    private var isEstablished = false
    private var hasEnded = false
    private var updates = 0
    private var writes = 0
    private(set) var sent: [UInt8] = []

    /// Whether the client takes no action that makes the server end the session.
    var isPlain: Bool { updates == 0 && !renegotiates }

    /// Creates a client. The bits of the mode: 2 TLS 1.2, 4 TLS 1.2 renegotiation, 8 close_notify, 16 small fragments.
    init(_ descriptor: Int32, _ tampering: Tampering, mode: UInt8) {
        let context = Fixture.shared.client
        guard let session = try? TLSSession(client: context, descriptor: descriptor, serverName: "localhost") else {
            fatalError("cannot create a client")
        }
        self.session = session
        self.tampering = tampering
        renegotiates = mode & 6 == 6
        closes = mode & 8 != 0
        if mode & 2 != 0 { SSL_ctrl(session.pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil) }
        if renegotiates { SSL_clear_options(session.pointer, COPENSSL_OP_NO_RENEGOTIATION) }
        if mode & 16 != 0 { SSL_ctrl(session.pointer, SSL_CTRL_SET_MAX_SEND_FRAGMENT, 512, nil) }
    }

    /// Continues the handshake, and then writes a key update or data in each step.
    func step() {
        guard !hasEnded else { return }
        if !isEstablished {
            note(session.handshake())
            guard !hasEnded, session.protocolVersion != nil else { return }
            isEstablished = true
        }
        var bytes = [UInt8](repeating: 0, count: 1024)
        note(bytes.withUnsafeMutableBytes { session.read(into: $0) })
        guard !hasEnded else { return }
        if writes == 1, updates < tampering.keyUpdates {
            updates += 1
            SSL_key_update(session.pointer, updates & 1 == 0 ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED)
            note(progressOfHandshake())
            return
        }
        switch writes {
        case 0: write(Array("GET / HTTP/1.1\r\n".utf8))
        case 1: write(Array("Host: localhost\r\n\r\n".utf8))
        case 2: write(tampering.garbage.isEmpty ? [0] : tampering.garbage)
        case 3 where renegotiates:
            SSL_renegotiate(session.pointer)
            note(progressOfHandshake())
            ERR_clear_error()
        case 3 where closes:
            _ = session.closeNotify()
            hasEnded = true
        case _: return
        }
        writes += 1
    }

    /// Sends a handshake message that OpenSSL has prepared.
    private func progressOfHandshake() -> TLSProgress {
        session.channel?.startCall()
        ERR_clear_error()
        return SSL_do_handshake(session.pointer) == 1 ? .done(0) : .wantsRead
    }

    private func write(_ bytes: [UInt8]) {
        let progress = bytes.withUnsafeBytes { session.write($0) }
        if case .done(let count) = progress { sent += bytes.prefix(count) }
        note(progress)
    }

    private func note(_ progress: TLSProgress) {
        switch progress {
        case .closed, .failed: hasEnded = true
        case .done, .wantsRead, .wantsWrite: break
        }
    }
}
