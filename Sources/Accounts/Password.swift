import COpenSSL

/// A password in the form in which it is hashed: its bytes are wiped when the last owner lets go, and are never
/// printed.
// Unchecked because of the pointer: the bytes are written in `init`, only read afterwards, and wiped in `deinit`.
@safe final class Password: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer

    /// - Parameter typed: the password as typed.
    /// - Throws: `PasswordPolicy.Fault.tooLong`.
    init(_ typed: String) throws(PasswordPolicy.Fault) {
        let composed = try PasswordPolicy.composed(typed)
        // The HMAC inside scrypt fills a short key up with NULs (RFC 2104 §2), so that a password would be the same as
        // one with NULs behind it. A byte behind those that end in 0 keeps them apart, and another behind those that
        // end in 1 keeps these apart from them.
        let isAmbiguous = composed.utf8.last.map { $0 <= 1 } ?? false
        count = composed.utf8.count + (isAmbiguous ? 1 : 0)
        unsafe buffer = .allocate(byteCount: max(count, 1), alignment: 1)
        unsafe buffer.copyBytes(from: composed.utf8)
        if isAmbiguous { unsafe buffer[count - 1] = 1 }
    }

    /// The number of bytes that are hashed.
    let count: Int

    /// Calls `body` with the bytes; NUL is a byte like any other.
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
