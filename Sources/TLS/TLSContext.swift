import COpenSSL
package import Certificates
package import MotivatorPlatform

/// A context for server sessions with one certificate. It sets the versions, suites and keys, and owns its OpenSSL
/// object.
///
/// It follows Mozilla's intermediate profile for TLS 1.2 and 1.3. To change a certificate, use a new context for new
/// connections. A session retains its context.
// OpenSSL counts references to a context atomically. After setup, sessions only read it; see openssl-threads(7).
@safe package final class TLSContext: @unchecked Sendable {
    /// Selects the context for a server name. The name is in lower case, and nil if the client sent none. A nil result
    /// keeps the current context. Handshake threads call this function concurrently, with any name that a client sends.
    package typealias Choice = @Sendable (String?) -> TLSContext?
    /// Decides how a handshake continues after the client hello. Handshake threads call this function concurrently.
    package typealias Greeting = @Sendable (ClientHello) -> GreetingReply

    package enum Settings: Sendable {
        /// Mozilla's intermediate profile, which also checks the strength of the identity.
        case intermediate
        /// The intermediate profile with an identity of any strength, for a certificate that clients must reject.
        case anyIdentity
        /// TLS 1.0 and 1.1 with old suites, for a server that clients must reject.
        case outdated
    }

    /// The suites for TLS 1.2: ECDHE and AEAD only (Mozilla, server side TLS, intermediate, version 5.7).
    static let suites =
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
        + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
    /// The key exchange groups. The first list has a hybrid post-quantum group, which requires OpenSSL 3.5.
    static let groups = ["X25519MLKEM768:X25519:P-256", "X25519:P-256"]

    package let pointer: OpaquePointer
    let tickets: TicketKeys
    let choose: Choice?
    let greet: Greeting?
    let settings: Settings
    let certificate: Certificate

    /// Creates the settings.
    /// - Parameters:
    ///   - tickets: the keys for session tickets. All contexts of a server share these keys. A ticket is then valid on
    ///     every loop and after a reload.
    ///   - greet: decides how a handshake continues; nil to always continue. Each call takes time.
    package init(
        identity: Identity, tickets: TicketKeys, settings: Settings = .intermediate, choose: Choice? = nil,
        greet: Greeting? = nil
    ) throws(ExplainedFailure) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        guard let pointer = unsafe SSL_CTX_new(TLS_server_method()) else {
            throw .noMemory(OpenSSLErrors.drain())
        }
        unsafe self.pointer = pointer
        (self.tickets, self.choose, self.greet, self.settings) = (tickets, choose, greet, settings)
        certificate = identity.certificate
        try setProfile()
        try setSessions()
        setModes()
        unsafe SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, nil)
        // The callback gets its context from the session, so it does not need an argument that might be released early.
        let callback = unsafe unsafeBitCast(selectContext, to: (@convention(c) () -> Void).self)
        unsafe SSL_CTX_callback_ctrl(pointer, SSL_CTRL_SET_TLSEXT_SERVERNAME_CB, callback)
        if greet != nil { unsafe ClientHello.watch(pointer) }
        try use(identity)
    }

    deinit {
        unsafe SSL_CTX_free(pointer)
    }

    private func setProfile() throws(ExplainedFailure) {
        unsafe SSL_CTX_set_options(pointer, COPENSSL_OP_NO_COMPRESSION | COPENSSL_OP_NO_RENEGOTIATION)
        // The system configuration may have set this option.
        unsafe SSL_CTX_clear_options(pointer, COPENSSL_OP_CLIENT_RENEGOTIATION)
        try unsafe ExplainedFailure.require(
            SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1,
            "TLS 1.2 as the minimum version")
        if settings != .intermediate { unsafe SSL_CTX_set_security_level(pointer, 0) }
        // OpenSSL's name for all suites that TLS 1.1 can use.
        let suites = settings == .outdated ? "ALL:!aNULL:!eNULL:@SECLEVEL=0" : TLSContext.suites
        try unsafe ExplainedFailure.require(SSL_CTX_set_cipher_list(pointer, suites) == 1, "the cipher suites")
        let hasGroups = TLSContext.groups.contains { names in
            var text = Array(names.utf8CString)
            return unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_GROUPS_LIST, 0, &text) == 1
        }
        try ExplainedFailure.require(hasGroups, "the key exchange groups")
    }

    private func setSessions() throws(ExplainedFailure) {
        // The ticket contains the session state, so the server does not store it.
        unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        unsafe SSL_CTX_set_timeout(pointer, Int(TicketKeys.ticketLifetime))
        let name: [UInt8] = Array("ultra-motivator".utf8)
        // OpenSSL sends two tickets by default. Clients use only one. Each ticket costs a write and a computation.
        try unsafe ExplainedFailure.require(
            SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count)) == 1
                && SSL_CTX_set_num_tickets(pointer, 1) == 1
                && SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer, protectTicket) == 1, "session tickets")
    }

    private func setModes() {
        let modes = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        // Releasing buffers saves 34 kB per idle connection.
        unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(modes | SSL_MODE_RELEASE_BUFFERS), nil)
        unsafe RecordCount.watch(pointer)
        // Read the header and the body of a record with one system call instead of two.
        unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_READ_AHEAD, 1, nil)
    }

    private func use(_ identity: Identity) throws(ExplainedFailure) {
        guard unsafe SSL_CTX_use_certificate(pointer, identity.certificate.pointer) == 1,
            unsafe SSL_CTX_use_PrivateKey(pointer, identity.key.pointer) == 1,
            // The root is not sent, because the client must already have it to trust the chain.
            identity.chain.allSatisfy({ $0.isSelfSigned || addToChain($0) })
        else {
            throw ExplainedFailure(
                "OpenSSL refuses the certificate \(identity.certificate.subject.quoted) for TLS: \(OpenSSLErrors.drain())",
                fix: "Use a P-256 key, or RSA with at least 2048 bits, signed with SHA-256", exitCode: .configuration)
        }
    }

    private func addToChain(_ issuer: Certificate) -> Bool {
        // The macro SSL_CTX_add1_chain_cert makes this call.
        let shared: Int = 1
        return unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, shared, UnsafeMutableRawPointer(issuer.pointer)) == 1
    }
}

