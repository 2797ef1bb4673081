/// The status line and the field lines of a response.
public struct ResponseHead: Sendable {
    /// Whether the response is in HTTP/1.0 rather than HTTP/1.1.
    public internal(set) var isHTTP10 = false
    /// The status as sent, 100 to 999. RFC 9110 §15 treats those above 599 as 5xx.
    public internal(set) var status = 0
    /// The reason phrase as sent, in ISO 8859-1; often empty.
    public internal(set) var reason = ""
    /// The name and the value of each field line, in order, as ISO 8859-1 text: no byte is lost, whatever the encoding.
    public internal(set) var fields: [(name: String, value: String)] = []
    /// How the content is framed.
    public internal(set) var framing = Framing.none

    init() {}
}
