@testable import SharedWebCredentials

extension PasswordRules {
    /// Returns whether a password satisfies the rules.
    func isSatisfied(by password: String) -> Bool {
        let scalars = password.unicodeScalars
        let permitted = permitted
        return scalars.count >= minimumLength ?? 0
            && scalars.count <= maximumLength ?? .max
            && scalars.allSatisfy(permitted.contains)
            && required.allSatisfy { scalars.contains(where: $0.contains) }
            && longestRun(in: scalars) <= min(maximumConsecutive ?? .max, maximumRepeating ?? .max)
            && longestSequence(in: password) <= min(maximumConsecutive ?? .max, maximumSequential ?? .max)
    }

    private func longestRun(in scalars: String.UnicodeScalarView) -> Int {
        var (last, run, longest) = (Unicode.Scalar?.none, 0, 0)
        for scalar in scalars {
            run = scalar == last ? run + 1 : 1
            longest = max(longest, run)
            last = scalar
        }
        return longest
    }

    /// Each part of an alphabet, read in either direction.
    private static let sequences = Set(
        ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"]
            .flatMap { [Array($0.utf8), $0.utf8.reversed()] }
            .flatMap { alphabet in
                alphabet.indices.flatMap { first in (first..<alphabet.count).map { alphabet[first...$0] } }
            })

    /// Returns the length of the longest part that also occurs in an alphabet, read in either direction.
    private func longestSequence(in password: String) -> Int {
        let bytes = Array(password.utf8)
        // Each part of a sequence is a sequence.
        return (1...26).prefix { length in
            stride(from: 0, through: bytes.count - length, by: 1).contains { first in
                Self.sequences.contains(bytes[first...].prefix(length))
            }
        }.last ?? 0
    }
}

extension CharacterClasses {
    /// Returns whether a character belongs to one of the classes.
    fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool {
        listed.contains(scalar) || names.contains { $0 == .unicode || $0.members.contains(scalar) }
    }
}
