/// Strings as JSON writes them (RFC 8259 §7): for logs and answers that are too small for an encoder.
public enum JSONText {
    /// The text in quotes, with everything escaped that JSON wants escaped, and what commands a terminal too: DEL, the
    /// line separators, the marks of direction and the byte order mark.
    public static func quote(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}",
                "\u{2066}"..."\u{2069}", "\u{FEFF}":
                quoted += "\\u" + scalar.value.hexadecimal(width: 4)
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
