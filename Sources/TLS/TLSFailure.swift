import COpenSSL
import Certificates
package import MotivatorPlatform

/// Why a session failed. It does not contain text, so failures do not allocate memory.
package enum TLSFailure: ExplainedError, Equatable {
    /// The client sent plain HTTP, so the server can respond in plain text.
    case plainHTTP
    /// The server's first byte does not start a TLS record. Its bytes are unread.
    case notTLS
    /// The client's first message is not a ClientHello, or bytes follow the message in its record.
    case noClientHello
    /// The client announced or sent a ClientHello of more than `ClientHelloReader.limit` bytes.
    case clientHelloTooLarge
    /// The handshake failed with an OpenSSL error code.
    case handshakeRefused(code: UInt)
    /// The stream ended without close_notify. The data may be truncated (RFC 8446 §6.1).
    case truncated
    /// A system call failed with this `errno`; `ECONNRESET` for a reset connection.
    case system(Int32)
    /// The peer sent more than `RecordCount.limit` records in a row without application data, such as key updates.
    case tooManyRecordsWithoutData
    /// The session failed after the handshake with an OpenSSL error code.
    case broken(code: UInt)

    /// The message from OpenSSL or the system.
    package var reason: String {
        switch self {
        case .plainHTTP: "http request"
        case .notTLS: "not a TLS record"
        case .noClientHello: "not a ClientHello"
        case .clientHelloTooLarge: "a ClientHello of more than \(ClientHelloReader.limit) bytes"
        case .handshakeRefused(let code), .broken(let code): OpenSSLErrors.reason(of: code)
        case .truncated: "unexpected eof while reading"
        case .system(let code): SystemError("", code: code).reason
        case .tooManyRecordsWithoutData: "more than \(RecordCount.limit) records in a row without application data"
        }
    }

    package var problem: String {
        switch self {
        case .plainHTTP: "the client sent plain HTTP to a TLS port"
        case .notTLS: "the server does not use TLS on this port"
        case .noClientHello, .clientHelloTooLarge, .handshakeRefused: "the TLS handshake failed: \(reason)"
        case .truncated: "the peer closed the connection without close_notify"
        case .system: "the connection failed: \(reason)"
        case .tooManyRecordsWithoutData, .broken: "the TLS session failed: \(reason)"
        }
    }

    package var fix: String {
        switch self {
        case .plainHTTP: "Use https:// in the URL"
        case .notTLS: "Use the server's HTTPS port"
        case .noClientHello, .clientHelloTooLarge: "Start the connection with a ClientHello of an ordinary size"
        case .handshakeRefused: "Trust the server's CA, and offer TLS 1.2 or 1.3 and the ALPN protocol http/1.1"
        case .truncated, .system, .tooManyRecordsWithoutData, .broken: "Connect again"
        }
    }

    package var exitCode: ExitCode {
        switch self {
        case .plainHTTP: .usage
        case .notTLS, .noClientHello, .clientHelloTooLarge, .handshakeRefused: .unavailable
        case .truncated, .system, .tooManyRecordsWithoutData, .broken: .inputOutput
        }
    }

    /// Whether the two sides have no common TLS version, according to OpenSSL's error or the peer's alert.
    package var isAboutVersion: Bool {
        guard case .handshakeRefused(let code) = self else { return false }
        switch ERR_GET_REASON(code) {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_WRONG_SSL_VERSION,
            SSL_R_VERSION_TOO_LOW:
            return true
        case _: return false
        }
    }
}
