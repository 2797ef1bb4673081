public import HTTP
public import Platform

/// Responds to requests outside of the event loop.
///
/// Content that is the same for all requests needs no handler but a `Representation`, which the loop writes itself.
public protocol Handler: Sendable {
    /// Responds to a request. The task is cancelled if the connection ends, for example by a reset. A client that only
    /// closes its write side still waits for the response.
    ///
    /// - Parameter request: the request.
    /// - Returns: the response, without the fields that the server adds.
    func respond(to request: Request) async -> Response
}

/// Responds on the event loop, from the head alone, if neither content nor other work is needed.
public protocol HeadResponder: Sendable {
    /// Responds to a request, whose content is not read.
    ///
    /// - Parameter head: the head of the request.
    /// - Returns: the response, without the fields that the server adds.
    func respond(to head: RequestHead) -> Response
}

/// What the server does with the content of a request to a route.
public enum ContentPolicy: Sendable, Equatable {
    /// The handler starts immediately. The server reads and drops the content after the response.
    case discarded
    /// The handler starts when the whole content has arrived, at most `limit` bytes.
    case buffered(limit: Int)
    /// The handler starts immediately and calls `Request.readContent()` when it needs the content, at most `limit` bytes.
    case onDemand(limit: Int)
}

/// A request as a handler sees it.
public struct Request: Sendable {
    /// The method, target, version and field lines as received.
    public let head: RequestHead
    /// The content, decoded; empty unless the route buffers it.
    public let content: [UInt8]
    /// The values of the route's path parameters, percent-decoded, in the order of the pattern.
    public let parameters: [String]
    /// The client and its connection.
    public let peer: Peer
    private let reader: (@Sendable () async -> [UInt8]?)?

    /// - Parameters:
    ///   - head: method, target, version and field lines.
    ///   - content: the content, decoded.
    ///   - parameters: the values of the route's path parameters.
    ///   - peer: the client and its connection.
    ///   - reader: reads the content on demand; nil if `content` is the whole content.
    public init(
        head: RequestHead, content: [UInt8], parameters: [String] = [], peer: Peer,
        reader: (@Sendable () async -> [UInt8]?)? = nil
    ) {
        self.head = head
        self.content = content
        self.parameters = parameters
        self.peer = peer
        self.reader = reader
    }

    /// Reads the whole content. A handler calls it at most once.
    ///
    /// - Returns: the content, decoded; nil if it did not arrive, was malformed or exceeded the route's limit. The server
    ///   has then responded or closed the connection, and ignores the handler's response.
    public func readContent() async -> [UInt8]? {
        guard let reader else { return content }
        return await reader()
    }
}

/// The other side of a connection.
public struct Peer: Sendable {
    /// The client's address and port.
    public let address: SocketAddress
    /// The TLS version, such as `TLSv1.3`; nil over plain HTTP.
    public let tlsVersion: String?
    /// The server name of the TLS handshake (SNI); nil without one.
    public let serverName: String?

    /// - Parameters: see the properties.
    public init(address: SocketAddress, tlsVersion: String? = nil, serverName: String? = nil) {
        self.address = address
        self.tlsVersion = tlsVersion
        self.serverName = serverName
    }
}
