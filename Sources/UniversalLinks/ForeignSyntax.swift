/// A construct of another pattern language: a route parameter, or a part of a regular expression.
struct ForeignSyntax {
    /// The first construct, such as `{id}`.
    let construct: String
    /// The patterns that match what the author probably meant.
    let patterns: [String]

    /// The maximum number of patterns for alternatives such as `(a|b)`. A longer list is not readable.
    private static let maximumPatterns = 8
    /// The maximum length of a pattern in bytes. It bounds the work for a malicious file.
    private static let maximumLength = 256

    /// Translates a pattern. Returns nil if the pattern has no such construct.
    ///
    /// No loop in these expressions consumes the character that starts its construct, so an unclosed one costs little.
    init?(_ pattern: String) {
        guard Self.mayOccur(in: pattern) else { return nil }
        let list = pattern.hasPrefix("/") ? pattern.split(separator: #/,\s*(?=(?:NOT )?\/)/#) : []
        guard list.count < 2 else {
            (construct, patterns) = (",", list.prefix(Self.maximumPatterns).map { String($0) })
            return
        }
        var first: (construct: Substring, start: String.Index)?
        let note = { (found: Substring) in
            guard found.startIndex <= first?.start ?? found.startIndex else { return }
            first = (found.first.map { "/=".contains($0) } ?? false ? found.dropFirst() : found, found.startIndex)
        }
        let alternatives = #/\(([^()|]*(?:\|[^()|]*)+)\)\??/#
        for match in pattern.matches(of: alternatives) { note(match.0) }
        var text = pattern.replacing(#/\(\?(?::|P?<\w+>)/#, with: "(")
        // An anchor; a character class with its quantifier; a parameter; any characters; an escaped character.
        let tokens =
            #/^\^|\$$|(\\[dwsDWS]|\[\^[^\[\]]+\]|\[[^\[\]]*\w-\w[^\[\]]*\]|\[[^\[\]]+\](?=[+{]))([+*?]|\{(\d+)(,\d*)?\})?|\{[^{}\/]+\}|<[^<>\/]+>|\/:[A-Za-z]\w*(?:\([^()]*\))?[?*+]?(?=\/|$)|\/\[\.*\w+\](?=\/|$)|(?:^|[\/(=])\.[*+]|\\([\/.\-_])/#
        for match in pattern.matches(of: tokens) { note(match.0) }
        guard let first else { return nil }
        construct = String(first.construct)
        text = text.replacing(tokens) { match in
            if let escaped = match.5 { return String(escaped) }
            if let count = match.3.flatMap({ Int($0) }) {
                return String(repeating: "?", count: min(count, 32)) + (match.4 == nil ? "" : "*")
            }
            if match.1 != nil { return match.2 == nil ? "?" : "*" }
            guard match.0 != "^", match.0 != "$" else { return "" }
            return (match.0.first.map { "/=(".contains($0) ? String($0) : "" } ?? "") + "*"
        }
        text = text.replacing(#/\(([*?]+)\)[+*?]?/#) { String($0.1) }
        let isAnchored = pattern.hasPrefix("^") || pattern.hasSuffix("$")
        if isAnchored, text.hasSuffix("/?") { text = String(text.dropLast(2)) }
        if pattern.hasPrefix("^"), !pattern.hasSuffix("$") { text += "*" }
        var patterns = [text.replacing(#/\*+/#, with: "*")]
        while patterns.count < Self.maximumPatterns, let match = patterns.first?.firstMatch(of: alternatives) {
            let values = match.1.split(separator: "|", omittingEmptySubsequences: false)
            patterns = patterns.flatMap { text in values.map { text.replacing(match.0, with: $0, maxReplacements: 1) } }
        }
        self.patterns = patterns
    }

    /// Returns whether a pattern may contain a construct. The check is fast, and few patterns pass it.
    static func mayOccur(in pattern: String) -> Bool {
        guard pattern.utf8.count <= maximumLength else { return false }
        return pattern.utf8.last == UInt8(ascii: "$") || pattern.utf8.contains { "{<[\\^|:,".utf8.contains($0) }
            || zip(pattern.utf8, pattern.utf8.dropFirst()).contains { $0 == 0x2E && ($1 == 0x2A || $1 == 0x2B) }
    }
}
