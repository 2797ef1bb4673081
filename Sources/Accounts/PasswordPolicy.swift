import Foundation

/// What a new password must be (NIST SP 800-63B-4 §3.1.1.2): long enough, not too long, not easily guessed; nothing
/// about which characters it is made of.
public struct PasswordPolicy: Sendable {
    /// Why a password cannot be used.
    public enum Fault: Error, Equatable, Sendable {
        /// Fewer code points than this.
        case tooShort(minimum: Int)
        /// More bytes of UTF-8 than this.
        case tooLong(maximumBytes: Int)
        /// One of the most common passwords.
        case common
        /// The user name, also with digits and punctuation around it.
        case isUserName
        /// A name of the site or this word of it, also with digits and punctuation around it.
        case isSiteName(word: String)
    }

    /// The most bytes of UTF-8 after NFC; checked before any hashing, also of passwords that are only verified, so that
    /// a long text is no way to make the server work.
    public static let maximumBytes = 1024
    /// The values that `minimumLength` can have, in code points: NIST asks for 15 where the password is the only
    /// factor.
    public static let minimumLengths = 8...64

    /// The fewest code points that a new password may have.
    public var minimumLength: Int {
        didSet { minimumLength = Self.clamped(minimumLength) }
    }

    /// The names of the site and their words.
    private let siteWords: [String]

    /// - Parameters:
    ///   - minimumLength: the fewest code points, brought into `minimumLengths`.
    ///   - siteNames: the names of the site, such as "Ultra Motivator" or its domain. Words of fewer than 4 letters in
    ///     them, such as "www", do not count.
    public init(minimumLength: Int = 8, siteNames: [String] = []) {
        self.minimumLength = Self.clamped(minimumLength)
        siteWords = siteNames.flatMap { name in
            [name] + name.split { !$0.isLetter }.filter { $0.count >= 4 }.map(String.init)
        }
    }

    /// Checks a new password.
    ///
    /// - Parameters:
    ///   - password: the password as typed; it is brought into NFC, and not trimmed.
    ///   - name: whose password it is to be.
    /// - Throws: `Fault`, the first that applies: too long, too short, the user name, the site's name, common.
    public func check(_ password: String, for name: UserName) throws(Fault) {
        let composed = try Self.composed(password)
        guard composed.unicodeScalars.count >= minimumLength else { throw .tooShort(minimum: minimumLength) }
        let folded = UserName.fold(composed)
        guard !DecoratedName.matches(folded, name: name.key) else { throw .isUserName }
        if let word = siteWords.first(where: { DecoratedName.matches(folded, name: UserName.fold($0)) }) {
            throw .isSiteName(word: word)
        }
        guard !CommonPasswords.contains(composed) else { throw .common }
    }

    /// Brings a password into the one form in which it is hashed.
    ///
    /// - Parameter password: the password as typed, new or to be verified.
    /// - Returns: its NFC.
    /// - Throws: `Fault.tooLong`.
    static func composed(_ password: String) throws(Fault) -> String {
        // NFC makes no text shorter than a quarter, so this cannot become short enough; and it need not be composed.
        guard password.utf8.count <= 4 * maximumBytes else { throw .tooLong(maximumBytes: maximumBytes) }
        let composed = password.precomposedStringWithCanonicalMapping
        guard composed.utf8.count <= maximumBytes else { throw .tooLong(maximumBytes: maximumBytes) }
        return composed
    }

    private static func clamped(_ length: Int) -> Int {
        min(max(length, minimumLengths.lowerBound), minimumLengths.upperBound)
    }
}
