/// Chooses what to say to somebody who comes back.
public struct Motivation: Sendable {
    /// Words of people whose works are free for all, or short enough to be quoted; where no translator is named, the English
    /// is our own.
    ///
    /// Each stands in the work that is named with it. Sentences that are only said to be somebody's are left out.
    public static let quotes: [Quote] = ancientQuotes + earlyModernQuotes + modernQuotes

    public init() {}

    /// The quote to show next: any but the last one, each as likely as the others.
    ///
    /// - Parameters:
    ///   - previous: the index of the quote that was shown last; one that there is no quote for counts as none.
    ///   - generator: where the randomness comes from.
    /// - Returns: an index of `quotes`.
    public func next(after previous: Int?, using generator: inout some RandomNumberGenerator) -> Int {
        let indices = Self.quotes.indices
        guard let previous, indices.contains(previous) else { return Int.random(in: indices, using: &generator) }
        let other = Int.random(in: indices.dropLast(), using: &generator)
        return other < previous ? other : other + 1
    }
}
