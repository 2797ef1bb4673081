/// Whether a password is only a name with decorations: digits, punctuation, spaces, substitutes for letters, or the name
/// several times.
enum DecoratedName {
    /// The maximum number of decorations. A password with more of them may be hard to guess.
    private static let mostDecorations = 8

    private static let substituted: [Unicode.Scalar: Unicode.Scalar] = [
        "0": "o", "1": "i", "!": "i", "3": "e", "4": "a", "@": "a", "5": "s", "$": "s", "7": "t",
    ]

    /// - Parameters:
    ///   - password: the password, folded for comparison.
    ///   - name: the name, folded for comparison.
    static func matches(_ password: String, name: String) -> Bool {
        if password == name { return true }
        let core = letters(name.unicodeScalars)
        guard !core.isEmpty else { return significant(name).elementsEqual(significant(password)) }
        let scalars = password.unicodeScalars
        guard scalars.count(where: { !isLetter($0) }) <= mostDecorations else { return false }
        if isRepetition(letters(scalars), of: core) { return true }
        guard let first = scalars.firstIndex(where: isLetter), let last = scalars.lastIndex(where: isLetter) else {
            return false
        }
        return isRepetition(letters(scalars[first...last].map { substituted[$0] ?? $0 }), of: core)
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic }

    private static func letters(_ scalars: some Sequence<Unicode.Scalar>) -> [Unicode.Scalar] {
        scalars.filter(isLetter)
    }

    /// The letters and digits, which are all that counts in a name without letters; other characters count where there
    /// is neither.
    private static func significant(_ text: String) -> [Unicode.Scalar] {
        let kept = text.unicodeScalars.filter { isLetter($0) || $0.properties.numericType != nil }
        return kept.isEmpty ? Array(text.unicodeScalars) : Array(kept)
    }

    private static func isRepetition(_ text: [Unicode.Scalar], of unit: [Unicode.Scalar]) -> Bool {
        guard !text.isEmpty, text.count.isMultiple(of: unit.count) else { return false }
        return text.indices.allSatisfy { text[$0] == unit[$0 % unit.count] }
    }
}
