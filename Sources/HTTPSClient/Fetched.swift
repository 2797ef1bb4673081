public import Certificates
public import Platform

/// What came of one request: as much as arrived, and what went wrong if something did.
public struct Fetched: Sendable {
    /// The request.
    public let request: FetchRequest
    /// The address that was connected to, or tried last.
    public let address: SocketAddress?
    /// What the handshake told; also of one that failed after the server had shown its certificates.
    public let tls: FetchedTLS?
    /// The answer; also one whose content was cut short, unless its head was.
    public let response: FetchedResponse?
    /// What went wrong; nil when the answer is complete.
    public let failure: FetchFailure?
    /// How long it all took, in milliseconds.
    public let milliseconds: Int
}

/// An answer, as far as it came.
public struct FetchedResponse: Sendable {
    /// The status, 100 to 999 as sent; RFC 9110 §15 wants those above 599 to be taken for 5xx.
    public let status: Int
    /// The reason phrase as sent, often empty.
    public let reason: String
    /// The fields in their order; each byte of a value is the character of its number (ISO 8859-1).
    public let fields: [(name: String, value: String)]
    /// The content without chunks, never more than the fetcher's bound.
    public let content: [UInt8]

    /// The values of all field lines of a name.
    ///
    /// - Parameter name: the name, whose case does not count.
    /// - Returns: the values in their order, one for each line.
    public func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// The value of the first field line of a name, or nil when there is none.
    ///
    /// - Parameter name: the name, whose case does not count.
    public func first(_ name: String) -> String? { values(of: name).first }
}

/// What a TLS handshake told about the server; nothing of it is verified.
public struct FetchedTLS: Sendable {
    /// The version, such as `TLSv1.3`; empty when the handshake failed.
    public let version: String
    /// The suite in OpenSSL's words, such as `TLS_AES_256_GCM_SHA384`; empty when the handshake failed.
    public let cipher: String
    /// The certificates as the server showed them, in its order, the server's own first.
    public let chain: [Certificate]
}
