import HTTPSClient
package import MotivatorPlatform

/// The host and port of the JSON API over HTTPS.
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A lowercase host name, or an IP address without brackets.
    package let host: String
    package let port: UInt16

    /// Parses an address.
    /// - Parameter text: `example.com` or `example.com:8443`. An IPv6 address requires brackets.
    package init(_ text: String) throws(ExplainedFailure) {
        guard !text.contains(where: { "/\\?#@".contains($0) }) else {
            throw ExplainedFailure(
                "\(String(text.prefix(80)).quoted) contains more than a host and a port",
                fix: "Use only a host and port, such as example.com:8443")
        }
        let url: WebURL
        do throws(WebURL.Malformed) { url = try WebURL("https://\(text)") } catch {
            throw ExplainedFailure(error.problem, fix: "Use an ASCII host and a port, such as example.com:8443")
        }
        host = url.host
        port = url.port ?? 443
    }

    /// The address as the authority of a URL, without port 443.
    package var description: String { port == 443 ? host.bracketed : "\(host.bracketed):\(port)" }
}
