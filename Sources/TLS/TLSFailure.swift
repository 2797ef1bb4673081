import COpenSSL
import Certificates
import MotivatorPlatform

/// Why a session failed. It does not contain text, so failures do not allocate memory.
package enum TLSFailure: Error, Equatable {
    /// The client sent plain HTTP, so the server can respond in plain text.
    case plainHTTP
    /// The server's first byte does not start a TLS record. Its bytes are unread.
    case notTLS
    /// The client's first message is not a ClientHello, or bytes follow the message in its record.
    case noClientHello
    /// The client announced or sent a ClientHello of more than `ClientHelloReader.limit` bytes.
    case clientHelloTooLarge
    case handshakeRefused(code: UInt)
    /// The stream ended without close_notify. The data may be truncated (RFC 8446 §6.1).
    case truncated
    /// A system call failed with this `errno`; `ECONNRESET` for a reset connection.
    case system(Int32)
    /// The peer sent more than `RecordCount.limit` records in a row without application data, such as key updates.
    case tooManyRecordsWithoutData
    case broken(code: UInt)

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

    /// Whether the two sides have no common TLS version, according to OpenSSL's error or the peer's alert.
    package var isAboutVersion: Bool {
        guard case .handshakeRefused(let code) = self else { return false }
        let reasons = [
            SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION, SSL_R_WRONG_SSL_VERSION,
            SSL_R_VERSION_TOO_LOW,
        ]
        return reasons.contains(ERR_GET_REASON(code))
    }
}

extension ExplainedFailure {
    /// Throws an error if OpenSSL does not support a required setting.
    static func require(_ isSet: Bool, _ setting: String) throws(ExplainedFailure) {
        guard !isSet else { return }
        throw ExplainedFailure(
            "OpenSSL cannot set \(setting): \(OpenSSLErrors.drain())", fix: "Install OpenSSL 3.0 or later",
            exitCode: .unavailable)
    }

    static func noMemory(_ reason: String) -> ExplainedFailure {
        .init(
            "OpenSSL cannot set up TLS: \(reason)",
            fix: "Close other programs, or raise the limits on open files and memory", exitCode: .unavailable)
    }
}
