import COpenSSL

/// A password in the form in which it is hashed: its bytes are wiped when the last owner lets go, and are never printed.
// Unchecked because of the pointer: the bytes are written in `init`, only read afterwards, and wiped in `deinit`.
final class Password: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer

    /// - Parameter typed: the password as typed.
    /// - Throws: `PasswordPolicy.Fault.tooLong`.
    init(_ typed: String) throws(PasswordPolicy.Fault) {
        let composed = try PasswordPolicy.composed(typed)
        buffer = .allocate(byteCount: max(composed.utf8.count, 1), alignment: 1)
        count = composed.utf8.count
        buffer.copyBytes(from: composed.utf8)
    }

    /// The number of bytes.
    let count: Int

    /// Calls `body` with the bytes; NUL is a byte like any other.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    deinit {
        OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        buffer.deallocate()
    }
}

extension Password: CustomStringConvertible, CustomReflectable {
    var description: String { "[password]" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
