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
            && longestRun(in: scalars) <= maximumConsecutive ?? .max
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
}

extension CharacterClasses {
    /// Returns whether a character belongs to one of the classes.
    fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool {
        listed.contains(scalar) || names.contains { $0 == .unicode || $0.members.contains(scalar) }
    }
}
