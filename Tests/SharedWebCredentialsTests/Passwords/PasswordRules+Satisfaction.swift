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

    /// Returns the length of the longest part that also occurs in an alphabet, read in either direction.
    private func longestSequence(in password: String) -> Int {
        let alphabets = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"]
        let both = alphabets + alphabets.map { String($0.reversed()) }
        return (1...26).last { length in
            both.contains { alphabet in
                (0...26).contains { start in
                    let part = alphabet.dropFirst(start).prefix(length)
                    return part.count == length && password.contains(part)
                }
            }
        } ?? 0
    }
}

extension CharacterClasses {
    /// Returns whether a character belongs to one of the classes.
    fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool {
        listed.contains(scalar) || names.contains { $0 == .unicode || $0.members.contains(scalar) }
    }
}
