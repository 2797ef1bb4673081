import COpenSSL
import Certificates
import Platform

/// Why a session broke. It holds no text, so that a flood of failures costs no memory.
public enum TLSFailure: ExplainedError, Equatable {
    /// The client speaks plain HTTP; its bytes are still unread on the descriptor, which can be answered in plain text.
    case plainHTTP
    /// The handshake failed, with OpenSSL's error code.
    case handshakeRefused(code: UInt)
    /// The peer's end of the stream came without a close_notify: the data may be cut short (RFC 8446 §6.1).
    case truncated
    /// A system call failed, with its `errno`; `ECONNRESET` for a reset connection.
    case system(Int32)
    /// The session broke after the handshake, with OpenSSL's error code.
    case broken(code: UInt)

    /// The reason in the words of OpenSSL or of the system.
    public var reason: String {
        switch self {
        case .plainHTTP: "http request"
        case .handshakeRefused(let code), .broken(let code): OpenSSLErrors.reason(of: code)
        case .truncated: "unexpected eof while reading"
        case .system(let code): SystemError("", code: code).reason
        }
    }

    public var problem: String {
        switch self {
        case .plainHTTP: "the client sent plain HTTP to a TLS port"
        case .handshakeRefused: "the TLS handshake failed: \(reason)"
        case .truncated: "the peer closed the connection without ending the TLS session"
        case .system: "the connection failed: \(reason)"
        case .broken: "the TLS session broke: \(reason)"
        }
    }

    public var remedy: String {
        switch self {
        case .plainHTTP: "Write https:// in the address"
        case .handshakeRefused: "Trust the server's authority, and offer TLS 1.2 or 1.3 with http/1.1"
        case .truncated, .system, .broken: "Connect again"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .plainHTTP: .usage
        case .handshakeRefused: .unavailable
        case .truncated, .system, .broken: .inputOutput
        }
    }
}
