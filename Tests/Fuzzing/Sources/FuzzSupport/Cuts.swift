/// The pieces of an input. The plan depends only on the bytes, so failures are reproducible.
///
/// A digest of the whole input determines the plan. Mutations therefore try other cuts, and seeds are plain messages.
public struct Cuts: Sendable {
    private enum Plan {
        case bytewise
        case every(Int)
        case at(Int, Int, Int)
    }

    /// The remaining bits of the digest, for other choices that a target makes.
    public let bits: UInt64
    private let plan: Plan
    private let count: Int

    /// The maximum size of an input that is delivered byte by byte. Without this limit, a few large inputs would take
    /// most of the time.
    private static let longestBytewise = 128

    public init(_ bytes: UnsafeBufferPointer<UInt8>) {
        var digest = Digest()
        digest.add(bytes)
        bits = digest.value >> 16
        count = bytes.count
        digest.add(0)
        let choice = digest.value
        guard count > 1 else {
            plan = .bytewise
            return
        }
        plan = Self.plan(choice, count)
    }

    private static func plan(_ choice: UInt64, _ count: Int) -> Plan {
        // The offsets range from 1 to count - 1, so that each cut leaves bytes on both sides.
        func offset(_ shift: UInt64) -> Int { 1 + Int((choice >> shift & 0xFFFF) % UInt64(count - 1)) }
        switch choice & 7 {
        case 0 where count <= longestBytewise: return .bytewise
        case 0, 1: return .every(2 + Int(choice >> 8 & 15))
        // A single cut explains a difference best, so it is the most common plan.
        case 2, 3, 4: return .at(offset(8), count, count)
        case _:
            let (one, two, three) = (offset(8), offset(24), offset(40))
            let low = min(one, two, three)
            let high = max(one, two, three)
            return .at(low, one ^ two ^ three ^ low ^ high, high)
        }
    }

    /// Calls `body` with each piece in order. No piece is empty.
    ///
    /// - Returns: False if `body` returned false. It then receives no further pieces.
    @inline(__always)
    public func forEach(_ body: (Range<Int>) -> Bool) -> Bool {
        var start = 0
        while start < count {
            let end = end(after: start)
            guard body(start..<end) else { return false }
            start = end
        }
        return true
    }

    private func end(after start: Int) -> Int {
        switch plan {
        case .bytewise: start + 1
        case .every(let length): min(start + length, count)
        case .at(let first, let second, let third):
            start < first ? first : start < second ? second : start < third ? third : count
        }
    }
}

/// Requires that a split input produces the same result as the whole input.
public func requireSame<Value: Equatable>(_ cut: Value, _ whole: Value, _ what: String) {
    require(cut == whole, "\(what): cut \(cut), whole \(whole)")
}
