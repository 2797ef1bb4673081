package import Certificates
package import MotivatorPlatform

/// The result of a request: the parts that arrived, and the failure, if any.
package struct Fetched: Sendable {
    package let request: FetchRequest
    /// The address that the client connected to, or whose failure is reported.
    package internal(set) var address: SocketAddress?
    /// The properties of the handshake, even if it failed after the server sent its certificates.
    package internal(set) var tls: FetchedTLS?
    /// The response, possibly with truncated content; nil if its head is incomplete.
    package internal(set) var response: FetchedResponse?
    package internal(set) var failure: FetchFailure?
    package internal(set) var milliseconds = 0
}

package struct FetchedResponse: Sendable {
    /// The status as sent, 100 to 999. RFC 9110 §15 treats a status above 599 as 5xx.
    package let status: Int
    /// The reason phrase as sent, often empty.
    package let reason: String
    /// The fields in order, as ISO 8859-1 text.
    package let fields: [(name: String, value: String)]
    /// The content after chunked decoding, up to the limit of the fetcher.
    package let content: [UInt8]

    package func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// Returns the value of the first field line with this name, or nil if there is none.
    package func first(_ name: String) -> String? { values(of: name).first }
}

/// The unverified properties of a TLS handshake.
package struct FetchedTLS: Sendable {
    /// The version, such as `TLSv1.3`; empty if the handshake failed.
    package let version: String
    /// The OpenSSL name of the cipher suite, such as `TLS_AES_256_GCM_SHA384`; empty if the handshake failed.
    package let cipher: String
    /// The certificates in the order sent, starting with the server's own.
    package let chain: [Certificate]
}
