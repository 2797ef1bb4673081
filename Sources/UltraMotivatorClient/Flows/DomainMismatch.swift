public import Platform

/// The app's domain is not the server's: what is shared with the one would be used at the other.
///
/// The domains have to be the same letter by letter, but for their case; `example.com` and `www.example.com` are two
/// (Apple, "Shared Web Credentials Reference").
public struct DomainMismatch: ExplainedError, Hashable {
    /// The domain of the app's shared web credentials.
    public let domain: String
    /// Who is asked.
    public let server: ServerAddress

    /// - Parameters:
    ///   - domain: the domain of the app's shared web credentials; with a port, that has to be the server's too.
    ///   - server: who is asked.
    /// - Returns: nil when they match.
    init?(domain: String, server: ServerAddress) {
        let host = server.host.utf8.contains(UInt8(ascii: ":")) ? "[\(server.host)]" : server.host
        guard ![host, "\(host):\(server.port)"].contains(domain.lowercased()) else { return nil }
        self.domain = domain
        self.server = server
    }

    public var problem: String {
        "the app shares credentials with \(String(domain.prefix(80)).quoted), but the server is \"\(server)\""
    }

    public var remedy: String { "Give the app's entitlement and its server the same domain" }
    public var exitCode: ExitCode { .configuration }
}
