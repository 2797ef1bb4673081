public import HTTP
public import Platform

/// Why a fetch brought no complete answer.
public enum FetchFailure: Error, Hashable, Sendable {
    /// A part of the request cannot be sent: what it is called, and what it is.
    case unsendable(part: String, value: String)
    /// Nobody has this name, or the name has no address.
    case unknownHost(String)
    /// The resolver failed, for another reason than that nobody has the name.
    case nameFailed(String, reason: String)
    case nameTimedOut(String, seconds: Int)
    /// Nobody listens there.
    case refused(SocketAddress)
    case unreachable(SocketAddress, reason: String)
    case connectTimedOut(SocketAddress, seconds: Int)
    /// This machine has no socket left, or OpenSSL no memory.
    case noResources(reason: String)
    case handshakeTimedOut(SocketAddress, seconds: Int)
    case handshakeFailed(SocketAddress, reason: String)
    /// The server speaks no TLS from 1.2 on; the version that it chose instead, where it said so.
    case protocolTooOld(SocketAddress, version: String?)
    /// The server speaks something other than TLS, such as plain HTTP; the first bytes as text.
    case notTLS(SocketAddress, start: String)
    case closedInHandshake(SocketAddress)
    case resetInHandshake(SocketAddress)
    /// The caller did not accept the chain; no byte of the request was sent.
    case refusedChain(SocketAddress)
    /// The head of the answer was not there in time.
    case headTimedOut(SocketAddress, seconds: Int)
    /// The content of the answer was not there in time; how much of it had come.
    case contentTimedOut(SocketAddress, seconds: Int, got: Int)
    /// The server reset the connection after the handshake.
    case reset(SocketAddress)
    /// The TLS session broke after the handshake, for instance because the server wants a client certificate.
    case sessionBroken(SocketAddress, reason: String)
    /// The server closed the connection before the head of an answer was complete.
    case closedBeforeHead(SocketAddress)
    /// The content ended early; `of` is how much there should have been, where the head says it.
    case cutShort(got: Int, of: Int?)
    /// There is more content than is kept.
    case tooLarge(limit: Int)
    /// The answer breaks the rules of HTTP/1.1.
    case malformed(ResponseFault)
}
