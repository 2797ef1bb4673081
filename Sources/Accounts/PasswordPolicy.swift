import Foundation

/// The rules for new passwords (NIST SP 800-63B-4 §3.1.1.2). A password must be long enough and hard to guess. All
/// characters are allowed.
package struct PasswordPolicy: Sendable {
    package enum Failure: Error, Equatable, Sendable {
        /// The password has fewer code points than `minimum`.
        case tooShort(minimum: Int)
        /// The password has more UTF-8 bytes than `maximumBytes`.
        case tooLong(maximumBytes: Int)
        case common
        /// The password is the user name, possibly with digits and punctuation added.
        case isUserName
        /// The password is a site name or a word from a site name, possibly with digits and punctuation added.
        case isSiteName(word: String)
    }

    /// The maximum length in UTF-8 bytes after NFC. It is checked before hashing, so a long password uses no CPU time.
    package static let maximumBytes = 1024
    /// The valid values of `minimumLength`, in code points. NIST requires at least 15 if the password is the only
    /// factor.
    package static let minimumLengths = 8...64

    /// The minimum number of code points in a new password.
    package var minimumLength: Int {
        didSet { minimumLength = Self.clamped(minimumLength) }
    }

    /// The site names and their words.
    private let siteWords: [String]

    /// - Parameters:
    ///   - minimumLength: the minimum number of code points, clamped to `minimumLengths`.
    ///   - siteNames: the site names, such as "Ultra Motivator" or a domain. Words with fewer than 4 letters, such as
    ///     "www", are ignored.
    package init(minimumLength: Int = 8, siteNames: [String] = []) {
        self.minimumLength = Self.clamped(minimumLength)
        siteWords = siteNames.flatMap { name in
            [name] + name.split { !$0.isLetter }.filter { $0.count >= 4 }.map(String.init)
        }
    }

    /// Checks a new password.
    /// - Parameters:
    ///   - password: the password as typed. It is normalized to NFC and not trimmed.
    ///   - name: the user name; nil if it is refused.
    /// - Throws: the first `Failure` that applies, in this order: too long, too short, user name, site name, common.
    package func check(_ password: String, for name: UserName?) throws(Failure) {
        let composed = try Self.composed(password)
        guard composed.unicodeScalars.count >= minimumLength else { throw .tooShort(minimum: minimumLength) }
        let folded = UserName.fold(composed)
        if let name, DecoratedName.matches(folded, name: name.key) { throw .isUserName }
        if let word = siteWords.first(where: { DecoratedName.matches(folded, name: UserName.fold($0)) }) {
            throw .isSiteName(word: word)
        }
        guard !CommonPasswords.contains(composed) else { throw .common }
    }

    /// Normalizes a password to NFC before hashing.
    static func composed(_ password: String) throws(Failure) -> String {
        // NFC cannot shorten a text to less than a quarter of its length.
        guard password.utf8.count <= 4 * maximumBytes else { throw .tooLong(maximumBytes: maximumBytes) }
        let composed = password.precomposedStringWithCanonicalMapping
        guard composed.utf8.count <= maximumBytes else { throw .tooLong(maximumBytes: maximumBytes) }
        return composed
    }

    private static func clamped(_ length: Int) -> Int {
        min(max(length, minimumLengths.lowerBound), minimumLengths.upperBound)
    }
}

/// Detects passwords that are a name, possibly with digits, punctuation and spaces.
enum DecoratedName {
    /// The maximum number of decorations. A password with more decorations may be hard to guess.
    private static let mostDecorations = 8

    /// Returns whether a password is a decorated name.
    /// - Parameters:
    ///   - password: the password, folded for comparison.
    ///   - name: the name, folded for comparison. In a name without letters, the digits count.
    static func matches(_ password: String, name: String) -> Bool {
        if password == name { return true }
        let hasLetters = name.unicodeScalars.contains(where: \.properties.isAlphabetic)
        func core(_ text: String) -> [Unicode.Scalar] {
            text.unicodeScalars.filter { scalar in
                scalar.properties.isAlphabetic || !hasLetters && scalar.properties.numericType != nil
            }
        }
        let found = core(password)
        return !found.isEmpty && found == core(name)
            && password.unicodeScalars.count - found.count <= mostDecorations
    }
}
