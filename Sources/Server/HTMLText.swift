/// HTML escaping of text.
package enum HTMLText {
    /// Escapes the five special characters of HTML.
    ///
    /// It escapes scalars, because browsers parse scalars. A quote with a combining mark is one `Character`, but a
    /// browser still recognizes the quote.
    ///
    /// - Parameter text: any text.
    /// - Returns: text for an element or a quoted attribute value.
    package static func escape(_ text: String) -> String {
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
