package import HTTPSClient
package import MotivatorPlatform

/// The host and port of the JSON API over HTTPS.
package struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A lowercase host name, or an IP address without brackets.
    package let host: String
    /// The port, from 1 to 65,535.
    package let port: UInt16

    /// Parses an address.
    /// - Parameter text: `example.com` or `example.com:8443`. An IPv6 address requires brackets.
    package init(_ text: String) throws(Malformed) {
        guard !text.contains(where: { "/\\?#@".contains($0) }) else { throw .more(text) }
        let url: WebURL
        do throws(WebURL.Malformed) { url = try WebURL("https://\(text)") } catch { throw .url(error) }
        host = url.host
        port = url.port ?? 443
    }

    /// The address as the authority of a URL, without port 443.
    package var description: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    /// The reason why text is not a server address.
    package enum Malformed: ExplainedError, Hashable, Sendable {
        case url(WebURL.Malformed)
        /// The text is a URL, or has a path, query, fragment or user.
        case more(String)

        package var problem: String {
            switch self {
            case .url(let malformed): malformed.problem
            case .more(let text): "\(String(text.prefix(80)).quoted) contains more than a host and a port"
            }
        }

        package var fix: String {
            switch self {
            case .url(let malformed): malformed.fix
            case .more: "Use only a host and port, such as example.com:8443"
            }
        }

        package var exitCode: ExitCode { .usage }
    }
}
