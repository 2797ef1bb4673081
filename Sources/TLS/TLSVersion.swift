import COpenSSL

/// A version of the protocol, small enough to be kept in a log record.
public enum TLSVersion: UInt8, Sendable {
    case tls12
    case tls13

    /// The name as OpenSSL and most logs write it.
    public var name: StaticString {
        switch self {
        case .tls12: "TLSv1.2"
        case .tls13: "TLSv1.3"
        }
    }
}
