public import HTTP
public import HTTPTypes

/// The limits and timeouts of a server.
public struct ServerOptions: Sendable {
    /// The limits of requests.
    public var limits = Limits()
    /// The fields of every response.
    public var fields: HTTPFields = [:]
    /// Additional fields of every response over TLS.
    public var secureFields: HTTPFields = [:]
    /// Additional fields of responses whose content a browser opens as a document.
    public var pageFields: HTTPFields = [:]
    /// How loops detect that descriptors are ready.
    public var poller = PollerKind.preferred
    /// The number of event loops; nil for one per processor.
    public var loops: Int?
    /// The maximum time for a TLS handshake in milliseconds. A phone on a slow network needs a few seconds.
    public var handshakeTimeout: Int64 = 10_000
    /// The maximum time for a whole head from its first byte, in milliseconds. Progress does not extend it.
    public var headTimeout: Int64 = 10_000
    /// The maximum time without a byte of content, in milliseconds.
    public var contentTimeout: Int64 = 15_000
    /// The maximum time for the whole content, in milliseconds.
    public var contentTotalTimeout: Int64 = 60_000
    /// The minimum transfer rate in bytes per second, for content and responses. A modem is ten times as fast.
    public var minimumRate = 500
    /// The window for measuring the rate of content, in milliseconds.
    public var contentRateWindow: Int64 = 10_000
    /// The maximum time during which a client does not read any byte of a response, in milliseconds.
    public var writeTimeout: Int64 = 30_000
    /// The window for measuring the rate of a response, in milliseconds. It is longer than for content, because the
    /// system buffers unread bytes.
    public var writeRateWindow: Int64 = 30_000
    /// The maximum number of bytes of unhandled content and unread responses in total.
    public var bufferedBytes = 64 << 20
    /// The maximum number of bytes of unhandled content and unread responses per client: enough for three requests of
    /// the largest size.
    public var bufferedBytesPerClient = 4 << 20
    /// The addresses whose connections start with a PROXY protocol header.
    public var trustedProxies: Set<[UInt8]> = []
    /// The maximum time between requests on a connection, in milliseconds.
    public var idleTimeout: Int64 = 60_000
    /// The maximum time to read after the last response, in milliseconds.
    public var lingerTimeout: Int64 = 2_000
    /// The maximum time to wait for current responses when the server stops, in milliseconds.
    public var drainTimeout: Int64 = 8_000
    /// The maximum number of connections; nil for as many as the descriptor limit allows.
    public var connections: Int?

    /// Creates the default options.
    public init() {}
}
