import Foundation

/// A user name as typed, in NFC. Names that differ only in case count as the same name.
package struct UserName: Sendable, Hashable {
    package enum Failure: Error, Equatable, Sendable {
        case empty
        /// The text has more code points than `UserName.maximumLength`. The code points are counted after NFC, or
        /// before NFC if the text is far too long.
        case tooLong(codePoints: Int)
        /// The text contains a control character, a line or paragraph separator, or a direction control. Code points
        /// are numbered from 1.
        case controlCharacter(at: Int)
        /// The text of a new name begins or ends with a space, or has two spaces in a row.
        case extraSpace
        /// The text contains an invisible or unassigned character. Code points are numbered from 1, in NFC.
        case invisibleCharacter(at: Int)
        /// The text contains a mathematical letter or a variant of an ASCII character. Examples of variants are
        /// full-width letters and the no-break space. Code points are numbered from 1, in NFC.
        case variantCharacter(at: Int)
        /// The text mixes scripts that are not used together, has an uncommon script, or has digits from two decimal
        /// systems.
        case mixedScripts
        /// All letters belong to another script and look like Latin letters.
        case looksLatin
    }

    /// The maximum number of code points after NFC. This length allows long email addresses and fits on one line.
    package static let maximumLength = 64

    /// The displayed name: as typed, in NFC.
    package let text: String
    /// The name folded for comparison. Names with the same key belong to the same account.
    package let key: String

    /// Creates the name of a new account. Rejects names that users could mistake for other names (Unicode Technical
    /// Standard #39).
    /// - Parameter text: the name as typed. It is not trimmed.
    package init(_ text: String) throws(Failure) {
        try self.init(existing: text)
        // A page shows only one of several spaces, and none at the start and the end.
        guard
            self.text.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
        else {
            throw .extraSpace
        }
        // Check the name in NFC, as displayed. Swift composes some old Hangul letters to unassigned code points.
        try NameAppearance.check(self.text)
    }

    /// Creates the name of an existing account. Accounts that were created under earlier rules keep their names.
    /// - Parameter text: the name as typed. It is not trimmed.
    /// - Throws: the first of `Failure.empty`, `.tooLong` and `.controlCharacter` that applies.
    package init(existing text: String) throws(Failure) {
        guard !text.isEmpty else { throw .empty }
        let typed = text.unicodeScalars.count
        // NFC composes at most four code points into one, so a longer text cannot become short enough.
        guard typed <= 4 * Self.maximumLength else { throw .tooLong(codePoints: typed) }
        // Compose twice, because Swift orders the two marks of U+0F81 after other marks only when they are separate
        // characters.
        let composed = text.precomposedStringWithCanonicalMapping.precomposedStringWithCanonicalMapping
        let count = composed.unicodeScalars.count
        guard count <= Self.maximumLength else { throw .tooLong(codePoints: count) }
        if let control = text.unicodeScalars.enumerated().first(where: { $0.element.controlsText }) {
            throw .controlCharacter(at: control.offset + 1)
        }
        self.text = composed
        key = Self.fold(composed)
    }

    /// Removes differences in case and composition (full case conversion, Unicode Standard, section 3.13). Uppercasing
    /// makes ß equal to SS, and ς equal to σ. Lowercasing first makes ẞ equal to ß. The text is decomposed first
    /// (D145), because uppercasing turns a combining iota (U+0345) into a separate letter.
    static func fold(_ text: String) -> String {
        text.decomposedStringWithCanonicalMapping.lowercased().uppercased().lowercased()
            .precomposedStringWithCanonicalMapping
    }
}

extension Unicode.Scalar {
    /// Whether the character breaks a line, controls a terminal, or reverses the text after it.
    fileprivate var controlsText: Bool {
        switch value {
        case 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        case _: properties.generalCategory == .control
        }
    }
}
