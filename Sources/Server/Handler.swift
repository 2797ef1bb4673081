public import HTTP
public import Platform

/// Makes the answer to a request, away from the event loop.
///
/// What needs no work for a request is no handler but a `Representation`, which the loop writes itself.
public protocol Handler: Sendable {
    /// Answers a request. The task is cancelled when the connection is reset or ends for another reason. A client that
    /// only closes its write side still waits for the response.
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

/// What the server does with the content of a request to a route.
public enum ContentPolicy: Sendable, Equatable {
    /// The handler starts at once. The server reads and drops the content after the response.
    case discarded
    /// The handler starts when the whole content has arrived, at most `limit` bytes.
    case buffered(limit: Int)
    /// The handler starts at once and calls `Request.readContent()` when it needs the content, at most `limit` bytes.
    case onDemand(limit: Int)
}

/// A request as a handler sees it.
public struct Request: Sendable {
    /// Method, target, version and field lines, as they came.
    public let head: RequestHead
    /// The content, decoded; empty unless the route buffers it.
    public let content: [UInt8]
    /// The values of the route's path parameters, percent-decoded, in the order of the pattern.
    public let parameters: [String]
    /// Where the request came from and over what.
    public let peer: Peer
    private let reader: (@Sendable () async -> [UInt8]?)?

    /// - Parameters:
    ///   - head: method, target, version and field lines.
    ///   - content: the content, decoded.
    ///   - parameters: the values of the route's path parameters.
    ///   - peer: where the request came from.
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
    /// The name that the client asked for in the TLS handshake; nil without one.
    public let serverName: String?

    /// - Parameters: as of the properties.
    public init(address: SocketAddress, tlsVersion: String? = nil, serverName: String? = nil) {
        self.address = address
        self.tlsVersion = tlsVersion
        self.serverName = serverName
    }
}
