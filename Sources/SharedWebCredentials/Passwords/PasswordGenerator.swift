/// A generator of passwords in the format of Apple's `SecCreateSharedWebCredentialPassword`, such as `kFp-8dX-Qm4-zRt`.
///
/// A password has four groups of three characters joined by dashes. The characters are drawn uniformly from 55 easily
/// distinguishable characters. These are the lower-case letters without i, j and l, the upper-case letters without I
/// and O, and the digits 2 to 9. Each password contains a lower-case letter, an upper-case letter and a digit from 3 to
/// 9. Other passwords are discarded as a whole, which keeps the remaining passwords equally likely.
///
/// Source: Apple, Security framework, `SecSharedCredential`. 12 random characters out of 55 have an entropy of about 69
/// bits.
public struct PasswordGenerator: Sendable {
    static let groups = 4
    static let groupLength = 3
    /// The number of characters, including dashes.
    public static let length = groups * groupLength + groups - 1
    static let alphabet = Array("abcdefghkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)

    /// The required classes. Each password contains a character from each class. The digit 2 does not count.
    private static let classes = [
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "3")...UInt8(ascii: "9"),
    ]
    private static let fair = 256 / alphabet.count * alphabet.count

    public init() {}

    /// Returns a new password, using the system's random number generator.
    public func next() -> String {
        var system = SystemRandomNumberGenerator()
        return Self.next(using: &system)
    }

    static func next(using generator: inout some RandomNumberGenerator) -> String {
        var bytes = RandomBytes()
        while true {
            let drawn = (0..<groups * groupLength).map { _ in draw(from: &bytes, using: &generator) }
            guard hasEveryClass(drawn) else { continue }
            let parts = stride(from: 0, to: drawn.count, by: groupLength).map { start in
                String(decoding: drawn[start..<start + groupLength], as: UTF8.self)
            }
            return parts.joined(separator: "-")
        }
    }

    /// Draws a character from the alphabet. Bytes of 220 and above are discarded, because they would favor the first 36
    /// characters.
    private static func draw(from bytes: inout RandomBytes, using generator: inout some RandomNumberGenerator) -> UInt8
    {
        while true {
            let byte = Int(bytes.next(using: &generator))
            if byte < fair { return alphabet[byte % alphabet.count] }
        }
    }

    private static func hasEveryClass(_ password: [UInt8]) -> Bool {
        classes.allSatisfy { range in password.contains { range.contains($0) } }
    }
}

/// A buffer that splits random words into bytes, which saves system calls.
private struct RandomBytes {
    private var word: UInt64 = 0
    private var left = 0

    mutating func next(using generator: inout some RandomNumberGenerator) -> UInt8 {
        if left == 0 {
            word = generator.next()
            left = 8
        }
        defer {
            word >>= 8
            left -= 1
        }
        return UInt8(truncatingIfNeeded: word)
    }
}
