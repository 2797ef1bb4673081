import COpenSSL
import Certificates
import Platform

/// Why a session broke. It holds no text, so that a flood of failures costs no memory.
public enum TLSFailure: ExplainedError, Equatable {
    /// The client speaks plain HTTP; its bytes are still unread on the descriptor, which can be answered in plain text.
    case plainHTTP
    /// The server's first byte begins no TLS record; its bytes are still unread on the descriptor.
    case notTLS
    /// The handshake failed, with OpenSSL's error code.
    case handshakeRefused(code: UInt)
    /// The peer's end of the stream came without a close_notify: the data may be cut short (RFC 8446 §6.1).
    case truncated
    /// A system call failed, with its `errno`; `ECONNRESET` for a reset connection.
    case system(Int32)
    /// The peer sent more than `RecordCount.limit` records in a row without application data, such as key updates.
    case tooManyRecordsWithoutData
    /// The session broke after the handshake, with OpenSSL's error code.
    case broken(code: UInt)

    /// The reason in the words of OpenSSL or of the system.
    public var reason: String {
        switch self {
        case .plainHTTP: "http request"
        case .notTLS: "no TLS record"
        case .handshakeRefused(let code), .broken(let code): OpenSSLErrors.reason(of: code)
        case .truncated: "unexpected eof while reading"
        case .system(let code): SystemError("", code: code).reason
        case .tooManyRecordsWithoutData: "more than \(RecordCount.limit) records in a row without application data"
        }
    }

    public var problem: String {
        switch self {
        case .plainHTTP: "the client sent plain HTTP to a TLS port"
        case .notTLS: "the server does not speak TLS on this port"
        case .handshakeRefused: "the TLS handshake failed: \(reason)"
        case .truncated: "the peer closed the connection without ending the TLS session"
        case .system: "the connection failed: \(reason)"
        case .tooManyRecordsWithoutData, .broken: "the TLS session broke: \(reason)"
        }
    }

    public var remedy: String {
        switch self {
        case .plainHTTP: "Write https:// in the address"
        case .notTLS: "Ask the port that speaks HTTPS"
        case .handshakeRefused: "Trust the server's authority, and offer TLS 1.2 or 1.3 with http/1.1"
        case .truncated, .system, .tooManyRecordsWithoutData, .broken: "Connect again"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .plainHTTP: .usage
        case .notTLS, .handshakeRefused: .unavailable
        case .truncated, .system, .tooManyRecordsWithoutData, .broken: .inputOutput
        }
    }

    /// Whether the two sides have no version of TLS in common, as far as OpenSSL or the peer's alert tells.
    public var isAboutVersion: Bool {
        guard case .handshakeRefused(let code) = self else { return false }
        switch ERR_GET_REASON(code) {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_WRONG_SSL_VERSION,
            SSL_R_VERSION_TOO_LOW:
            return true
        case _: return false
        }
    }
}