/// Selects the ALPN protocol (RFC 7301): `http/1.1`, else `http/1.0`, else the fatal alert `no_application_protocol`.
private let selectProtocol:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
        UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
    ) -> Int32 = { _, chosen, chosenCount, offer, offerCount, _ in
        guard let chosen = unsafe chosen else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        // Each name follows its length. The selected name is a part of this static text.
        let known: StaticString = "\u{8}http/1.1\u{8}http/1.0"
        var name: UnsafeMutablePointer<UInt8>?
        let outcome = unsafe SSL_select_next_proto(
            &name, chosenCount, known.utf8Start, UInt32(known.utf8CodeUnitCount), offer, offerCount)
        unsafe chosen.pointee = UnsafePointer(name)
        return outcome == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
    }

/// Selects the context by SNI (RFC 6066 §3). OpenSSL also calls it without a name, or after a second client hello.
private let selectContext:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<Int32>?, UnsafeMutableRawPointer?) -> Int32 = { ssl, _, _ in
        guard let session = unsafe TLSSession.of(ssl) else { return SSL_TLSEXT_ERR_NOACK }
        return session.selectContext() ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK
    }

/// Encrypts and decrypts session tickets (RFC 5077 §4, RFC 8446 §4.6.1).
private let protectTicket:
    @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt8>?, OpaquePointer?, OpaquePointer?,
        Int32
    ) -> Int32 = { ssl, name, iv, cipher, mac, isEncrypting in
        guard let tickets = unsafe TLSSession.of(ssl)?.context?.tickets, let name = unsafe name, let iv = unsafe iv
        else { return -1 }
        return unsafe isEncrypting == 1
            ? tickets.encrypt(name: name, iv: iv, cipher: cipher, mac: mac)
            : tickets.decrypt(
                name: name, iv: iv, cipher: cipher, mac: mac, isUsedOnce: SSL_version(ssl) == TLS1_3_VERSION)
    }
