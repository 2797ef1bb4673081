/// A summary of which characters stand side by side in a text: each pair sets one of 64 bits.
///
/// What stands literally in a pattern has all its pairs in every text that matches, so that a single comparison of bits
/// rejects most patterns, wherever in them the literal stands. The reverse does not hold: different pairs may share a
/// bit.
package struct PairSet {
    private var bits: UInt64 = 0

    init() {}

    init(_ scalars: ArraySlice<UInt32>) {
        for (first, second) in zip(scalars, scalars.dropFirst()) {
            // The upper bits of a product depend on all the bits below them.
            bits |= 1 << UInt64(((first &* 31 &+ second) &* 0x9E37_79B1) >> 26)
        }
    }

    mutating func formUnion(_ other: PairSet) {
        bits |= other.bits
    }

    func isSubset(of other: PairSet) -> Bool {
        bits & ~other.bits == 0
    }
}
