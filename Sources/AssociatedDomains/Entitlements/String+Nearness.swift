extension String {
    /// Returns the word that is most similar to the text, or nil if no word is similar enough.
    /// - Parameter distance: The maximum number of wrong, missing or extra letters. The comparison is case-insensitive.
    package func nearest(of words: [String], within distance: Int) -> String? {
        let own = letters
        var best: (word: String, distance: Int)?
        for word in words {
            let theirs = word.letters
            // The distance is at least the difference in length. This check rejects long strings quickly.
            guard abs(own.count - theirs.count) <= distance else { continue }
            let found = String.distance(own, theirs)
            if found <= distance, found < best?.distance ?? Int.max { best = (word, found) }
        }
        return best?.word
    }

    /// The letters and digits in lower case. `web-credentials` and `webCredentials` become `webcredentials`.
    private var letters: [UInt8] {
        utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.filter { !"-_ .".utf8.contains($0) }
    }

    /// Returns the minimum number of insertions, deletions, replacements and swaps of adjacent letters.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var before: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var current = [row + 1]
            for (column, theirs) in other.enumerated() {
                let replaced = last[column] + (letter == theirs ? 0 : 1)
                var cost = Swift.min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == theirs {
                    cost = Swift.min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            (before, last) = (last, current)
        }
        return last[other.count]
    }
}
