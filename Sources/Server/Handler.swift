package import MotivatorHTTP
package import MotivatorPlatform

/// A handler that responds to requests outside the event loop.
///
/// For content that is the same for all requests, use a `Representation` instead. The loop writes it directly.
package protocol Handler: Sendable {
    /// Responds to a request. The task is canceled if the connection ends, for example after a reset. A client that
    /// only closes its write side still waits for the response.
    /// - Returns: the response, without the fields that the server adds.
    func respond(to request: Request) async -> Response
}

package enum ContentPolicy: Sendable, Equatable {
    /// The handler starts immediately. The server reads and discards the content after the response.
    case discarded
    /// The handler starts when the whole content, at most `limit` bytes, has arrived.
    case buffered(limit: Int)
    /// The handler starts immediately and calls `Request.readContent()` to get the content, at most `limit` bytes.
    case onDemand(limit: Int)
}

package struct Request: Sendable {
    /// The method, target, version and field lines as received.
    package let head: RequestHead
    /// The decoded content; empty unless the route buffers it.
    package let content: [UInt8]
    /// The percent-decoded values of the route's path parameters, in pattern order.
    package let parameters: [String]
    package let peer: Peer
    /// The connection, for a handler that writes the response itself; nil in tests without a connection.
    package let connection: RequestConnection?

    package init(
        head: RequestHead, content: [UInt8], parameters: [String] = [], peer: Peer,
        connection: RequestConnection? = nil
    ) {
        (self.head, self.content, self.parameters, self.peer) = (head, content, parameters, peer)
        self.connection = connection
    }

    /// Reads the whole content. Call this method at most once.
    /// - Returns: the decoded content; nil if it did not arrive, was malformed or exceeded the route's limit. In that
    ///   case, the server has already responded or closed the connection, and it ignores the handler's response.
    package func readContent() async -> [UInt8]? {
        guard let connection, connection.hasUnreadContent else { return content }
        return await connection.readContent()
    }
}

package struct Peer: Sendable {
    package let address: SocketAddress
    /// The TLS version, such as `TLSv1.3`; nil over plain HTTP.
    package let tlsVersion: String?
    /// The server name in the TLS handshake (SNI); nil if the client sent none.
    package let serverName: String?

    package init(address: SocketAddress, tlsVersion: String? = nil, serverName: String? = nil) {
        (self.address, self.tlsVersion, self.serverName) = (address, tlsVersion, serverName)
    }
}
