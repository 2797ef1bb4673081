import MotivatorHTTP

/// The cookies of a request (RFC 6265 §4.2): pairs separated by semicolons, in any number of Cookie lines.
struct Cookies: Sendable {
    private let pairs: [String]

    init(_ head: RequestHead) {
        pairs = head.fieldLines.filter { $0.name.lowercased() == "cookie" }.flatMap {
            $0.value.split(separator: ";").map(\.withoutSpaces)
        }
    }

    /// Returns the values of all cookies with this name, in order. Each byte is decoded as one character (ISO 8859-1).
    func values(of name: String) -> [String] {
        pairs.filter { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
    }
}
