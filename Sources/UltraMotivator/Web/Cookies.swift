import MotivatorHTTP

/// The cookies of a request (RFC 6265 §4.2): pairs separated by semicolons, in any number of Cookie lines.
struct Cookies: Sendable {
    private let head: RequestHead

    init(_ head: RequestHead) { self.head = head }

    /// Returns the values of all cookies with this name, in order. Each byte is decoded as one character (ISO 8859-1).
    ///
    /// A request can have thousands of other cookies, so they are not decoded.
    func values(of name: String) -> [String] {
        let start = Array((name + "=").utf8)
        return head.withFields { fields in
            fields.lines(of: .cookie).flatMap { line in
                line.split(separator: UInt8(ascii: ";")).compactMap { part in
                    let part = FieldBytes(rebasing: part)
                    let pair = part.part(part.trimmed(0..<part.count))
                    return pair.starts(with: start) ? pair.part(start.count..<pair.count).latin1 : nil
                }
            }
        }
    }
}
