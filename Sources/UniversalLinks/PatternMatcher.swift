/// Compares patterns with texts, in a time bounded by the product of their lengths, and by a limit of work in all.
///
/// The segments between two `*` are looked for one after the other, each at its first location behind the one before: a
/// later location could not do better. A segment with a variable, whose values differ in length, is followed with the set
/// of all the positions that can be reached.
struct PatternMatcher {
    /// Where a comparison got stuck.
    struct Stop {
        package enum Kind {
            /// A token did not fit where it had to.
            case mismatch
            /// A segment stands nowhere from a position on.
            case nowhere
            /// The last segment does not stand at the end.
            case notAtEnd
            /// The pattern is complete, but the text goes on.
            case leftover
            /// As `leftover`, where a slash would have done too.
            case neitherSlashNorEnd
        }

        package var kind = Kind.mismatch
        /// The index of the token in the store; it may be one behind the last of the pattern.
        var token = 0
        /// The number of characters of that token that fitted.
        package var within = 0
        /// The index of the character at which nothing fitted any more.
        package var position = 0
    }

    package let store: PatternStore
    /// Where the last comparison that failed got stuck.
    private(set) var stop = Stop()
    /// The steps that are left; below zero the answers mean nothing any more.
    private(set) var workLeft: Int

    private var current = PositionSet()
    private var next = PositionSet()
    private var valueCurrent = PositionSet()
    private var valueNext = PositionSet()

    var isExhausted: Bool { workLeft < 0 }

    init(store: PatternStore, workLimit: Int) {
        self.store = store
        workLeft = workLimit
    }

    /// Counts work that was done elsewhere.
    package mutating func spend(_ steps: Int) {
        workLeft -= steps
    }

    /// How a segment may end.
    private enum Ending {
        case anywhere
        case end
        case slashOrEnd
    }

    /// Whether a text matches a pattern as a whole.
    ///
    /// - Parameters:
    ///   - pattern: an index into the store's patterns.
    ///   - text: the text in the variant of the pattern.
    /// - Returns: false too when the work is exhausted.
    package mutating func matches(_ pattern: Int, _ text: [UInt32]) -> Bool {
        guard !isExhausted else { return false }
        let segments = store.patterns[pattern].segments
        let hasTail = store.patterns[pattern].hasTail
        var position = 0
        for index in segments {
            let segment = store.segments[index]
            let isLast = index == segments.upperBound - 1
            let ending: Ending = isLast ? (hasTail ? .slashOrEnd : .end) : .anywhere
            let isFirst = index == segments.lowerBound
            let reached: Int? =
                switch segment.length {
                case .some(let length) where isFirst: fit(segment, length, at: 0, ending, text)
                case .some(let length): find(segment, length, from: position, ending, text)
                case nil: follow(segment, from: position, isAnchored: isFirst, ending, text)
                }
            guard let reached else { return false }
            position = reached
        }
        return !isExhausted
    }

    // MARK: Segments of a known length

    /// Looks at one location.
    private mutating func fit(
        _ segment: PatternStore.Segment, _ length: Int, at start: Int, _ ending: Ending, _ text: [UInt32]
    ) -> Int? {
        guard walk(segment.tokens, at: start, text) else { return nil }
        return ends(ending, at: start + length, token: segment.tokens.upperBound, text) ? start + length : nil
    }

    private mutating func ends(_ ending: Ending, at position: Int, token: Int, _ text: [UInt32]) -> Bool {
        switch ending {
        case .anywhere: return true
        case .end where position == text.count: return true
        case .slashOrEnd where position == text.count || text[position] == 0x2F: return true
        case .end: stop = Stop(kind: .leftover, token: token, within: 0, position: position)
        case .slashOrEnd: stop = Stop(kind: .neitherSlashNorEnd, token: token, within: 0, position: position)
        }
        return false
    }

