import Accounts
import MotivatorPlatform

package enum Motivation {
    /// The quotes, from works in the public domain or short enough to quote.
    ///
    /// Each quote appears in the named work. Quotes that are only attributed to an author are omitted. Translations
    /// without a named translator are by this project. Each line of quotes.tsv contains the text, the author and the
    /// work.
    package static let quotes: [Quote] = String(decoding: PackageResources.quotes_tsv, as: UTF8.self)
        .split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t").map(String.init)
            return fields.count == 3 ? Quote(text: fields[0], author: fields[1], source: fields[2]) : nil
        }

    /// Returns the index of the next quote. All quotes except the previous quote are equally likely.
    /// - Parameter previous: the index of the previous quote; nil or an invalid index before the first quote.
    package static func next(after previous: Int?, using generator: inout some RandomNumberGenerator) -> Int {
        let indices = quotes.indices
        guard let previous, indices.contains(previous) else { return Int.random(in: indices, using: &generator) }
        let other = Int.random(in: indices.dropLast(), using: &generator)
        return other < previous ? other : other + 1
    }
}

package struct Quote: Sendable, Equatable {
    /// The text, without quotation marks.
    package let text: String
    package let author: String
    /// The work, with the year or the passage.
    package let source: String
}

/// A source of quotes that never repeats a session's last quote.
///
/// The last quote of each session is kept in memory and lost on restart.
final class Motivator: Sendable {
    /// The maximum number of sessions in memory. A new session above this limit removes all others.
    private static let capacity = 100_000

    private let last = Guarded<[Int: Int]>([:])

    func next(for token: SessionToken) -> Quote {
        let key = token.text.hashValue
        return last.withLock { last in
            var generator = SystemRandomNumberGenerator()
            let index = Motivation.next(after: last[key], using: &generator)
            if last.count >= Self.capacity, last[key] == nil { last = [:] }
            last[key] = index
            return Motivation.quotes[index]
        }
    }
}
