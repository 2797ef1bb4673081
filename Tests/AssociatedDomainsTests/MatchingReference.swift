/// The simplest implementation of the matching rules: backtracking over characters. Exponential, for small inputs only.
enum MatchingReference {
    static func matches(path: String, pattern: String, variables: [String: [String]] = [:]) -> Bool {
        let text = normalized(path)
        var pieces = normalized(pattern)
        // A final slash and star in the pattern also match the end of the path.
        if pieces.count >= 2, pieces.suffix(2) == ["/", "*"] {
            let whole = matches(text[...], pieces[...], variables)
            pieces.removeLast(2)
            return whole || matches(text[...], pieces[...], variables)
        }
        return matches(text[...], pieces[...], variables)
    }

    static func matches(query: String, pattern: String, variables: [String: [String]] = [:]) -> Bool {
        matches(Array(query.unicodeScalars)[...], Array(pattern.unicodeScalars)[...], variables)
    }

    /// Normalizes a path by removing characters until no rule applies.
    static func normalized(_ path: String) -> [Unicode.Scalar] {
        var scalars = Array(("/" + path).unicodeScalars)
        while let index = scalars.indices.dropLast().first(where: {
            scalars[$0] == scalars[$0 + 1] && (scalars[$0] == "/" || scalars[$0] == "*")
        }) {
            scalars.remove(at: index)
        }
        if scalars.count > 1, scalars.last == "/" { scalars.removeLast() }
        return scalars
    }

    private static func matches(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>, _ variables: [String: [String]]
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return matches(text, pattern.dropFirst(), variables)
                || (!text.isEmpty && matches(text.dropFirst(), pattern, variables))
        }
        if first == "$", pattern.dropFirst().first == "(", let end = pattern.firstIndex(of: ")") {
            let name = String(String.UnicodeScalarView(pattern[(pattern.startIndex + 2)..<end]))
            let rest = pattern[(end + 1)...]
            if name == "digit" {
                guard let digit = text.first, ("0"..."9").contains(digit) else { return false }
                return matches(text.dropFirst(), rest, variables)
            }
            if let values = variables[name] {
                return values.contains { matches(text, Array($0.unicodeScalars) + rest, variables) }
            }
        }
        guard let scalar = text.first, first == "?" || first == scalar else { return false }
        return matches(text.dropFirst(), pattern.dropFirst(), variables)
    }

    private static func matches(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: [Unicode.Scalar], _ variables: [String: [String]]
    ) -> Bool {
        matches(text, pattern[...], variables)
    }
}
