/// A set of positions between the characters in a text, from 0 to its length. Each position is one bit.
struct PositionSet {
    fileprivate var words: [UInt64]
    /// The indices of the words that can contain positions. All other words are zero.
    fileprivate var used = 0..<0

    init(width: Int = 1) { words = Array(repeating: 0, count: width) }

    fileprivate mutating func clear(width: Int) {
        guard words.count == width else { return self = PositionSet(width: width) }
        for index in used { words[index] = 0 }
        used = 0..<0
    }

    /// Inserts a range into an empty set.
    fileprivate mutating func insert(_ range: ClosedRange<Int>) {
        used = (range.lowerBound >> 6)..<(range.upperBound >> 6 + 1)
        for word in used {
            let low = Swift.max(range.lowerBound - word * 64, 0)
            let high = Swift.min(range.upperBound - word * 64, 63)
            words[word] |= (UInt64.max << UInt64(low)) & (UInt64.max >> UInt64(63 - high))
        }
    }

    fileprivate mutating func formUnion(_ other: PositionSet) {
        for index in other.used { words[index] |= other.words[index] }
        guard !other.used.isEmpty, !used.isEmpty else { return used = used.isEmpty ? other.used : used }
        used = Swift.min(used.lowerBound, other.used.lowerBound)..<Swift.max(used.upperBound, other.used.upperBound)
    }

    fileprivate func contains(_ position: Int) -> Bool { words[position >> 6] & (1 << UInt64(position & 63)) != 0 }

    fileprivate var first: Int? { used.first { words[$0] != 0 }.map { $0 * 64 + words[$0].trailingZeroBitCount } }
    fileprivate var last: Int? { used.last { words[$0] != 0 }.map { $0 * 64 + 63 - words[$0].leadingZeroBitCount } }
}

/// A part of a URL, prepared for comparison with patterns.
struct MatchText {
    /// The row for any character. It is between the rows of ASCII characters and the rows of character classes.
    static let anyRow = 0x80

    static func row(of characters: CharacterClass) -> Int {
        anyRow + 1 + (CharacterClass.allCases.firstIndex(of: characters) ?? 0)
    }

    /// The value of an absent query item.
    static let empty = MatchText([], shown: "")

    /// The text for messages: in its original case, and decoded if the form requires it.
    let shown: String
    let count: Int
    let pairs: PairSet
    let width: Int
    /// For each row, the positions before its characters, as a set of words.
    private var rows: [UInt64]
    /// The rows of the characters outside ASCII.
    private var otherRows: [UInt32: Int] = [:]

    /// - Parameter variants: More characters for each position: texts of the same length.
    init(_ scalars: [UInt32], shown: String, variants: [UInt32] = []) {
        let all = scalars + variants
        (self.shown, count, pairs) = (shown, scalars.count, PairSet(all, length: scalars.count))
        width = scalars.count / 64 + 1
        rows = Array(repeating: 0, count: (MatchText.anyRow + 1 + CharacterClass.allCases.count) * width)
        for (index, scalar) in all.enumerated() {
            let position = index < count ? index : index % count
            mark(MatchText.anyRow, position)
            guard scalar >= 0x80 else {
                mark(Int(scalar), position)
                for (index, characters) in CharacterClass.allCases.enumerated() where characters.contains(scalar) {
                    mark(MatchText.anyRow + 1 + index, position)
                }
                continue
            }
            let row = otherRows[scalar] ?? rows.count / width
            if otherRows.updateValue(row, forKey: scalar) == nil {
                rows.append(contentsOf: repeatElement(0, count: width))
            }
            mark(row, position)
        }
    }

    private mutating func mark(_ row: Int, _ position: Int) {
        rows[row * width + position >> 6] |= 1 << UInt64(position & 63)
    }

    /// Moves positions across the characters of a step that is not a variable.
    fileprivate func advance(_ set: PositionSet, over step: PatternStep, into next: inout PositionSet) -> Bool {
        switch step {
        case .row(let row): return advance(set, overRow: row, into: &next)
        case .scalar(let scalar):
            if let row = otherRows[scalar] { return advance(set, overRow: row, into: &next) }
        case .star:
            next.clear(width: width)
            if let first = set.first { next.insert(first...count) }
            return set.first != nil
        case .variable: break
        }
        next.clear(width: width)
        return false
    }

