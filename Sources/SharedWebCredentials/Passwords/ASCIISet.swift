/// A set of ASCII characters, with one bit for each character.
struct ASCIISet: Hashable, Sendable {
    static let upper = ASCIISet(UInt8(ascii: "A")...UInt8(ascii: "Z"))
    static let lower = ASCIISet(UInt8(ascii: "a")...UInt8(ascii: "z"))
    static let digits = ASCIISet(UInt8(ascii: "0")...UInt8(ascii: "9"))
    static let printable = ASCIISet(UInt8(ascii: " ")...UInt8(ascii: "~"))
    static let space = ASCIISet(UInt8(ascii: " ")...UInt8(ascii: " "))

    private var bits: UInt128 = 0

    init() {}

    init(_ characters: some Sequence<UInt8>) {
        for character in characters { insert(character) }
    }

    var isEmpty: Bool { bits == 0 }

    /// The members in the order of their code points.
    var members: [UInt8] { (0..<128).filter(contains) }

    func contains(_ character: UInt8) -> Bool { character < 128 && bits >> UInt128(character) & 1 == 1 }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && contains(UInt8(truncatingIfNeeded: scalar.value))
    }

    mutating func insert(_ character: UInt8) {
        precondition(character < 128, "the character is not ASCII")
        bits |= 1 << UInt128(character)
    }

    func union(_ other: ASCIISet) -> ASCIISet { ASCIISet(bits: bits | other.bits) }

    func subtracting(_ other: ASCIISet) -> ASCIISet { ASCIISet(bits: bits & ~other.bits) }

    /// Returns whether this set comes before another set in a fixed order.
    func isBefore(_ other: ASCIISet) -> Bool { bits < other.bits }

    private init(bits: UInt128) {
        self.bits = bits
    }
}
