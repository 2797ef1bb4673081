import COpenSSL
import Certificates
import MotivatorPlatform
import TestSupport

/// The server side of TLS in plain OpenSSL, with behavior that no correct server shows.
final class ServerTLS {
    /// The TLS behavior.
    struct Wishes: Sendable {
        var identity: Identity?
        /// The minimum and maximum versions.
        var least = TLS1_2_VERSION
        var most = TLS1_3_VERSION
        var demandsCertificate = false
        /// Whether the server sends the issuers in the wrong order.
        var reversesChain = false
    }

    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private(set) var offeredProtocol: String?

    init?(_ descriptor: Int32, _ wishes: Wishes) {
        guard let identity = wishes.identity ?? (try? Identities.host.get()),
            let context = SSL_CTX_new(TLS_server_method())
        else { return nil }
        SSL_CTX_set_security_level(context, 0)
        SSL_CTX_set_cipher_list(context, "ALL:@SECLEVEL=0")
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(wishes.least), nil)
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(wishes.most), nil)
        SSL_CTX_use_certificate(context, identity.certificate.pointer)
        SSL_CTX_use_PrivateKey(context, identity.key.pointer)
        for issuer in wishes.reversesChain ? identity.chain.reversed() : identity.chain {
            SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(issuer.pointer))
        }
        if wishes.demandsCertificate {
            SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        }
        guard let ssl = SSL_new(context) else {
            SSL_CTX_free(context)
            return nil
        }
        (self.context, self.ssl) = (context, ssl)
        SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, count, offer, offerCount, place in
                guard let chosen, let count, let offer, offerCount > 0 else { return SSL_TLSEXT_ERR_NOACK }
                chosen.pointee = offer + 1
                count.pointee = offer[0]
                let name = UnsafeBufferPointer(start: offer + 1, count: Int(offerCount) - 1)
                place.map { Unmanaged<ServerTLS>.fromOpaque($0).takeUnretainedValue() }?.offeredProtocol =
                    String(decoding: name, as: UTF8.self)
                return SSL_TLSEXT_ERR_OK
            }, Unmanaged.passUnretained(self).toOpaque())
        SSL_set_fd(ssl, descriptor)
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    func accept() -> Bool {
        ERR_clear_error()
        return SSL_accept(ssl) == 1
    }

    var serverName: String? {
        SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        ERR_clear_error()
        let count = SSL_read(ssl, &buffer, Int32(buffer.count))
        return count > 0 ? Array(buffer.prefix(Int(count))) : nil
    }

    func write(_ bytes: [UInt8]) -> Bool {
        ERR_clear_error()
        return bytes.isEmpty || SSL_write(ssl, bytes, Int32(bytes.count)) > 0
    }

    func close() {
        ERR_clear_error()
        SSL_shutdown(ssl)
    }
}

/// Certificates of the hostile servers, created once.
enum Identities {
    /// A certificate for `a.test`, issued through an intermediate.
    static let host = Result { try authority { try $0.issue(hosts: ["a.test"]) } }

    /// A certificate with an RSA key of 1024 bits and a SHA-1 digest, which every platform rejects.
    static let weak = Result {
        try authority { authority in
            let key = try PrivateKey.generate(.rsa(bits: 1_024))
            let now = Clock.system.now()
            var draft = try CertificateDraft.server(
                [SubjectName("a.test")], kind: .rsa(bits: 1_024), notBefore: now - 60, notAfter: now + 86_400)
            draft.digest = .sha1
            return try authority.issue(draft, key: key)
        }
    }

    private static func authority(_ body: (Authority) throws -> Identity) throws -> Identity {
        try body(.temporary())
    }
}
