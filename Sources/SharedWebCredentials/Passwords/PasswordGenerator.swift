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

    public init() {}

    /// Returns a new password, using the system's random number generator.
    public func next() -> String {
        var system = SystemRandomNumberGenerator()
        return Self.next(using: &system)
    }

    static func next(using generator: inout some RandomNumberGenerator) -> String {
        while true {
            let drawn = (0..<groups * groupLength).compactMap { _ in alphabet.randomElement(using: &generator) }
            guard hasEveryClass(drawn) else { continue }
            let parts = stride(from: 0, to: drawn.count, by: groupLength).map { start in
                String(decoding: drawn[start..<start + groupLength], as: UTF8.self)
            }
            return parts.joined(separator: "-")
        }
    }

    private static func hasEveryClass(_ password: [UInt8]) -> Bool {
        classes.allSatisfy { range in password.contains { range.contains($0) } }
    }
}
