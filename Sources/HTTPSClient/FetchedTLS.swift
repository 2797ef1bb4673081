public import Certificates

/// What a TLS handshake told about the server; nothing of it is verified.
public struct FetchedTLS: Sendable {
    /// The version, such as `TLSv1.3`; empty when the handshake failed.
    public let version: String
    /// The suite in OpenSSL's words, such as `TLS_AES_256_GCM_SHA384`; empty when the handshake failed.
    public let cipher: String
    /// The certificates as the server showed them, in its order, the server's own first.
    public let chain: [Certificate]
}
