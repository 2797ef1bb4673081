import COpenSSL

/// Bytes that nobody can guess, from OpenSSL's generator.
enum RandomBytes {
    /// - Parameter count: how many.
    /// - Returns: the bytes; nil when the generator has no entropy, and then no secret may be made.
    static func make(_ count: Int) -> [UInt8]? {
        var fine = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            fine = unsafe RAND_bytes(buffer.baseAddress, Int32(count)) == 1
            if !fine { unsafe buffer.initialize(repeating: 0) }
            filled = count
        }
        return fine ? bytes : nil
    }
}
