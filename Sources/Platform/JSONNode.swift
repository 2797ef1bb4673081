/// A JSON value to write. The members of an object keep their order.
package enum JSONNode: Sendable, ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
    case text(String)
    case number(Int)
    case truth(Bool)
    case null
    case list([JSONNode])
    case members([(key: String, value: JSONNode)])

    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .truth(value) }
    package init(arrayLiteral elements: JSONNode...) { self = .list(elements) }

    package init(dictionaryLiteral elements: (String, JSONNode)...) {
        self = .members(elements.map { (key: $0.0, value: $0.1) })
    }

    /// Creates an object with sorted keys. Its text is then the same in every run.
    package static func object(_ members: [String: JSONNode]) -> JSONNode {
        .members(members.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) })
    }

    package static func optional(_ text: String?) -> JSONNode { text.map { .text($0) } ?? .null }

    package static func optional(_ number: Int?) -> JSONNode { number.map { .number($0) } ?? .null }

    package static func texts(_ texts: some Sequence<String>) -> JSONNode { .list(texts.map { .text($0) }) }

    /// Returns the object with another member at its end, unless the value is nil.
    package func adding(_ key: String, _ value: JSONNode?) -> JSONNode {
        guard case .members(let members) = self, let value else { return self }
        return .members(members + [(key: key, value: value)])
    }

    /// Returns indented JSON text with a final line break.
    package func bytes() -> [UInt8] {
        bytes(indentation: "\n")
    }

    /// Returns JSON text on one line, with a final line break.
    package func line() -> [UInt8] {
        bytes(indentation: "")
    }

    private func bytes(indentation: String) -> [UInt8] {
        var text = ""
        write(to: &text, indentation: indentation)
        return Array(text.utf8) + [UInt8(ascii: "\n")]
    }

    /// - Parameter indentation: a line break and spaces; empty for text on one line.
    private func write(to text: inout String, indentation: String) {
        let inner = indentation.isEmpty ? "" : indentation + "  "
        switch self {
        case .text(let value): text += JSONText.quote(value)
        case .number(let value): text += String(value)
        case .truth(let value): text += value ? "true" : "false"
        case .null: text += "null"
        case .list(let elements):
            guard !elements.isEmpty else { return text += "[]" }
            for (index, element) in elements.enumerated() {
                text += (index == 0 ? "[" : ",") + inner
                element.write(to: &text, indentation: inner)
            }
            text += indentation + "]"
        case .members(let members):
            guard !members.isEmpty else { return text += "{}" }
            for (index, member) in members.enumerated() {
                text += (index == 0 ? "{" : ",") + inner + JSONText.quote(member.key) + (inner.isEmpty ? ":" : ": ")
                member.value.write(to: &text, indentation: inner)
            }
            text += indentation + "}"
        }
    }
}

/// JSON strings (RFC 8259 §7), for logs and responses that are too small for an encoder.
package enum JSONText {
    /// Returns the text in quotes. Escapes every character that JSON does not allow in a string. Also escapes
    /// characters that affect a terminal: DEL, C1 controls, line separators, directional marks and the byte order mark.
    package static func quote(_ text: String) -> String {
        // Most strings are printable ASCII without quotes and backslashes.
        let isPlain = text.utf8.allSatisfy { byte in
            (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        if isPlain { return "\"\(text)\"" }
        return text.inQuotes { scalar in
            switch scalar {
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}",
                "\u{2066}"..."\u{2069}", "\u{FEFF}":
                "\\u" + scalar.value.hexadecimal(width: 4)
            case _: nil
            }
        }
    }
}
