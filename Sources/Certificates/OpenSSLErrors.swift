import COpenSSL
import Platform

/// The current thread's queue of OpenSSL errors.
///
/// An error left behind by one call is taken for the failure of a later one, so every operation starts with `clear`
/// and empties the queue again before it returns.
package enum OpenSSLErrors {
    /// Forgets every error; costs next to nothing when there is none.
    @inlinable
    package static func clear() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Empties the queue.
    ///
    /// - Returns: OpenSSL's reasons, oldest first; "no reason given" when the queue is empty.
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

    /// - Parameter code: a value of the queue.
    /// - Returns: OpenSSL's text for it, such as "wrong version number".
    package static func reason(of code: UInt) -> String {
        guard let text = unsafe ERR_reason_error_string(code) else { return "error \(code.hexadecimal())" }
        return unsafe String(cString: text)
    }
}
