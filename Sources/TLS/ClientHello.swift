import COpenSSL
import MotivatorPlatform

/// The parts of a client hello that a server can report or act on (RFC 8446 §4.1.2).
package struct ClientHello: Sendable {
    /// The server name (SNI) in lower case; nil if the client sent none.
    package let serverName: String?
    /// The numbers of the offered versions, such as 0x0304 for TLS 1.3, in the client's order.
    package let versions: [UInt16]
    /// The numbers of the offered cipher suites, in the client's order.
    package let suites: [UInt16]
}

/// How a handshake continues after the client hello.
package enum GreetingReply: Sendable {
    case proceed
    case use(TLSContext)
    /// Sends nothing, and keeps the connection open until the client's next byte or the handshake deadline.
    case stall
    /// Closes the connection without an alert.
    case close
}

extension ClientHello {
    /// The maximum length of a host name in bytes (RFC 1035 §2.3.4). OpenSSL checks the length only after the callback.
    private static let nameLimit = 255

    /// Passes each client hello in a context's sessions to the context's greeting.
    static func watch(_ context: OpaquePointer) {
        unsafe SSL_CTX_set_client_hello_cb(
            context,
            { ssl, _, _ in
                guard let session = unsafe TLSSession.of(ssl) else { return SSL_CLIENT_HELLO_SUCCESS }
                return unsafe session.greet(ClientHello(ssl)) ? SSL_CLIENT_HELLO_SUCCESS : SSL_CLIENT_HELLO_RETRY
            }, nil)
    }

    private init(_ ssl: OpaquePointer?) {
        func number(_ bytes: ArraySlice<UInt8>) -> UInt16 { bytes.reduce(0) { $0 << 8 | UInt16($1) } }
        func numbers(_ bytes: ArraySlice<UInt8>) -> [UInt16] {
            stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { number(bytes[$0..<$0 + 2]) }
        }
        var list: UnsafePointer<UInt8>?
        let count = unsafe SSL_client_hello_get0_ciphers(ssl, &list)
        suites = unsafe numbers(Array(UnsafeBufferPointer(start: list, count: count))[...])
        // RFC 8446 §4.2.1: one byte of length, then the versions. Before TLS 1.3, the hello has one version.
        let offered = unsafe Self.extension(TLSEXT_TYPE_supported_versions, of: ssl)
        versions = unsafe offered.map { numbers($0.dropFirst()) } ?? [UInt16(SSL_client_hello_get0_legacy_version(ssl))]
        // RFC 6066 §3: the length of the list, the type host_name, the length of the name, the name.
        let name = unsafe Self.extension(TLSEXT_TYPE_server_name, of: ssl)?.dropFirst(5)
        serverName = name.map { String(decoding: $0.prefix(Self.nameLimit), as: UTF8.self).lowercased() }
    }

    private static func `extension`(_ type: Int32, of ssl: OpaquePointer?) -> ArraySlice<UInt8>? {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard unsafe SSL_client_hello_get0_ext(ssl, UInt32(type), &bytes, &count) == 1 else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))[...]
    }
}

package struct TLSDetails: Sendable {
    /// The version, such as `TLSv1.3`.
    package let version: String
    /// The standard name of the cipher suite.
    package let cipher: String?
    /// The name of the key exchange group, such as `x25519`; nil if no group was used.
    package let group: String?
    /// The selected application protocol (ALPN); nil if the client offered none.
    package let applicationProtocol: String?
    /// The server name (SNI); nil if the client sent none.
    package let serverName: String?
    package let isResumed: Bool
    /// The names of the offered versions, or numbers if unknown. Nil if the server does not record the client hello.
    package let offeredVersions: [String]?
    /// The standard names of the offered cipher suites, or numbers if unknown. Nil if `offeredVersions` is nil.
    package let offeredSuites: [String]?
}

extension TLSSession {
    package var details: TLSDetails {
        let group = unsafe Int32(clamping: SSL_ctrl(pointer, SSL_CTRL_GET_NEGOTIATED_GROUP, 0, nil))
        return unsafe TLSDetails(
            version: version,
            cipher: SSL_CIPHER_standard_name(SSL_get_current_cipher(pointer)).map { unsafe String(cString: $0) },
            group: group == 0 ? nil : SSL_group_to_name(pointer, group).map { unsafe String(cString: $0) },
            applicationProtocol: applicationProtocol, serverName: serverName, isResumed: isResumed,
            offeredVersions: clientHello?.versions.map(Self.versionName),
            offeredSuites: clientHello?.suites.map(suiteName))
    }

    private static func versionName(_ number: UInt16) -> String {
        switch number {
        case 0x0300: "SSLv3"
        case 0x0301: "TLSv1.0"
        case 0x0302...0x0304: "TLSv1.\(number - 0x0301)"
        case _: "0x" + number.hexadecimal(width: 4)
        }
    }

    private func suiteName(_ number: UInt16) -> String {
        let bytes = [UInt8(number >> 8), UInt8(number & 0xFF)]
        guard let suite = unsafe SSL_CIPHER_find(pointer, bytes), let name = unsafe SSL_CIPHER_standard_name(suite)
        else { return "0x" + number.hexadecimal(width: 4) }
        return unsafe String(cString: name)
    }
}
