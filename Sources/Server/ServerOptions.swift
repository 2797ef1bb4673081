public import HTTP
public import HTTPTypes

/// How a server behaves towards its clients; each bound has its reason.
public struct ServerOptions: Sendable {
    /// The bounds on messages.
    public var limits = Limits()
    /// Fields that every answer carries.
    public var fields: HTTPFields = [:]
    /// Fields that every answer over TLS carries besides.
    public var secureFields: HTTPFields = [:]
    /// Additional fields of responses whose content a browser opens as a document.
    public var pageFields: HTTPFields = [:]
    /// Which way loops learn that descriptors are ready.
    public var poller = PollerKind.preferred
    /// How many event loops there are; nil for one for each processor.
    public var loops: Int?
    /// Milliseconds for a TLS handshake; a phone on a bad network needs a few seconds.
    public var handshakeTimeout: Int64 = 10_000
    /// Milliseconds for a head from its first byte, in total and not for each byte: a slow sender gets no more.
    public var headTimeout: Int64 = 10_000
    /// The maximum time without a byte of content, in milliseconds.
    public var contentTimeout: Int64 = 15_000
    /// The maximum time for the whole content, in milliseconds.
    public var contentTotalTimeout: Int64 = 60_000
    /// The minimum transfer rate in bytes per second, for content and for responses: a modem manages ten times as much.
    public var minimumRate = 500
    /// The time over which the rate of content is measured, in milliseconds.
    public var contentRateWindow: Int64 = 10_000
    /// The maximum time without the client reading a byte of a response, in milliseconds.
    public var writeTimeout: Int64 = 30_000
    /// The time over which the rate of a response is measured, in milliseconds: longer than for content, because the
    /// system buffers what the client has not read.
    public var writeRateWindow: Int64 = 30_000
    /// The maximum number of bytes of unhandled content and unread responses, over all connections.
    public var bufferedBytes = 64 << 20
    /// The maximum number of bytes of unhandled content and unread responses of one client: enough for three requests of
    /// the largest size.
    public var bufferedBytesPerClient = 4 << 20
    /// The addresses whose connections begin with a PROXY protocol header.
    public var trustedProxies: Set<[UInt8]> = []
    /// Milliseconds that a kept connection may be idle.
    public var idleTimeout: Int64 = 60_000
    /// Milliseconds that the server reads on after its last answer.
    public var lingerTimeout: Int64 = 2_000
    /// Milliseconds that a stop waits for answers that are being made or sent.
    public var drainTimeout: Int64 = 8_000
    /// The most connections at once; nil for what the descriptor limit leaves.
    public var connections: Int?

    /// The defaults.
    public init() {}
}
