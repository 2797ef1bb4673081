public import HTTP
public import Platform

/// Makes the answer to a request, away from the event loop.
///
/// What needs no work for a request is no handler but a `Representation`, which the loop writes itself.
public protocol Handler: Sendable {
    /// Answers a request, whose content is there in full; the task is cancelled when the connection is
    /// reset or ends for another reason. A client that only says that it sends no more still waits for the answer.
    ///
    /// - Parameter request: the request.
    /// - Returns: the answer, without the fields that the server writes.
    func respond(to request: Request) async -> Response
}

/// Makes an answer from the head alone, on the event loop: for answers that need neither content nor work.
public protocol HeadResponder: Sendable {
    /// Answers a request, whose content is not read.
    ///
    /// - Parameter head: the request's head.
    /// - Returns: the answer, without the fields that the server writes.
    func respond(to head: RequestHead) -> Response
}

/// A request as a handler sees it.
public struct Request: Sendable {
    /// Method, target, version and field lines, as they came.
    public let head: RequestHead
    /// The content, decoded.
    public let content: [UInt8]
    /// The values of the route's path parameters, percent-decoded, in the order of the pattern.
    public let parameters: [String]
    /// Where the request came from and over what.
    public let peer: Peer

    /// - Parameters: as of the properties.
    public init(head: RequestHead, content: [UInt8], parameters: [String] = [], peer: Peer) {
        self.head = head
        self.content = content
        self.parameters = parameters
        self.peer = peer
    }
}

/// The other side of a connection.
public struct Peer: Sendable {
    /// The client's address and port.
    public let address: SocketAddress
    /// The TLS version, such as `TLSv1.3`; nil over plain HTTP.
    public let tlsVersion: String?
    /// The name that the client asked for in the TLS handshake; nil without one.
    public let serverName: String?

    /// - Parameters: as of the properties.
    public init(address: SocketAddress, tlsVersion: String? = nil, serverName: String? = nil) {
        self.address = address
        self.tlsVersion = tlsVersion
        self.serverName = serverName
    }
}