    /// Looks for the first location from a position on.
    private mutating func find(
        _ segment: PatternStore.Segment, _ length: Int, from start: Int, _ ending: Ending, _ text: [UInt32]
    ) -> Int? {
        let last = text.count - length
        if ending == .end {
            if last >= start, walk(segment.tokens, at: last, text) { return text.count }
            stop = Stop(kind: .notAtEnd, token: segment.tokens.lowerBound, within: 0, position: start)
            return nil
        }
        var location = start
        let opening = opening(of: segment)
        while location <= last, !isExhausted {
            if let opening, text[location] != opening {
                workLeft -= 1
            } else if walk(segment.tokens, at: location, text) {
                let end = location + length
                if ending == .anywhere || end == text.count || text[end] == 0x2F { return end }
            }
            location += 1
        }
        stop = Stop(kind: .nowhere, token: segment.tokens.lowerBound, within: 0, position: start)
        return nil
    }

    /// The character that a segment begins with, if there is only one that it can begin with.
    private func opening(of segment: PatternStore.Segment) -> UInt32? {
        guard let first = segment.tokens.first, case .literal(let start, _) = store.tokens[first].token else {
            return nil
        }
        return store.literals[start]
    }

    /// Compares token by token; all of them are one character long, or literal.
    private mutating func walk(_ tokens: Range<Int>, at start: Int, _ text: [UInt32]) -> Bool {
        var position = start
        for index in tokens {
            switch store.tokens[index].token {
            case .literal(let first, let count):
                let common = commonLength(first, count, at: position, text)
                workLeft -= common + 1
                guard common == count else {
                    stop = Stop(kind: .mismatch, token: index, within: common, position: position + common)
                    return false
                }
                position += count
            case .one(let characters):
                workLeft -= 1
                guard position < text.count, characters.contains(text[position]) else {
                    stop = Stop(kind: .mismatch, token: index, within: 0, position: position)
                    return false
                }
                position += 1
            case .any, .star, .variable:
                workLeft -= 1
                guard position < text.count else {
                    stop = Stop(kind: .mismatch, token: index, within: 0, position: position)
                    return false
                }
                position += 1
            }
        }
        return true
    }

    private func commonLength(_ first: Int, _ count: Int, at position: Int, _ text: [UInt32]) -> Int {
        PatternMatcher.commonLength(store.literals, first, count, at: position, text)
    }

    private static func commonLength(
        _ literals: [UInt32], _ first: Int, _ count: Int, at position: Int, _ text: [UInt32]
    ) -> Int {
        let limit = Swift.min(count, text.count - position)
        var common = 0
        while common < limit, literals[first + common] == text[position + common] { common += 1 }
        return common
    }

    // MARK: Segments with variables

    /// Follows all the ways through a segment, from the positions that it may begin at.
    private mutating func follow(
        _ segment: PatternStore.Segment, from start: Int, isAnchored: Bool, _ ending: Ending, _ text: [UInt32]
    ) -> Int? {
        if isAnchored { return follow(segment, from: start...start, isAnchored: true, ending, text) }
        guard ending == .anywhere else {
            return follow(segment, from: start...text.count, isAnchored: false, ending, text)
        }
        // Only the first end counts, which is seldom far: a few beginnings at a time are enough to find it.
        let width = 64
        var first = start
        var best: Int?
        while first <= text.count, !isExhausted {
            let window = first...Swift.min(first + width - 1, text.count)
            if let end = follow(segment, from: window, isAnchored: false, ending, text) {
                best = Swift.min(best ?? end, end)
            }
            first += width
            if let best, best <= first { break }
        }
        if best == nil { stop = Stop(kind: .nowhere, token: segment.tokens.lowerBound, within: 0, position: start) }
        return best
    }

    private mutating func follow(
        _ segment: PatternStore.Segment, from starts: ClosedRange<Int>, isAnchored: Bool, _ ending: Ending,
        _ text: [UInt32]
    ) -> Int? {
        let start = starts.lowerBound
        current.clear(upTo: text.count)
        current.insert(starts)
        for index in segment.tokens {
            next.clear(upTo: text.count)
            workLeft -= 4 * next.words.count
            step(store.tokens[index].token, text)
            guard !next.isEmpty else {
                stuck(at: index, anchored: isAnchored || index > segment.tokens.lowerBound, start, text)
                return nil
            }
            swap(&current, &next)
        }
        let reached: Int? =
            switch ending {
            case .anywhere: current.first
            case .end: current.contains(text.count) ? text.count : nil
            case .slashOrEnd: firstSlashOrEnd(text)
            }
        if reached == nil {
            let kind: Stop.Kind = ending == .end ? .leftover : .neitherSlashNorEnd
            stop = Stop(kind: kind, token: segment.tokens.upperBound, within: 0, position: current.last ?? start)
        }
        return reached
    }

