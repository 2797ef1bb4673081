/// What a `required` or an `allowed` rule of `PasswordRules` names: one class of characters, or several that count as one.
public struct CharacterClasses: Hashable, Sendable, CustomStringConvertible {
    /// A class that has a name; the names are Apple's.
    public enum Name: String, CaseIterable, Sendable {
        /// A to Z.
        case upper
        /// a to z.
        case lower
        /// 0 to 9.
        case digit
        /// The signs ``-~!@#$%^&*_+=`|(){}[:;"'<>,.?]`` and the space: all of ASCII but the slash and the backslash.
        case special
        /// Every printable character of ASCII, the space among them.
        case asciiPrintable = "ascii-printable"
        /// Every character.
        case unicode
    }

    /// The named classes.
    public let names: Set<Name>
    /// The characters that are listed in brackets.
    let listed: ASCIISet

    init(names: Set<Name> = [], listed: ASCIISet = ASCIISet()) {
        self.names = names
        self.listed = listed
    }

    /// The classes as the rules write them: names first, all listed characters in one pair of brackets.
    ///
    /// Inside brackets the hyphen stands first and the closing bracket last, since they mean themselves only there.
    public var description: String {
        var classes = Name.allCases.filter(names.contains).map(\.rawValue)
        if !listed.isEmpty {
            let edges = ASCIISet("-]".utf8)
            let inner = String(decoding: listed.subtracting(edges).members, as: UTF8.self)
            let (hyphen, bracket) = (listed.contains("-") ? "-" : "", listed.contains("]") ? "]" : "")
            classes.append("[\(hyphen)\(inner)\(bracket)]")
        }
        return classes.joined(separator: ", ")
    }

    /// Whether a character belongs to one of the classes.
    ///
    /// - Parameter scalar: a character of a password.
    public func contains(_ scalar: Unicode.Scalar) -> Bool {
        listed.contains(scalar) || names.contains { $0.contains(scalar) }
    }

    /// The characters that are drawn for a new password.
    ///
    /// The space is drawn only where it is listed: a form that trims what is typed would change the password. For `unicode`
    /// the printable characters of ASCII are drawn, which every keyboard has.
    var drawn: ASCIISet {
        names.reduce(listed) { $0.union($1.members.subtracting(.space)) }
    }

    func union(_ other: CharacterClasses) -> CharacterClasses {
        CharacterClasses(names: names.union(other.names), listed: listed.union(other.listed))
    }
}

extension CharacterClasses.Name {
    /// The characters of the class that are ASCII.
    fileprivate var members: ASCIISet {
        switch self {
        case .upper: .upper
        case .lower: .lower
        case .digit: .digits
        case .special:
            .printable.subtracting(.upper).subtracting(.lower).subtracting(.digits).subtracting(ASCIISet("/\\".utf8))
        case .asciiPrintable, .unicode: .printable
        }
    }

    fileprivate func contains(_ scalar: Unicode.Scalar) -> Bool { self == .unicode || members.contains(scalar) }
}
