/// A set of positions between the characters of a text, from 0 to its length: one bit each.
struct PositionSet {
    private(set) var words: [UInt64] = []

    /// Makes the set empty and gives it room.
    ///
    /// - Parameter last: the last position.
    package mutating func clear(upTo last: Int) {
        let count = last / 64 + 1
        if words.count == count {
            for index in 0..<count { words[index] = 0 }
        } else {
            words.removeAll(keepingCapacity: true)
            words.append(contentsOf: repeatElement(0, count: count))
        }
    }

    package mutating func insert(_ position: Int) {
        words[position >> 6] |= 1 << UInt64(position & 63)
    }

    /// Inserts all positions of a range that lies within the room.
    package mutating func insert(_ range: ClosedRange<Int>) {
        for word in (range.lowerBound >> 6)...(range.upperBound >> 6) {
            let low = Swift.max(range.lowerBound - word * 64, 0)
            let high = Swift.min(range.upperBound - word * 64, 63)
            words[word] |= (UInt64.max << UInt64(low)) & (UInt64.max >> UInt64(63 - high))
        }
    }

    package func contains(_ position: Int) -> Bool {
        words[position >> 6] & (1 << UInt64(position & 63)) != 0
    }

    package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// The smallest position, or nil when there is none.
    package var first: Int? {
        guard let word = words.firstIndex(where: { $0 != 0 }) else { return nil }
        return word * 64 + words[word].trailingZeroBitCount
    }

    /// The largest position, or nil when there is none.
    package var last: Int? {
        guard let word = words.lastIndex(where: { $0 != 0 }) else { return nil }
        return word * 64 + 63 - words[word].leadingZeroBitCount
    }

    mutating func formUnion(_ other: PositionSet) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    /// Calls a closure with each position, the smallest first.
    func forEach(_ body: (Int) -> Void) {
        for index in words.indices {
            var bits = words[index]
            while bits != 0 {
                body(index * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
            }
        }
    }
}
