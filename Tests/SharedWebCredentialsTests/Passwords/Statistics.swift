/// Pearson's chi-squared test, to detect bias.
enum Statistics {
    /// - Parameters:
    ///   - observed: The observed count of each outcome.
    ///   - expected: The expected count of each outcome.
    static func chiSquared(_ observed: [Int], _ expected: [Double]) -> Double {
        zip(observed, expected).reduce(0) { sum, pair in
            let difference = Double(pair.0) - pair.1
            return sum + difference * difference / pair.1
        }
    }

    /// Returns the bound that chi-squared exceeds with a probability of less than e^-23, or 1.03e-10.
    ///
    /// P(X >= k + 2 sqrt(kx) + 2x) <= e^-x: Laurent and Massart, "Adaptive estimation of a quadratic functional by model
    /// selection", 2000, Lemma 1.
    ///
    /// - Parameter outcomes: The number of outcomes, which is the degrees of freedom plus 1.
    static func bound(outcomes: Int) -> Double {
        let (freedom, x) = (Double(outcomes - 1), 23.0)
        return freedom + 2 * (freedom * x).squareRoot() + 2 * x
    }

    /// Returns whether the counts are consistent with equally likely outcomes.
    static func isUniform(_ counts: [Int]) -> Bool {
        let expected = Double(counts.reduce(0, +)) / Double(counts.count)
        return chiSquared(counts, counts.map { _ in expected }) < bound(outcomes: counts.count)
    }
}
