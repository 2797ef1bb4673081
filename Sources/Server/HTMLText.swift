/// Text in HTML.
public enum HTMLText {
    /// Escapes the five characters that have a meaning in HTML.
    ///
    /// It escapes scalars, as browsers parse them: a quote with a combining mark is one `Character`, but a browser
    /// still sees the quote.
    ///
    /// - Parameter text: any text.
    /// - Returns: text for an element or for an attribute value in quotes.
    public static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
