/// How much of everything one answer may have; each bound stops a way of making a client hold or read too much.
public struct ResponseLimits: Sendable, Equatable {
    /// Bytes of a status line without its CRLF; the request line's bound.
    public var statusLine = 8 << 10
    /// Bytes of all field lines of a head with their CRLFs; answers carry policies and cookies, so four times a request's.
    /// Trailers have the same bound once more.
    public var fieldBytes = 64 << 10
    /// Field lines of a head, and of the trailers; twice what a request may have.
    public var fieldLines = 200
    /// Interim answers before the final one; 103 comes once or twice (RFC 8297).
    public var interimAnswers = 16
    /// Bytes of chunk extensions in one answer; nobody needs them.
    public var chunkExtensions = 4 << 10
    /// Bytes of content after decoding.
    public var content: Int

    /// - Parameter content: bytes of content that are kept, 0 or more; one more is a fault.
    public init(content: Int) {
        self.content = content
    }

    /// The same bounds for the decoder of chunks, which requests have too.
    var forChunks: Limits {
        var limits = Limits()
        limits.fieldBytes = fieldBytes
        limits.fieldLines = fieldLines
        limits.chunkExtensions = chunkExtensions
        return limits
    }
}
