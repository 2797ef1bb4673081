import COpenSSL

/// A password in the form in which it is hashed. Its bytes are never printed, and are wiped on release.
// Unchecked because of the pointer. The bytes are written in `init`, then only read, and wiped in `deinit`.
@safe final class Password: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer

    /// - Parameter typed: the password as typed.
    /// - Throws: `PasswordPolicy.Failure.tooLong`.
    init(_ typed: String) throws(PasswordPolicy.Failure) {
        let composed = try PasswordPolicy.composed(typed)
        // The HMAC inside scrypt pads a short key with zero bytes (RFC 2104 §2), so trailing zero bytes would not
        // change the hash. A byte 1 is therefore appended to passwords that end in a byte 0. It is also appended to
        // passwords that end in a byte 1, so that different passwords remain different.
        let isAmbiguous = composed.utf8.last.map { $0 <= 1 } ?? false
        count = composed.utf8.count + (isAmbiguous ? 1 : 0)
        unsafe buffer = .allocate(byteCount: max(count, 1), alignment: 1)
        unsafe buffer.copyBytes(from: composed.utf8)
        if isAmbiguous { unsafe buffer[count - 1] = 1 }
    }

    /// The number of bytes that are hashed.
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

extension Password: CustomStringConvertible, CustomReflectable {
    var description: String { "[password]" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
