/// An absolute URL of the web, `https` or `http`, read strictly enough to be passed on safely.
///
/// The grammar is that of RFC 3986; characters that have no place in it are percent-encoded as a browser does it (WHATWG
/// URL, "percent-encode sets"), but what browsers repair by guessing — backslashes, tabs and line breaks, numbers as
/// hosts, a lone `%` — is refused. A user name is refused too: the host would not be what it seems.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
    /// The longest text that is read, in bytes, before and after percent-encoding: twice the 8,000 octets that every
    /// recipient should support (RFC 9110, section 4.1), and short enough to bound the time of matching.
    public static let maximumLength = 16_384

    /// `https` or `http`, in lower case.
    public let scheme: String
    /// A domain name in lower case, or an IP address: an IPv6 address without its brackets, in the form of RFC 5952.
    public let host: String
    /// The port from 1 to 65535, or nil when none is written.
    public let port: UInt16?
    /// The path as written, percent-encoded; empty when none is written, which means the same as `/`.
    public let path: String
    /// What follows the `?`, percent-encoded, or nil when there is none.
    public let query: String?
    /// What follows the `#`, percent-encoded, or nil when there is none.
    public let fragment: String?

    public var description: String {
        requestURL + (fragment.map { "#\($0)" } ?? "")
    }

    /// Path and query in the form of a request line: the path is never empty (RFC 9112, section 3.2.1).
    public var requestTarget: String {
        (path.isEmpty ? "/" : path) + (query.map { "?\($0)" } ?? "")
    }

    /// Reads a URL.
    ///
    /// - Parameter text: the whole URL, without any space around it, at most `maximumLength` bytes.
    /// - Throws: `Malformed`, the first mistake.
    public init(_ text: String) throws(Malformed) {
        try WebURL.checkWhole(text)
        let reference = try URLReference(text)
        guard let scheme = reference.scheme else { throw .noScheme(text) }
        guard let authority = reference.authority else { throw .noHost(text) }
        try self.init(
            scheme: scheme, authority: authority, path: reference.path, query: reference.query,
            fragment: reference.fragment)
    }

    /// Puts percent-encoded parts together.
    package init(
        scheme: String, authority: URLAuthority, path: String, query: String?, fragment: String?
    ) throws(Malformed) {
        self.scheme = scheme
        host = authority.host
        port = authority.port
        self.path = path
        self.query = query
        self.fragment = fragment
        let length = description.utf8.count
        guard length <= WebURL.maximumLength else { throw .tooLong(length: length) }
    }

    package static func checkWhole(_ text: String) throws(Malformed) {
        let length = text.utf8.count
        guard length <= maximumLength else { throw .tooLong(length: length) }
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { throw .empty }
        if first.properties.isWhitespace || last.properties.isWhitespace { throw .surroundingSpace(text) }
    }

    /// Host and port as they are written in a URL.
    package var authority: String {
        let port = self.port.map { ":\($0)" } ?? ""
        let host = self.host.utf8.contains(UInt8(ascii: ":")) ? "[\(self.host)]" : self.host
        return host + port
    }

    private var requestURL: String { "\(scheme)://\(authority)\(path)" + (query.map { "?\($0)" } ?? "") }
}
