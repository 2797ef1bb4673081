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
    /// Which way loops learn that descriptors are ready.
    public var poller = PollerKind.preferred
    /// How many event loops there are; nil for one for each processor.
    public var loops: Int?
    /// Milliseconds for a TLS handshake; a phone on a bad network needs a few seconds.
    public var handshakeTimeout: Int64 = 10_000
    /// Milliseconds for a head from its first byte, in total and not for each byte: a slow sender gets no more.
    public var headTimeout: Int64 = 10_000
    /// Milliseconds without a byte of content.
    public var contentTimeout: Int64 = 30_000
    /// The fewest bytes of content in a second, after the first `contentGrace` milliseconds.
    public var contentRate = 500
    /// Milliseconds before `contentRate` counts.
    public var contentGrace: Int64 = 5_000
    /// Milliseconds without the peer taking a byte of an answer.
    public var writeTimeout: Int64 = 30_000
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
