/// Status line and field lines of an answer.
public struct ResponseHead: Sendable {
    /// How the content's end is found (RFC 9112 §6.3).
    public enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
        /// The content goes on until the connection ends.
        case untilClose
    }

    /// Whether the answer is in HTTP/1.0; else it is in HTTP/1.1.
    public internal(set) var isHTTP10 = false
    /// The status, 100 to 999 as sent; RFC 9110 §15 wants those above 599 to be taken for 5xx.
    public internal(set) var status = 0
    /// The reason phrase as sent, often empty; each byte is the character of its number.
    public internal(set) var reason = ""
    /// Name and value of each field line, in order, as sent: each byte is the character of its number (ISO 8859-1), so
    /// that nothing is lost of what is not UTF-8.
    public internal(set) var fields: [(name: String, value: String)] = []
    /// How the content is framed.
    public internal(set) var framing = Framing.none

    init() {}
}

extension FieldBytes {
    /// The bytes as a text in which each is the character of its number.
    var byteText: String {
        var text = ""
        for byte in self { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        return text
    }
}
