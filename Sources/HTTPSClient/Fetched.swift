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
