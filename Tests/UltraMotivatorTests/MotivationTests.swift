import TestSupport
import Testing

@testable import UltraMotivator

@Suite("Motivation")
struct MotivationTests {
    static let quotes = Motivation.quotes

    @Test("There are enough quotes, and no sentence or its beginning is repeated")
    func distinct() {
        #expect(Self.quotes.count >= 60)
        let letters = Self.quotes.map { $0.text.lowercased().filter(\.isLetter) }
        #expect(Set(letters).count == letters.count)
        #expect(Set(letters.map { $0.prefix(20) }).count == letters.count)
    }

    @Test("Each quote has an author and a work", arguments: quotes)
    func attribution(_ quote: Quote) {
        for text in [quote.author, quote.source] {
            #expect(!text.isEmpty && text.first?.isWhitespace == false && text.last?.isWhitespace == false)
            #expect(text.first?.isUppercase == true)
        }
        #expect(quote.author.last?.isLetter == true)
    }

    @Test("The tutorial's sentence is there, with its book")
    func saintExupery() throws {
        let quote = try #require(Self.quotes.first { $0.author == "Antoine de Saint-Exupéry" })
        #expect(quote.text.contains("nothing left to take away"))
        #expect(quote.source.contains("Terre des hommes"))
    }

    @Test("Each quote is set as a sentence: a capital, an end, and the signs of print", arguments: quotes)
    func typography(_ quote: Quote) {
        #expect(quote.text.first?.isUppercase == true)
        #expect([".", "!", "?"].contains(quote.text.last))
        for sign in ["\"", "'", "“", "”", "--", "  ", " .", " ,", "..", "\n", "\t", "\u{A0}"] {
            #expect(!quote.text.contains(sign) && !quote.source.contains(sign), "\(sign.debugDescription) in \(quote)")
        }
        #expect((20...200).contains(quote.text.count))
    }

    /// Sentences that are often attributed to people who never wrote them.
    static let misattributed = [
        "be the change", "same thing over and over", "success is not final", "begin it", "we are what we repeatedly do",
        "never too late to be what", "well-behaved", "in the end it’s not the years", "whether you think you can",
        "choose a job you love", "it always seems impossible",
    ]

    @Test("No sentence is a known misattribution", arguments: misattributed)
    func famousMistakes(_ words: String) {
        #expect(!Self.quotes.contains { $0.text.lowercased().contains(words) })
    }

    @Test("The first quote is any of them, each as likely as the others", arguments: [nil, -1, quotes.count, .max])
    func first(_ previous: Int?) {
        var generator = SeededGenerator(seed: 1)
        #expect(Self.isUniform(Self.draws(after: previous, using: &generator)))
    }

    @Test("The next quote is any but the last, each of the others as likely", arguments: quotes.indices)
    func next(_ previous: Int) {
        var generator = SeededGenerator(seed: UInt64(previous))
        var counts = Self.draws(after: previous, using: &generator)
        #expect(counts.remove(at: previous) == 0)
        #expect(Self.isUniform(counts))
    }

    @Test("A chain of visits shows every quote, and none twice in a row")
    func chain() {
        var generator = SeededGenerator(seed: 2)
        var (previous, seen, repeated) = (Int?.none, Set<Int>(), 0)
        for _ in 0..<Self.quotes.count * 30 {
            let next = Motivation.next(after: previous, using: &generator)
            if next == previous { repeated += 1 }
            seen.insert(next)
            previous = next
        }
        #expect(repeated == 0)
        #expect(seen == Set(Self.quotes.indices))
    }

    @Test("The test detects a choice that prefers the neighbor of the last quote")
    func biasIsFound() {
        var generator = SeededGenerator(seed: 3)
        var counts = Self.quotes.map { _ in 0 }
        for _ in 0..<counts.count * 200 {
            let drawn = Int.random(in: Self.quotes.indices, using: &generator)
            counts[drawn == 5 ? 6 : drawn] += 1
        }
        counts.remove(at: 5)
        #expect(!Self.isUniform(counts))
    }

    private static func draws(after previous: Int?, using generator: inout SeededGenerator) -> [Int] {
        var counts = quotes.map { _ in 0 }
        for _ in 0..<counts.count * 200 { counts[Motivation.next(after: previous, using: &generator)] += 1 }
        return counts
    }

    /// Pearson's test. By chance, the value exceeds the bound with a probability of less than e^-23.
    ///
    /// P(X >= k + 2 sqrt(kx) + 2x) <= e^-x: Laurent and Massart, "Adaptive estimation of a quadratic functional by model
    /// selection", 2000, Lemma 1.
    private static func isUniform(_ counts: [Int]) -> Bool {
        let mean = Double(counts.reduce(0, +)) / Double(counts.count)
        let chiSquared = counts.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) / mean }
        let (freedom, x) = (Double(counts.count - 1), 23.0)
        return chiSquared < freedom + 2 * (freedom * x).squareRoot() + 2 * x
    }
}
