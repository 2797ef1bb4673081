import Foundation

/// A user name as typed, in NFC. Names are unique without regard to case.
public struct UserName: Sendable, Hashable {
    /// Why a text cannot be a user name.
    public enum Fault: Error, Equatable, Sendable {
        case empty
        /// More code points than `UserName.maximumLength`. The count is after NFC, or as typed if it is far too high.
        case tooLong(codePoints: Int)
        /// A control character, a line or paragraph separator, or a character that controls the text direction. Code
        /// points are numbered from 1.
        case controlCharacter(at: Int)
        /// A character that is invisible or unassigned. Code points are numbered from 1, in NFC.
        case invisibleCharacter(at: Int)
        /// A variant of an ASCII character or a mathematical letter, such as a full-width letter or a no-break space.
        /// Code points are numbered from 1, in NFC.
        case variantCharacter(at: Int)
        /// Letters of scripts that are not used together or not in common use, or digits of two kinds.
        case mixedScripts
        /// All letters belong to another script and look like Latin letters.
        case looksLatin
    }

    /// The maximum number of code points after NFC: enough for a long e-mail address, and one line on every screen.
    public static let maximumLength = 64

    /// The name as it is shown: as typed, in NFC.
    public let text: String
    /// The name folded for comparison. Names with the same key belong to the same account.
    public let key: String

    /// Creates the name of a new account, which users cannot mistake for another (Unicode Technical Standard #39).
    ///
    /// - Parameter text: the name as typed; it is not trimmed.
    /// - Throws: `Fault`, the first that applies.
    public init(_ text: String) throws(Fault) {
        try self.init(existing: text)
        // In NFC, as it is shown: Swift composes some old Hangul letters to unassigned code points.
        try NameAppearance.check(self.text)
    }

    /// Creates the name of an existing account. Accounts that were created under earlier rules keep their names.
    ///
    /// - Parameter text: the name as typed; it is not trimmed.
    /// - Throws: `Fault.empty`, `.tooLong` or `.controlCharacter`, the first that applies.
    init(existing text: String) throws(Fault) {
        guard !text.isEmpty else { throw .empty }
        let typed = text.unicodeScalars.count
        // NFC composes at most four code points into one, so this cannot become short enough.
        guard typed <= 4 * Self.maximumLength else { throw .tooLong(codePoints: typed) }
        let composed = text.precomposedStringWithCanonicalMapping
        let count = composed.unicodeScalars.count
        guard count <= Self.maximumLength else { throw .tooLong(codePoints: count) }
        if let control = text.unicodeScalars.enumerated().first(where: { $0.element.controlsText }) {
            throw .controlCharacter(at: control.offset + 1)
        }
        self.text = composed
        key = Self.fold(composed)
    }

    /// Removes differences of case and composition (full case conversion, Unicode Standard, section 3.13). The upper
    /// case makes ß equal to SS and ς equal to σ. The lower case before it makes ẞ equal to ß.
    static func fold(_ text: String) -> String {
        text.lowercased().uppercased().lowercased().precomposedStringWithCanonicalMapping
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