    private func advance(_ set: PositionSet, overRow row: Int, into next: inout PositionSet) -> Bool {
        next.clear(width: width)
        var (carry, first, last) = (UInt64(0), -1, -1)
        for index in set.used {
            let moving = set.words[index] & rows[row * width + index]
            let moved = moving << 1 | carry
            carry = moving >> 63
            guard moved != 0 else { continue }
            next.words[index] = moved
            if first < 0 { first = index }
            last = index
        }
        if carry != 0 {
            last = set.used.upperBound
            next.words[last] = carry
            if first < 0 { first = last }
        }
        next.used = first < 0 ? 0..<0 : first..<(last + 1)
        return first >= 0
    }

    /// Returns whether a position in the set is at the end or before a slash.
    fileprivate func isSlashOrEnd(_ set: PositionSet) -> Bool {
        set.contains(count) || set.used.contains { set.words[$0] & rows[0x2F * width + $0] != 0 }
    }
}

/// Compares patterns with texts.
///
/// The matcher tracks all positions that the steps so far can reach, 64 positions per operation. The time for a
/// comparison is at most proportional to the product of the lengths. A work limit bounds the total for all comparisons.
struct PatternMatcher {
    /// The point where a comparison failed.
    struct Mismatch {
        enum Kind {
            /// The atom does not match at the position.
            case atom
            /// The atoms up to the next `*` do not occur at or after the position.
            case nowhere
            /// The remaining atoms are not at the end.
            case notAtEnd
            /// The pattern is complete, but the text continues.
            case leftover
            /// Like `leftover`, but a slash would also match.
            case neitherSlashNorEnd
        }

        let kind: Kind
        /// The index of the expected atom.
        let atom: Int
        let position: Int
    }

    private let variables: [Variable]
    /// The remaining work. If the value is negative, results are not valid.
    private var workLeft: Int
    private var current = PositionSet()
    private var next = PositionSet()
    /// The positions that each depth of a variable's values can reach.
    private var levels: [PositionSet] = []

    var isExhausted: Bool { workLeft < 0 }

    init(variables: [Variable], workLimit: Int) {
        self.variables = variables
        workLeft = workLimit
    }

    /// Compares a whole text with a pattern.
    /// - Returns: The mismatch, or nil if the text matches. The result is not valid if the work limit is exceeded.
    mutating func mismatch(of pattern: Pattern, in text: MatchText) -> Mismatch? {
        current.clear(width: text.width)
        current.insert(0...0)
        spend(current)
        /// The number of steps up to the last star, and the first position that it reaches.
        var star: (end: Int, position: Int)?
        for (index, step) in pattern.steps.enumerated() {
            spend(current)
            let fits =
                if case .variable(let variable) = step {
                    follow(variables[variable], in: text)
                } else {
                    text.advance(current, over: step, into: &next)
                }
            guard fits, !isExhausted else { return mismatch(at: index, after: star, pattern) }
            if step == .star { star = (index + 1, current.first ?? 0) }
            swap(&current, &next)
        }
        if pattern.hasTail ? text.isSlashOrEnd(current) : current.contains(text.count) { return nil }
        if star != nil { return mismatch(at: pattern.steps.count, after: star, pattern) }
        return Mismatch(
            kind: pattern.hasTail ? .neitherSlashNorEnd : .leftover, atom: pattern.steps.count,
            position: current.last ?? 0)
    }

    private func mismatch(at index: Int, after star: (end: Int, position: Int)?, _ pattern: Pattern) -> Mismatch {
        guard let star else { return Mismatch(kind: .atom, atom: index, position: current.last ?? 0) }
        let isLast = !pattern.hasTail && !pattern.steps[star.end...].contains(.star)
        return Mismatch(kind: isLast ? .notAtEnd : .nowhere, atom: star.end, position: star.position)
    }

    /// Counts work outside a comparison.
    mutating func spend(_ work: Int) { workLeft -= work }

    private mutating func spend(_ positions: PositionSet) { spend(positions.used.count + 3) }

    /// Stores in `next` the positions after each matching value of a variable.
    private mutating func follow(_ variable: Variable, in text: MatchText) -> Bool {
        next.clear(width: text.width)
        if variable.hasEmptyValue { next.formUnion(current) }
        if levels.isEmpty { levels.append(current) } else { levels[0] = current }
        var index = 0
        while index < variable.nodes.count, !isExhausted {
            let node = variable.nodes[index]
            spend(levels[node.depth])
            if levels.count < node.depth + 2 { levels.append(PositionSet(width: text.width)) }
            guard text.advance(levels[node.depth], over: node.step, into: &levels[node.depth + 1]) else {
                index = node.end
                continue
            }
            if node.isComplete { next.formUnion(levels[node.depth + 1]) }
            index += 1
        }
        return next.first != nil
    }
}
