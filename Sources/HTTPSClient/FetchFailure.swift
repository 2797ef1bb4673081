package import MotivatorHTTP
package import MotivatorPlatform

/// Why a fetch did not return a complete response.
package enum FetchFailure: Error, Hashable, Sendable {
    /// A part of the request cannot be sent.
    case unsendable(part: String, value: String)
    /// The name does not exist or has no address.
    case unknownHost(String)
    /// The resolver failed for another reason.
    case nameFailed(String, reason: String)
    case nameTimedOut(String, seconds: Int)
    /// The caller does not permit connections to the addresses of the host.
    case notPermitted(SocketAddress)
    case refused(SocketAddress)
    case unreachable(SocketAddress, reason: String)
    case connectTimedOut(SocketAddress, seconds: Int)
    /// This machine has no free socket, or OpenSSL cannot allocate memory.
    case noResources(reason: String)
    case handshakeTimedOut(SocketAddress, seconds: Int)
    case handshakeFailed(SocketAddress, reason: String)
    /// The server supports neither TLS 1.2 nor 1.3. `version` is the version that it selected, if known.
    case protocolTooOld(SocketAddress, version: String?)
    /// The server uses another protocol, such as plain HTTP. `start` is the text of its first bytes.
    case notTLS(SocketAddress, start: String)
    case closedInHandshake(SocketAddress)
    case resetInHandshake(SocketAddress)
    /// The caller did not accept the chain. The request was not sent.
    case refusedChain(SocketAddress)
    /// The response head did not arrive in time.
    case headTimedOut(SocketAddress, seconds: Int)
    /// The content did not arrive in time. `got` is the number of bytes that arrived.
    case contentTimedOut(SocketAddress, seconds: Int, got: Int)
    /// The server reset the connection after the handshake.
    case reset(SocketAddress)
    /// The TLS session failed after the handshake, for example because the server requires a client certificate.
    case sessionBroken(SocketAddress, reason: String)
    /// The server closed the connection before the response head was complete.
    case closedBeforeHead(SocketAddress)
    /// The content was truncated; `of` is the expected length, if the head declares it.
    case cutShort(got: Int, of: Int?)
    case tooLarge(limit: Int)
    case malformed(ResponseError)
}
