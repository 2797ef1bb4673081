package import HTTPTypes
package import MotivatorHTTP
import MotivatorPlatform

package struct ServerOptions: Sendable {
    package var limits = Limits()
    package var fields: HTTPFields = [:]
    /// Additional fields in every response over TLS.
    package var secureFields: HTTPFields = [:]
    /// Additional fields in responses whose content a browser opens as a document.
    package var pageFields: HTTPFields = [:]
    package var poller = PollerKind.preferred
    /// The number of event loops; nil for one per processor.
    package var loops: Int?
    /// The maximum time for a TLS handshake in milliseconds. A phone on a slow network needs a few seconds.
    package var handshakeTimeout: Int64 = 10_000
    /// The maximum time for a whole head from its first byte, in milliseconds. Progress does not extend this time.
    package var headTimeout: Int64 = 10_000
    /// The maximum time without a byte of content, in milliseconds.
    package var contentTimeout: Int64 = 15_000
    /// The maximum time for the whole content, in milliseconds.
    package var contentTotalTimeout: Int64 = 60_000
    /// The minimum transfer rate in bytes per second, for content and responses. Even a modem is ten times as fast.
    package var minimumRate = 500
    /// The window for measuring the rate of content, in milliseconds.
    package var contentRateWindow: Int64 = 10_000
    /// The maximum time that a pending response may make no progress, in milliseconds.
    package var writeTimeout: Int64 = 30_000
    /// The window for measuring the rate of a response, in milliseconds. It is longer than for content, because the
    /// system buffers unread bytes.
    package var writeRateWindow: Int64 = 30_000
    /// The maximum memory of all connections for TLS, requests and responses, in bytes. It allows 13,000 idle
    /// connections over TLS.
    package var memory = 256 << 20
    /// The maximum total size of unhandled content and unread responses, in bytes.
    package var bufferedBytes = 64 << 20
    /// The maximum size of unhandled content and unread responses per client, in bytes. This limit allows three
    /// requests of the maximum size.
    package var bufferedBytesPerClient = 4 << 20
    /// The addresses whose connections start with a PROXY protocol header.
    package var trustedProxies: Set<[UInt8]> = []
    /// The maximum time between requests on a connection, in milliseconds.
    package var idleTimeout: Int64 = 60_000
    /// The maximum time that the server keeps reading after the last response, in milliseconds.
    package var lingerTimeout: Int64 = 2_000
    /// The maximum time to wait for current responses when the server shuts down, in milliseconds.
    package var drainTimeout: Int64 = 8_000
    /// The maximum number of requests whose handler waits for its first turn. Such a request also holds a connection and
    /// its content, which have their own limits. All tests that a tester runs in parallel from one address can wait.
    package var waitingHandlers = 1_024
    /// The maximum number of connections; nil for as many as the descriptor limit allows.
    package var connections: Int?
    /// The interval of the deadline sweep in milliseconds. The sweep also writes the log. With the leeway, log lines
    /// appear within 200 ms.
    package var sweepInterval: Int64 = 150
    /// Returns the milliseconds of a monotonic clock, for the deadlines. Tests advance a clock of their own.
    package var monotonicTime: @Sendable () -> Int64 = { SocketCalls.monotonicMilliseconds() }

    package init() {}
}
