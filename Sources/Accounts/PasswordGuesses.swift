/// Passwords that guessing tools try: decorated common words, keyboard walks, repetitions, sequences and dates.
///
/// The words and patterns come from analyses of published breaches.
enum PasswordGuesses {
    /// Returns whether a password is a guess.
    /// - Parameter password: the password in lowercase.
    static func contains(_ password: String) -> Bool {
        if patterns.contains(password) || forms.contains(password) { return true }
        for index in password.indices.dropFirst() {
            if suffixes.contains(String(password[index...])), forms.contains(String(password[..<index])) { return true }
            if prefixes.contains(String(password[..<index])), forms.contains(String(password[index...])) { return true }
        }
        return false
    }

    /// Each word in three forms: unchanged, doubled, and with substituted letters.
    static let forms = Set(words.flatMap { [$0, $0 + $0, substituted($0)] })

    /// The guesses that do not contain words.
    static let patterns = Set(walks + repetitions + dates)

    /// Returns a word with all common substitutions.
    private static func substituted(_ word: String) -> String {
        let substitutes: [Character: Character] = ["a": "@", "e": "3", "i": "1", "o": "0", "s": "$"]
        return String(word.map { substitutes[$0] ?? $0 })
    }

    private static let years = (1950...2035).map { String($0) }

    static let suffixes = Set(
        split(
            """
            1 2 3 7 12 123 1234 12345 123456 321 01 007 69 99 00 11 22 0 000 111 777 ! !! 1! 12! 123! 1234! @ @1 @12 @123
            @1234 #1 #123 . .. ? _1 _123 -1 -123 abc qwerty you me man boy girl
            """)
            + years + years.suffix(20).map { $0 + "!" } + years.suffix(20).map { "@" + $0 })

    static let prefixes = Set(split("1 12 123 1234 my the iam ilove i<3 ! @ new mr"))

    private static func split(_ list: String) -> [String] {
        list.split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Runs of 8 to 12 adjacent keys in both directions, and combinations of shorter runs.
    private static var walks: [String] {
        let rows = split(
            """
            1234567890 qwertyuiop asdfghjkl zxcvbnm qwertzuiop yxcvbnm azertyuiop qsdfghjklm qwertyuiopasdfghjklzxcvbnm
            abcdefghijklmnopqrstuvwxyz 01234567890123456789 1qaz2wsx3edc4rfv5tgb6yhn7ujm qazwsxedcrfvtgbyhnujm
            1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6u7i8o9p0 qawsedrftgyhujikolp zaqxswcdevfrbgtnhymju aqswdefrgthyjukilo
            1a2s3d4f5g6h7j8k9l a1s2d3f4g5h6j7k8 a1b2c3d4e5f6g7h8i9 1a2b3c4d5e6f7g8h9i 147258369 159357456852 741852963
            qpwoeirutyalskdjfhg !@#$%^&*() 1!2@3#4$5%6^7&8*9(0)
            """)
        var walks: [String] = []
        for row in rows {
            for path in [row, String(row.reversed())] {
                for length in 8...12 where length <= path.count {
                    for start in 0...(path.count - length) {
                        walks.append(String(path.dropFirst(start).prefix(length)))
                    }
                }
            }
        }
        let parts = rows.prefix(6).flatMap { row in [3, 4, 5, 6].map { String(row.prefix($0)) } }
        for first in parts {
            for second in parts { walks += [first + second, first + String(second.reversed())] }
            for end in ["1", "12", "123", "1234", "!", "!@#", "!@#$"] { walks += [first + end, end + first] }
        }
        return walks
    }

    /// Repetitions of one to four characters.
    private static var repetitions: [String] {
        let letters = "abcdefghijklmnopqrstuvwxyz".map { String($0) }
        let numbers = (0...99).map { String($0) }
        let others = split(
            """
            ab abc abcd xyz qwe asd zxc qaz wsx aaa1 abc1 123 1234 321 4321 asdf qwer zxcv 1q2w pass love test lol haha
            blah ha la !@ !@#$
            """)
        let units = letters + numbers + others
        return units.flatMap { unit in
            (8...12).filter { $0.isMultiple(of: unit.count) }.map { String(repeating: unit, count: $0 / unit.count) }
        }
    }

    /// Years, the first day of each month, and dates with equal day and month. More dates would exclude too many
    /// numbers that users remember.
    private static var dates: [String] {
        let months = (1...12).map { $0 < 10 ? "0\($0)" : "\($0)" }
        var dates: [String] = []
        for year in years {
            dates += [year + year, year + "0000", "1234" + year, year + "1234"]
            for month in months {
                dates += ["01" + month + year, month + "01" + year, month + month + year]
                dates += [year + month + "01", year + month + month]
            }
        }
        return dates
    }

    private static let words = split(String(decoding: PackageResources.guessed_words_txt, as: UTF8.self))
}

/// Common passwords of 8 or more characters, which attackers try first (NIST SP 800-63B-4 §3.1.1.2).
///
/// They include `PasswordGuesses` and the list in common-passwords.txt. The list comes from zxcvbn 4.5.0 for Python
/// (MIT license), which ranks passwords from public breaches. It contains most of the first 3,600 entries with at least
/// 8 printable ASCII characters. The entries are in lowercase. Offensive entries are omitted.
enum CommonPasswords {
    /// The entries, parsed on first use. An entry of up to 15 bytes needs no allocation.
    static let entries = Set(
        String(decoding: PackageResources.common_passwords_txt, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            .map(String.init))

    /// Returns whether a password is common. The comparison is case-insensitive.
    /// - Parameter password: the new password, in NFC.
    static func contains(_ password: String) -> Bool {
        let lowercased = password.lowercased()
        // All guesses are shorter. The longest guess is a doubled word with a decoration.
        guard lowercased.utf8.count <= 64 else { return false }
        return entries.contains(lowercased) || PasswordGuesses.contains(lowercased)
    }
}
