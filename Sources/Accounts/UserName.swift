import Foundation

/// A user name as it was typed, in NFC; unique without case.
public struct UserName: Sendable, Hashable {
    /// Why a text cannot be a user name.
    public enum Fault: Error, Equatable, Sendable {
        case empty
        /// More code points than `UserName.maximumLength`; the count is after NFC, or as typed where that is far too
        /// many.
        case tooLong(codePoints: Int)
        /// A control character, a line or paragraph separator, or a character that commands the direction of the text,
        /// as the code point with this number from 1.
        case controlCharacter(at: Int)
        /// A character that is not visible or not assigned, as the code point with this number from 1, in NFC.
        case invisibleCharacter(at: Int)
        /// A variant of an ASCII character or of a mathematical letter, such as a full-width letter or a no-break
        /// space, as the code point with this number from 1, in NFC.
        case variantCharacter(at: Int)
        /// Letters of scripts that are not written together, or of a script that is not in common use, or digits of two
        /// kinds.
        case mixedScripts
        /// All letters are of another script and look like Latin letters.
        case looksLatin
    }

    /// The most code points, after NFC: enough for a long e-mail address, and a line on every screen.
    public static let maximumLength = 64

    /// The name as it is shown: as typed, in NFC.
    public let text: String
    /// The name folded for comparison: two names with the same key are the same account.
    public let key: String

    /// Makes the name of a new account: one that users cannot mistake for another (Unicode Technical Standard #39).
    ///
    /// - Parameter text: the name as typed; it is not trimmed.
    /// - Throws: `Fault`, the first that applies.
    public init(_ text: String) throws(Fault) {
        try self.init(existing: text)
        // In NFC, as it is shown. Swift composes some old Hangul letters to code points that are not assigned.
        try NameAppearance.check(self.text)
    }

    /// Makes the name of an account that may exist already: accounts created under earlier rules keep their names.
    ///
    /// - Parameter text: the name as typed; it is not trimmed.
    /// - Throws: `Fault.empty`, `.tooLong` or `.controlCharacter`, the first that applies.
    init(existing text: String) throws(Fault) {
        guard !text.isEmpty else { throw .empty }
        let typed = text.unicodeScalars.count
        // No canonical composition is of more than four code points, so this cannot become short enough.
        guard typed <= 4 * Self.maximumLength else { throw .tooLong(codePoints: typed) }
        let composed = text.precomposedStringWithCanonicalMapping
        let count = composed.unicodeScalars.count
        guard count <= Self.maximumLength else { throw .tooLong(codePoints: count) }
        if let place = text.unicodeScalars.enumerated().first(where: { $0.element.commandsText }) {
            throw .controlCharacter(at: place.offset + 1)
        }
        self.text = composed
        key = Self.fold(composed)
    }

    /// Takes away what only case and composition tell apart: by way of the upper case, so that ß is SS and ς is σ, and
    /// before that of the lower, so that ẞ is ß (full case conversion, Unicode Standard, section 3.13).
    static func fold(_ text: String) -> String {
        text.lowercased().uppercased().lowercased().precomposedStringWithCanonicalMapping
    }
}

extension Unicode.Scalar {
    /// Whether it breaks a line, commands a terminal, or reverses the text after it.
    fileprivate var commandsText: Bool {
        switch value {
        case 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        case _: properties.generalCategory == .control
        }
    }
}
