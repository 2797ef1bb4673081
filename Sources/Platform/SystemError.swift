/// A system call that failed, with its name and `errno`.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the call, as in its manual page.
    public let call: String
    /// The value of `errno` right after the call.
    public let code: Int32

    /// - Parameters:
    ///   - call: the name of the call.
    ///   - code: the error number; the current `errno` when left out.
    public init(_ call: String, code: Int32 = errno) {
        self.call = call
        self.code = code
    }

    /// The system's own words for the error, such as "Permission denied".
    public var reason: String { unsafe String(cString: strerror(code)) }

    public var description: String { "\(call): \(reason)" }
}
