import COpenSSL

/// The password-based key derivation function of RFC 7914, computed by OpenSSL.
enum Scrypt {
    /// Memory was refused, or OpenSSL otherwise could not compute.
    struct Failed: Error {}

    /// - Parameters:
    ///   - password: the password.
    ///   - salt: the salt.
    ///   - parameters: how much work it is.
    ///   - length: the number of bytes to derive.
    /// - Returns: the derived bytes.
    /// - Throws: `Failed`.
    static func derive(
        _ password: Password, salt: [UInt8], _ parameters: ScryptParameters, length: Int
    ) throws(Failed) -> [UInt8] {
        let cost = UInt64(1) << UInt64(parameters.log2N)
        let (r, p) = (UInt64(parameters.r), UInt64(parameters.p))
        // What OpenSSL counts: N + 2 blocks of 128·r bytes that are mixed, and p of input.
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
            // The thread's next caller of OpenSSL must not take this error for its own.
            ERR_clear_error()
            throw Failed()
        }
        return derived
    }
}
