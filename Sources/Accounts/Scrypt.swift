import COpenSSL
package import MotivatorPlatform

/// The password-based key derivation function of RFC 7914, computed by OpenSSL.
enum Scrypt {
    /// OpenSSL could not compute the hash, usually due to lack of memory.
    struct Failed: Error {}

    static func derive(
        _ password: Password, salt: [UInt8], _ parameters: ScryptParameters, length: Int
    ) throws(Failed) -> [UInt8] {
        let cost = UInt64(1) << UInt64(parameters.log2N)
        let (r, p) = (UInt64(parameters.r), UInt64(parameters.p))
        // OpenSSL's memory limit covers N + 2 mixed blocks and p input blocks, each of 128·r bytes.
        let memory = 128 * r * (cost + 2 + p)
        var fine = false
        let derived = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            fine = unsafe password.withBytes { secret in
                unsafe EVP_PBE_scrypt(
                    secret.baseAddress?.assumingMemoryBound(to: CChar.self), secret.count, salt, salt.count, cost, r, p,
                    memory, buffer.baseAddress, length) == 1
            }
            if !fine { unsafe buffer.initialize(repeating: 0) }
            count = length
        }
        guard fine else {
            // Otherwise, the thread's next OpenSSL call would report this error.
            ERR_clear_error()
            throw Failed()
        }
        return derived
    }
}

/// The cost of a password hash (RFC 7914 §2).
package struct ScryptParameters: Sendable, Equatable {
    /// The binary logarithm of the cost N.
    package let log2N: Int
    /// The block size r, in units of 128 bytes.
    package let r: Int
    /// The parallelization p, which OpenSSL computes serially.
    package let p: Int

    /// One of the equivalent settings in OWASP's Password Storage Cheat Sheet: N = 2^15, r = 8, p = 3 (32 MiB).
    package static let `default` = ScryptParameters(checked: 15, 8, 3)

    /// The maximum memory for one hash, 256 MiB. All cores may compute hashes at the same time.
    package static let maximumMemory = 256 << 20
    /// The maximum number of 128-byte blocks for one hash, N·r·p. The limit is about 20 times the default. A hash at
    /// the limit takes seconds.
    package static let maximumWork = 1 << 24

    /// - Parameters:
    ///   - log2N: the binary logarithm of N, 1 to 20, and below 16·r (RFC 7914 §2).
    ///   - r: the block size, 1 to 32.
    ///   - p: the parallelization, 1 to 16.
    /// - Throws: `ExplainedFailure` if a value is out of range, or the hash requires too much memory or time.
    package init(log2N: Int, r: Int, p: Int) throws(ExplainedFailure) {
        guard (1...20).contains(log2N), (1...32).contains(r), (1...16).contains(p), log2N < 16 * r else {
            throw ExplainedFailure(
                "the scrypt parameters ln=\(log2N),r=\(r),p=\(p) are out of range",
                fix: "Use ln from 1 to 20 and below 16 times r, r from 1 to 32, and p from 1 to 16")
        }
        let blocks = r << log2N
        guard blocks * 128 <= Self.maximumMemory, blocks * p <= Self.maximumWork else {
            throw ExplainedFailure(
                "scrypt with ln=\(log2N),r=\(r),p=\(p) requires too much memory or time",
                fix: "Keep 2^ln * r * 128 bytes within \(Self.maximumMemory >> 20) MiB, and 2^ln * r * p within "
                    + "\(Self.maximumWork). The default is ln=15,r=8,p=3")
        }
        (self.log2N, self.r, self.p) = (log2N, r, p)
    }

    private init(checked log2N: Int, _ r: Int, _ p: Int) {
        (self.log2N, self.r, self.p) = (log2N, r, p)
    }
}
