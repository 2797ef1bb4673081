/// The characters of a `required` or `allowed` rule of `PasswordRules`: the union of one or more classes.
public struct CharacterClasses: Hashable, Sendable, CustomStringConvertible {
    /// A named class. The names are Apple's.
    public enum Name: String, CaseIterable, Sendable {
        /// A to Z.
        case upper
        /// a to z.
        case lower
        /// 0 to 9.
        case digit
        /// The symbols ``-~!@#$%^&*_+=`|(){}[:;"'<>,.?]`` and the space: all ASCII symbols except slash and backslash.
        case special
        /// Every printable ASCII character, including the space.
        case asciiPrintable = "ascii-printable"
        /// Every character.
        case unicode
    }

    /// The named classes.
    public let names: Set<Name>
    let listed: ASCIISet

    init(names: Set<Name> = [], listed: ASCIISet = ASCIISet()) {
        (self.names, self.listed) = (names, listed)
    }

    /// The classes in the syntax of the rules: the names, then all listed characters in one pair of brackets.
    ///
    /// As the syntax requires, the hyphen comes first inside the brackets, and the closing bracket last.
    public var description: String {
        var classes = Name.allCases.filter(names.contains).map(\.rawValue)
        if !listed.isEmpty {
            let edges = ASCIISet("-]".utf8)
            let inner = String(decoding: listed.subtracting(edges).sorted(), as: UTF8.self)
            let (hyphen, bracket) = (listed.contains("-") ? "-" : "", listed.contains("]") ? "]" : "")
            classes.append("[\(hyphen)\(inner)\(bracket)]")
        }
        return classes.joined(separator: ", ")
    }

    /// The characters that a new password can contain.
    ///
    /// A space is included only if it is listed, because a form that trims its input would change the password.
    /// `unicode` stands for the printable ASCII characters here, because every keyboard supports them.
    var drawn: ASCIISet { names.reduce(listed) { $0.union($1.members.subtracting(.space)) } }

    func union(_ other: CharacterClasses) -> CharacterClasses {
        CharacterClasses(names: names.union(other.names), listed: listed.union(other.listed))
    }
}

extension CharacterClasses.Name {
    var members: ASCIISet {
        switch self {
        case .upper: .upper
        case .lower: .lower
        case .digit: .digits
        case .special:
            .printable.subtracting(.upper).subtracting(.lower).subtracting(.digits).subtracting(ASCIISet("/\\".utf8))
        case .asciiPrintable, .unicode: .printable
        }
    }
}

typealias ASCIISet = Set<UInt8>

extension ASCIISet {
    static let upper = ASCIISet(UInt8(ascii: "A")...UInt8(ascii: "Z"))
    static let lower = ASCIISet(UInt8(ascii: "a")...UInt8(ascii: "z"))
    static let digits = ASCIISet(UInt8(ascii: "0")...UInt8(ascii: "9"))
    static let printable = ASCIISet(UInt8(ascii: " ")...UInt8(ascii: "~"))
    static let space: ASCIISet = [UInt8(ascii: " ")]

    func contains(_ scalar: Unicode.Scalar) -> Bool { UInt8(exactly: scalar.value).map(contains) ?? false }
}
