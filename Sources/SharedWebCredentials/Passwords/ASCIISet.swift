typealias ASCIISet = Set<UInt8>

extension ASCIISet {
    static let upper = ASCIISet(UInt8(ascii: "A")...UInt8(ascii: "Z"))
    static let lower = ASCIISet(UInt8(ascii: "a")...UInt8(ascii: "z"))
    static let digits = ASCIISet(UInt8(ascii: "0")...UInt8(ascii: "9"))
    static let printable = ASCIISet(UInt8(ascii: " ")...UInt8(ascii: "~"))
    static let space: ASCIISet = [UInt8(ascii: " ")]

    func contains(_ scalar: Unicode.Scalar) -> Bool { UInt8(exactly: scalar.value).map(contains) ?? false }
}
