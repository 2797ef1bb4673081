/// Text inside HTML.
public enum HTMLText {
    /// Replaces the five characters that mean something in HTML.
    ///
    /// Scalar by scalar, as browsers read: a quote with a combining mark behind it is one `Character`, but to a browser
    /// still a quote that ends an attribute.
    ///
    /// - Parameter text: any text.
    /// - Returns: the text as it may stand in an element or between the quotes of an attribute.
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
