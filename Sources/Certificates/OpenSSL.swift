import COpenSSL
import MotivatorPlatform

/// Memory buffers that OpenSSL reads and writes.
enum Bio {
    /// Lets OpenSSL read bytes.
    /// - Returns: the result of `body`; nil if memory runs out.
    static func reading<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        unsafe bytes.withUnsafeBytes { buffer in
            guard let count = Int32(exactly: buffer.count), let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, count)
            else {
                return nil
            }
            defer { unsafe BIO_free(bio) }
            return unsafe body(bio)
        }
    }

    /// Collects the bytes that OpenSSL writes.
    /// - Parameter body: uses the BIO and returns whether it succeeded.
    /// - Returns: the bytes; nil if `body` failed.
    static func collecting(_ body: (OpaquePointer) -> Bool) -> [UInt8]? {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
        defer { unsafe BIO_free(bio) }
        guard unsafe body(bio) else { return nil }
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe BIO_ctrl(bio, BIO_CTRL_INFO, 0, &start)
        return unsafe [UInt8](UnsafeBufferPointer(start: UnsafePointer(start), count: max(count, 0)))
    }

    /// Parses a value in DER form.
    /// - Parameter decode: one of the `d2i` functions of OpenSSL.
    /// - Returns: the value, or nil if it is malformed; and the number of bytes after it.
    static func decoding(
        _ der: [UInt8], _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> OpaquePointer?
    ) -> (value: OpaquePointer?, left: Int) {
        unsafe der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            let value = unsafe decode(&next, buffer.count)
            guard let start = buffer.baseAddress, let next = unsafe next else { return unsafe (value, 0) }
            return unsafe (value, buffer.count - (next - start))
        }
    }

    /// Returns the elements of an OpenSSL stack, which owns them.
    static func elements(_ stack: OpaquePointer?) -> [UnsafeMutableRawPointer] {
        unsafe (0..<max(OPENSSL_sk_num(stack), 0)).compactMap { unsafe OPENSSL_sk_value(stack, $0) }
    }

    /// Returns the DER form of a value.
    /// - Parameter encode: one of the `i2d` functions of OpenSSL, bound to its value.
    /// - Returns: the bytes; nil if the value cannot be encoded.
    static func encoding(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
        let count = encode(nil)
        guard count > 0 else { return nil }
        return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, done in
            var next = buffer.baseAddress
            done = unsafe Int(max(encode(&next), 0))
        }
    }

    /// A password callback that always fails, because OpenSSL's default callback prompts on the terminal. Its last
    /// argument points to a `Bool`, which it sets to true.
    static let refusePassword: PasswordCallback = { _, _, _, isRequested in
        unsafe isRequested?.assumingMemoryBound(to: Bool.self).pointee = true
        return -1
    }

    typealias PasswordCallback =
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
}

/// The OpenSSL error queue of the current thread.
///
/// An error that one call leaves in the queue would appear to come from a later call. Every operation therefore starts
/// with `clear`, and empties the queue before it returns.
package enum OpenSSLErrors {
    /// Clears the queue. The call is cheap if the queue is empty.
    @inlinable
    package static func clear() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Empties the queue.
    /// - Returns: OpenSSL's reasons, oldest first; "no reason given" if the queue is empty.
    package static func drain() -> String {
        var reasons: [String] = []
        var data: UnsafePointer<CChar>?
        var flags: Int32 = 0
        while true {
            let code = unsafe ERR_get_error_all(nil, nil, nil, &data, &flags)
            guard code != 0 else { break }
            var text = reason(of: code)
            if flags & ERR_TXT_STRING != 0, let data = unsafe data, unsafe data.pointee != 0 {
                text += unsafe " (\(String(cString: data)))"
            }
            if !reasons.contains(text) { reasons.append(text) }
        }
        return reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
    }

    /// - Returns: OpenSSL's text for the code, such as "wrong version number".
    package static func reason(of code: UInt) -> String {
        guard let text = unsafe ERR_reason_error_string(code) else { return "error \(code.hexadecimal())" }
        return unsafe String(cString: text)
    }
}
