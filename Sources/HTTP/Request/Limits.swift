/// How much of everything one message may have; each bound stops a way of making the server hold or do too much.
public struct Limits: Sendable, Equatable {
    /// Bytes of a request line without its CRLF. RFC 9112 §3 asks for at least 8,000.
    public var requestLine = 8 << 10
    /// Bytes of a method. The longest registered one, UPDATEREDIRECTREF, has 17.
    public var method = 32
    /// Bytes of all field lines with their CRLFs; what nginx and Apache take from a browser full of cookies. Trailers have
    /// the same bounds once more.
    public var fieldBytes = 16 << 10
    /// Field lines of a head; browsers send about 20.
    public var fieldLines = 100
    /// The maximum content of any request, in bytes after decoding. A route has its own limit, which may be lower.
    public var content = 1 << 20
    /// Bytes of chunk extensions in one message; nobody needs them, an attacker pays nothing for them.
    public var chunkExtensions = 4 << 10
    /// Hexadecimal digits of a chunk size: a 64-bit number.
    public var chunkSizeDigits = 16
    /// Requests on one connection, so that a long-lived client moves to new certificates and settings.
    public var requestsPerConnection = 10_000
    /// Bytes of unread content that are read and dropped after an early answer, so that the connection can stay.
    public var discardedContent = 256 << 10
    /// Bytes that are read and dropped after the last answer, so that a reset does not overtake it (RFC 9112 §9.6).
    public var lingering = 64 << 10

    /// The defaults.
    public init() {}
}
