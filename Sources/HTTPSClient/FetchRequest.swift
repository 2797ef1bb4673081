/// One request to an HTTPS server.
package struct FetchRequest: Sendable {
    /// The method, a token.
    package var method: String
    /// A host name, or an IP address without brackets.
    package var host: String
    /// The port, 1 to 65,535.
    package var port: UInt16
    /// The path and the query, percent-encoded, starting with `/` (origin-form, RFC 9112 §3.2.1).
    package var target: String
    /// The fields except Host, Connection and the framing fields. Accept and User-Agent replace the fetcher's defaults.
    package var fields: [(name: String, value: String)]
    /// The content. If the content is empty, only POST, PUT and PATCH requests contain Content-Length.
    package var content: [UInt8]

    package init(
        method: String = "GET", host: String, port: UInt16 = 443, target: String,
        fields: [(name: String, value: String)] = [], content: [UInt8] = []
    ) {
        (self.method, self.host, self.port, self.target, self.fields) = (method, host, port, target, fields)
        self.content = content
    }

    /// The host, in brackets for an IPv6 address, with the port unless it is 443 (RFC 9110 §7.2).
    package var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }
}
