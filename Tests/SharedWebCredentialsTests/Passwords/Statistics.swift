/// Pearson's test, to tell chance from bias.
enum Statistics {
    /// - Parameters:
    ///   - observed: how often each outcome came.
    ///   - expected: how often it comes on average.
    static func chiSquared(_ observed: [Int], _ expected: [Double]) -> Double {
        zip(observed, expected).reduce(0) { sum, pair in
            let difference = Double(pair.0) - pair.1
            return sum + difference * difference / pair.1
        }
    }

    /// What chi-squared exceeds with a probability under e^-23, which is 1.03e-10.
    ///
    /// P(X >= k + 2 sqrt(kx) + 2x) <= e^-x: Laurent and Massart, "Adaptive estimation of a quadratic functional by model
    /// selection", 2000, Lemma 1.
    ///
    /// - Parameter outcomes: how many outcomes there are, one more than there are degrees of freedom.
    static func bound(outcomes: Int) -> Double {
        let (freedom, x) = (Double(outcomes - 1), 23.0)
        return freedom + 2 * (freedom * x).squareRoot() + 2 * x
    }

    /// Whether outcomes that ought to be equally likely look like it.
    static func isUniform(_ counts: [Int]) -> Bool {
        let expected = Double(counts.reduce(0, +)) / Double(counts.count)
        return chiSquared(counts, counts.map { _ in expected }) < bound(outcomes: counts.count)
    }
}
