import Platform

/// How log lines are written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// For people: values in their order, names only where a value alone says too little.
    case text
    /// For programs: one JSON object on each line, all values on the first level.
    case json

    /// Values that stand for themselves in a line for people.
    private static let unnamed: Set<String> = [
        "time", "client", "host", "method", "target", "status", "tls", "level", "message",
    ]

    /// Puts a line together.
    ///
    /// - Parameter parts: names and values in their order.
    /// - Returns: one line with its line end, of printable ASCII alone, whatever the values hold.
    public func line(_ parts: [(name: String, value: LogValue)]) -> String {
        switch self {
        case .text:
            let texts = parts.compactMap { part -> String? in
                if Self.unnamed.contains(part.name) { return part.value.plain ?? "-" }
                return part.value.plain.map { "\(part.name)=\($0)" }
            }
            return texts.joined(separator: " ") + "\n"
        case .json:
            let members = parts.map { "\(JSONText.quote($0.name)):\($0.value.json)" }
            return "{" + members.joined(separator: ",") + "}\n"
        }
    }
}

/// A value of a log line.
public enum LogValue: Sendable {
    case text(String)
    /// Text from outside, or nothing.
    case optional(String?)
    /// A sentence of our own, which may hold quoted values from outside.
    case sentence(String)
    case number(Int)

    /// As in a line for people: in quotes when it is not one plain word; nil for nothing.
    var plain: String? {
        switch self {
        case .text(let text), .optional(.some(let text)): Self.isWord(text) ? text : Self.ascii(JSONText.quote(text))
        case .optional(.none): nil
        case .sentence(let text):
            Self.ascii(String(JSONText.quote(text).dropFirst().dropLast()))
                .replacing("\\\"", with: "\"")
        case .number(let number): String(number)
        }
    }

    var json: String {
        switch self {
        case .text(let text), .sentence(let text), .optional(.some(let text)): Self.ascii(JSONText.quote(text))
        case .optional(.none): "null"
        case .number(let number): String(number)
        }
    }

    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && text != "-" && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
    }

    /// A terminal may take other bytes for commands, and another may take them for letters of its own.
    private static func ascii(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x7F }) else { return text }
        return text.utf16.map { unit in
            guard unit >= 0x7F else { return String(UnicodeScalar(UInt8(unit))) }
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
