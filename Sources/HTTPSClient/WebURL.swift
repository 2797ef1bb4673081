import MotivatorPlatform

/// An absolute `https` or `http` URL, parsed so strictly that it is safe to pass to other software.
///
/// The grammar follows RFC 3986. Other characters are percent-encoded as in a browser (WHATWG URL, "percent-encode
/// sets"). The parser rejects input that browsers repair by guessing: backslashes, tabs, line breaks, numbers as hosts,
/// and a `%` without digits. It also rejects user names, because they can disguise the host.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length in bytes, before and after percent-encoding.
    ///
    /// The limit is about twice the 8,000 octets that every recipient should support (RFC 9110 §4.1). It also bounds
    /// the matching time.
    public static let maximumLength = 16_384

    /// `https` or `http`, in lower case.
    public let scheme: String
    /// A domain name in lower case, or an IP address: IPv6 without brackets, in the form of RFC 5952.
    public let host: String
    /// The port from 1 to 65535; nil if the URL has none.
    public let port: UInt16?
    /// The path as written, percent-encoded; empty means the same as `/`.
    public let path: String
    /// The text after `?`, percent-encoded; nil if the URL has none.
    public let query: String?
    /// The text after `#`, percent-encoded; nil if the URL has none.
    public let fragment: String?

    public var description: String { requestURL + (fragment.map { "#\($0)" } ?? "") }

    /// The path and the query for a request line. The path is never empty (RFC 9112 §3.2.1).
    public var requestTarget: String { (path.isEmpty ? "/" : path) + (query.map { "?\($0)" } ?? "") }

    /// Parses a URL.
    /// - Parameter text: the whole URL, without white space around it, at most `maximumLength` bytes.
    public init(_ text: String) throws(Malformed) {
        try WebURL.checkWhole(text)
        let reference = try URLReference(text)
        guard let scheme = reference.scheme else { throw .noScheme(text) }
        guard let authority = reference.authority else { throw .noHost(text) }
        try self.init(
            scheme: scheme, authority: authority, path: reference.path, query: reference.query,
            fragment: reference.fragment)
    }

    package init(
        scheme: String, authority: URLAuthority, path: String, query: String?, fragment: String?
    ) throws(Malformed) {
        (self.scheme, host, port) = (scheme, authority.host, authority.port)
        (self.path, self.query, self.fragment) = (path, query, fragment)
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

    package var authority: String { host.bracketed + (port.map { ":\($0)" } ?? "") }

    private var requestURL: String { "\(scheme)://\(authority)\(path)" + (query.map { "?\($0)" } ?? "") }
}