    private func firstSlashOrEnd(_ text: [UInt32]) -> Int? {
        if current.contains(text.count) { return text.count }
        return text.indices.first { text[$0] == 0x2F && current.contains($0) }
    }

    private mutating func stuck(at index: Int, anchored: Bool, _ start: Int, _ text: [UInt32]) {
        guard anchored else {
            stop = Stop(kind: .nowhere, token: index, within: 0, position: start)
            return
        }
        stop = Stop(kind: .mismatch, token: index, within: 0, position: current.last ?? start)
        guard case .literal(let first, let count) = store.tokens[index].token else { return }
        var best = -1
        current.forEach { position in
            let common = commonLength(first, count, at: position, text)
            guard position + common > best else { return }
            best = position + common
            stop.within = common
        }
        stop.position = best
    }

    /// Puts the positions that `current` leads to into `next`.
    private mutating func step(_ token: PatternStore.Token, _ text: [UInt32]) {
        guard case .variable(let index) = token else {
            PatternMatcher.step(token, store.literals, text, from: current, into: &next, &workLeft)
            return
        }
        let literals = store.literals
        let words = store.variables[index].words
        if !words.isEmpty {
            current.forEach { position in
                PatternMatcher.stepWords(words, literals, text, from: position, into: &next, &workLeft)
            }
        }
        for value in store.variables[index].wildcards where !isExhausted {
            valueCurrent.clear(upTo: text.count)
            valueCurrent.formUnion(current)
            for token in value {
                valueNext.clear(upTo: text.count)
                PatternMatcher.step(
                    store.tokens[token].token, literals, text, from: valueCurrent, into: &valueNext, &workLeft)
                swap(&valueCurrent, &valueNext)
            }
            next.formUnion(valueCurrent)
            workLeft -= next.words.count
        }
    }

    /// The values without wildcards are narrowed down character by character, as in a tree of them.
    private static func stepWords(
        _ words: [Range<Int>], _ literals: [UInt32], _ text: [UInt32], from position: Int,
        into next: inout PositionSet, _ workLeft: inout Int
    ) {
        var (low, high, depth) = (0, words.count, 0)
        while low < high, workLeft >= 0 {
            if words[low].count == depth {
                next.insert(position + depth)
                low += 1
            }
            guard low < high, position + depth < text.count else { return }
            let wanted = text[position + depth]
            let first = partition(words, low, high) { literals[words[$0].lowerBound + depth] < wanted }
            high = partition(words, first, high) { literals[words[$0].lowerBound + depth] <= wanted }
            low = first
            depth += 1
            // Two searches among the values take about as long as this many comparisons.
            workLeft -= 32
        }
    }

    /// The first index of a sorted range for which a condition does not hold any more.
    private static func partition(
        _ words: [Range<Int>], _ low: Int, _ high: Int, _ isBefore: (Int) -> Bool
    ) -> Int {
        var (low, high) = (low, high)
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func step(
        _ token: PatternStore.Token, _ literals: [UInt32], _ text: [UInt32], from current: PositionSet,
        into next: inout PositionSet, _ workLeft: inout Int
    ) {
        var work = current.words.count
        switch token {
        case .literal(let first, let count):
            current.forEach { position in
                let common = commonLength(literals, first, count, at: position, text)
                if common == count { next.insert(position + count) }
                work += common + 1
            }
        case .one(let characters):
            current.forEach { position in
                if position < text.count, characters.contains(text[position]) { next.insert(position + 1) }
                work += 1
            }
        case .any:
            current.forEach { position in
                if position < text.count { next.insert(position + 1) }
                work += 1
            }
        case .star:
            if let first = current.first { next.insert(first...text.count) }
        case .variable:
            break
        }
        workLeft -= work
    }
}
