/// How much work and memory one password hash takes (RFC 7914 §2).
public struct ScryptParameters: Sendable, Equatable {
    /// The binary logarithm of the cost N.
    public let log2N: Int
    /// The block size r, in units of 128 bytes.
    public let r: Int
    /// The parallelization p, which is computed one after the other here.
    public let p: Int

    /// N = 2^15, r = 8, p = 3: 32 MiB, one of the OWASP cheat sheet's equivalent choices for password storage.
    public static let `default` = ScryptParameters(checked: 15, 8, 3)

    /// The most memory of one hash, 256 MiB: each core may be hashing at a time.
    public static let maximumMemory = 256 << 20
    /// The most blocks of 128 bytes mixed by one hash, N·r·p: about 20 times the default's, some seconds.
    public static let maximumWork = 1 << 24

    /// - Parameters:
    ///   - log2N: the binary logarithm of N, 1 to 20, and below 16·r (RFC 7914 §2).
    ///   - r: the block size, 1 to 32.
    ///   - p: the parallelization, 1 to 16.
    /// - Throws: `ScryptParametersError` when one is out of its range, or together they need too much memory or work.
    public init(log2N: Int, r: Int, p: Int) throws(ScryptParametersError) {
        guard (1...20).contains(log2N), (1...32).contains(r), (1...16).contains(p), log2N < 16 * r else {
            throw .outOfRange(log2N: log2N, r: r, p: p)
        }
        let blocks = r << log2N
        guard blocks * 128 <= Self.maximumMemory, blocks * p <= Self.maximumWork else {
            throw .tooMuch(log2N: log2N, r: r, p: p)
        }
        (self.log2N, self.r, self.p) = (log2N, r, p)
    }

    private init(checked log2N: Int, _ r: Int, _ p: Int) {
        (self.log2N, self.r, self.p) = (log2N, r, p)
    }
}
