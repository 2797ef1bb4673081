import Foundation

/// Detects user names that can be mistaken for other names (Unicode Technical Standard #39).
enum NameAppearance {
    /// Checks the name of a new account.
    static func check(_ name: String) throws(UserName.Failure) {
        let scalars = name.unicodeScalars
        if scalars.allSatisfy(\.isASCII) { return }
        for (index, scalar) in scalars.enumerated() where !scalar.isASCII {
            if scalar.isInvisible { throw .invisibleCharacter(at: index + 1) }
            if scalar.isVariant { throw .variantCharacter(at: index + 1) }
        }
        guard unsafe scriptSets.contains(where: { name.wholeMatch(of: $0) != nil }), hasDigitsOfOneKind(name) else {
            throw .mixedScripts
        }
        if looksLatin(name) { throw .looksLatin }
    }

    /// A pattern for each set of scripts that a name may combine (UTS #39, section 5.2, "Highly Restrictive"). Single
    /// scripts must be in common use (UAX #31, table 5). In other scripts, too few readers would notice a lookalike.
    ///
    /// `Regex` is not `Sendable`, because it can contain closures. These patterns contain none and never change.
    nonisolated(unsafe) private static let scriptSets = patterns(
        [
            ["Latin"], ["Cyrillic"], ["Greek"], ["Latin", "Han", "Hiragana", "Katakana"], ["Latin", "Han", "Bopomofo"],
            ["Latin", "Han", "Hangul"],
        ]
            + [
                "Arabic", "Armenian", "Bengali", "Devanagari", "Ethiopic", "Georgian", "Gujarati", "Gurmukhi", "Hebrew",
                "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu", "Thaana",
                "Thai", "Tibetan",
            ].map { [$0] })

    private static func patterns(_ scriptSets: [[String]]) -> [Regex<AnyRegexOutput>] {
        scriptSets.compactMap { scripts in
            let members = (["Common", "Inherited"] + scripts).map { "\\p{scx=\($0)}" }.joined()
            return try? Regex("[\(members)]*").matchingSemantics(.unicodeScalar)
        }
    }

    /// Returns whether all digits belong to one decimal system. Digits of two systems can look alike but have different
    /// values (UTS #39, section 5.3).
    private static func hasDigitsOfOneKind(_ name: String) -> Bool {
        let zeros = name.unicodeScalars.compactMap { scalar -> Int? in
            guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else {
                return nil
            }
            return Int(scalar.value) - Int(value)
        }
        return Set(zeros).count <= 1
    }

    /// The Cyrillic, Greek and Armenian letters whose prototype is a Latin letter (UTS #39, confusables.txt).
    private static let latinLookalikes = Set(
        ("асеорхуіјѕһԁԛԝӏгьѵү" + "АВЕКМНОРСТХУІЈЅҮԚԜԌӀѴЬ" + "αινορσυγϲϳϱ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ" + "օոսհցզյՕՍՏԼ")
            .unicodeScalars)

    /// Returns whether all letters in a name look like Latin letters. Accents are ignored.
    private static func looksLatin(_ name: String) -> Bool {
        let letters = name.decomposedStringWithCanonicalMapping.unicodeScalars.filter(\.properties.isAlphabetic)
        return !letters.isEmpty && letters.allSatisfy(latinLookalikes.contains)
    }
}

extension Unicode.Scalar {
    /// Whether the character is invisible or has no defined appearance.
    fileprivate var isInvisible: Bool {
        // U+2800 is BRAILLE PATTERN BLANK, a symbol without dots.
        if properties.isDefaultIgnorableCodePoint || value == 0x2800 { return true }
        return [.format, .privateUse, .unassigned, .surrogate].contains(properties.generalCategory)
    }

    /// Whether the character decomposes to an ASCII character, or is a mathematical letter. Mathematical letters have
    /// no script of their own.
    fileprivate var isVariant: Bool {
        if (0x1D400...0x1D7FF).contains(value) { return true }
        let text = String(self)
        let plain = text.precomposedStringWithCompatibilityMapping
        return plain.unicodeScalars.contains(where: \.isASCII)
            && !plain.unicodeScalars.elementsEqual(text.precomposedStringWithCanonicalMapping.unicodeScalars)
    }
}
