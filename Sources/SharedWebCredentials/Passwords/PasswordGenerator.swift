/// Makes passwords in the form of Apple's `SecCreateSharedWebCredentialPassword`, such as `kFp-8dX-Qm4-zRt`.
///
/// Four groups of three joined by dashes, 15 characters in all. The 12 between the dashes are drawn, each as likely as
/// any other, from 55 that nobody takes for one another: lower-case letters without i, j and l, upper-case letters without
/// I and O, the digits 2 to 9. A password without a lower-case letter, an upper-case letter or one of the digits 3 to 9
/// is drawn again as a whole, so that all that are left stay equally likely.
///
/// Source: Apple, Security framework, `SecSharedCredential`; 55 characters at 12 places make some 69 bits.
public struct PasswordGenerator: Sendable {
    static let groups = 4
    static let groupLength = 3
    /// The number of characters, dashes among them.
    public static let length = groups * groupLength + groups - 1
    static let alphabet = Array("abcdefghkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)

    /// Each password has a character of each; the 2 alone is no digit that counts.
    private static let classes = [
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "3")...UInt8(ascii: "9"),
    ]
    private static let fair = 256 / alphabet.count * alphabet.count

    public init() {}

    /// A new password, from the system's generator of random numbers.
    public func next() -> String {
        var system = SystemRandomNumberGenerator()
        return Self.next(using: &system)
    }

    /// - Parameter generator: where the randomness comes from.
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

    /// One character of the alphabet. The bytes from 220 on would favour the first 36, so they are drawn again.
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

/// The bytes of a generator that gives words, so that a byte does not cost a call of the system.
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
