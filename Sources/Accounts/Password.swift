import COpenSSL
import MotivatorPlatform

/// The bytes of a password for hashing. The bytes are never printed, and are wiped on release.
// Unchecked because of the pointer. `init` writes the bytes, `deinit` wipes them, and other methods only read them.
@safe final class Password: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer

    init(_ typed: String) throws(PasswordPolicy.Failure) {
        let composed = try PasswordPolicy.composed(typed)
        // The HMAC inside scrypt pads a short key with zero bytes (RFC 2104 §2). Without a change, trailing zero bytes
        // would not affect the hash. The initializer appends 0x01 to passwords that end with 0x00 or 0x01. Different
        // passwords remain different.
        let isAmbiguous = composed.utf8.last.map { $0 <= 1 } ?? false
        count = composed.utf8.count + (isAmbiguous ? 1 : 0)
        unsafe buffer = .allocate(byteCount: max(count, 1), alignment: 1)
        unsafe buffer.copyBytes(from: composed.utf8)
        if isAmbiguous { unsafe buffer[count - 1] = 1 }
    }

    /// The number of bytes to hash.
    let count: Int

    /// Calls `body` with the bytes, which may include NUL.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    deinit {
        unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        unsafe buffer.deallocate()
    }
}

extension Password: SecretHolder {
    var description: String { "[password]" }
}
