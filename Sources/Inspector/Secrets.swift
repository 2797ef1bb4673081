/// Recognizes secrets by their names, and removes their values.
enum Secrets {
    /// The words that mark a name as secret, without punctuation. "auth" also covers "authorization".
    private static let words = ["auth", "cookie", "token", "secret", "password", "apikey"]
    /// The number of times that a name or a value is percent-decoded. A URL inside another URL is encoded twice.
    private static let decodings = 2
    private static let removed = "(removed)"

    /// Returns the value of a field, without secrets.
    static func value(_ value: String, ofField name: String) -> String { isSecret(name) ? removed : url(value) }

    /// Replaces the values of secret items in the query, the fragment and the path parameters of a URL.
    static func url(_ text: String) -> String { url(text, decodings) }

    private static func url(_ text: String, _ decodings: Int) -> String {
        // Compare bytes, because a combining character after a delimiter would become part of its `Character`.
        let bytes = text.utf8
        guard var start = bytes.firstIndex(where: { "?#;".utf8.contains($0) }) else { return text }
        var kept = String(text[..<start])
        while start < bytes.endIndex {
            let first = bytes.index(after: start)
            let end = bytes[first...].firstIndex { "?#;&".utf8.contains($0) } ?? bytes.endIndex
            kept += text[start..<first] + item(text[first..<end], decodings)
            start = end
        }
        return kept
    }

    /// Returns an item such as `name=value`, without the value if the name is secret, or if the value contains a secret.
    private static func item(_ item: Substring, _ decodings: Int) -> String {
        let equals = item.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = item[..<(equals ?? item.startIndex)]
        let isHidden = equals != nil && isSecret(String(name))
        guard isHidden || contains(item[name.endIndex...], decodings) else { return String(item) }
        return equals == nil ? removed : "\(name)=\(removed)"
    }

    /// Returns whether an encoded value is a URL or an item with a secret.
    private static func contains(_ value: Substring, _ decodings: Int) -> Bool {
        let plain = "?" + decoded(value.drop { $0 == "=" })
        return decodings > 0 && plain.utf8.contains(UInt8(ascii: "=")) && url(plain, decodings - 1) != plain
    }

    /// Returns whether a name contains one of the words. Ignores case, punctuation and percent-encoding.
    private static func isSecret(_ name: String) -> Bool {
        var name = name
        for _ in 0..<decodings { name = decoded(name[...]) }
        let letters = String(decoding: name.utf8.filter { (0x41...0x5A).contains($0 & 0xDF) }, as: UTF8.self)
        return words.contains { letters.lowercased().contains($0) }
    }

    /// Decodes each valid `%xx` once. Other text stays as it is, even if it contains a malformed escape.
    private static func decoded(_ text: Substring) -> String {
        let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        var bytes = Array(parts[0])
        for part in parts.dropFirst() {
            let digits = part.prefix(2)
            // The conversion also accepts a sign.
            if digits.count == 2, digits.first != UInt8(ascii: "+"),
                let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(byte)
                bytes += part.dropFirst(2)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes += part
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
