/// An error for users: what happened, the value that caused it, and what to do.
///
/// The command renders each error as one line on standard error and an exit code.
public protocol ExplainedError: Error, CustomStringConvertible {
    /// What happened, with the value that caused it; a sentence without its full stop.
    var problem: String { get }
    /// What the user can do; a sentence without its full stop.
    var fix: String { get }
    /// The exit code of a command that fails with this error.
    var exitCode: ExitCode { get }
}

extension ExplainedError {
    public var description: String { "\(problem). \(fix)." }
}

/// An error that no code distinguishes from other errors: only its three parts.
public struct ExplainedFailure: ExplainedError, Hashable {
    public let problem: String
    public let fix: String
    public let exitCode: ExitCode

    /// Creates an error from its three parts.
    public init(_ problem: String, fix: String, exitCode: ExitCode = .usage) {
        (self.problem, self.fix, self.exitCode) = (problem, fix, exitCode)
    }

    /// Creates an error with the parts of another error.
    /// - Parameter path: the file whose content has the error; nil if the error names its file.
    package init(_ error: any ExplainedError, in path: String? = nil) {
        let place = path.map { "\($0.quoted): " } ?? ""
        self.init(place + error.problem, fix: error.fix, exitCode: error.exitCode)
    }

    /// Calls `body` and adds the name of a file to its errors.
    /// - Throws: `ExplainedFailure` for an `ExplainedError`; other errors unchanged.
    package static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as any ExplainedError {
            throw ExplainedFailure(error, in: path)
        }
    }
}

/// The exit codes of `motivator`, from `sysexits.h` where possible.
public enum ExitCode: Int32, Sendable {
    case yes = 0
    /// The result is negative: denied, not matched, invalid, or failed lint.
    case no = 1
    case usage = 64
    case badInput = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    /// A temporary failure: the same command may succeed later.
    case temporary = 75
    case notPermitted = 77
    case configuration = 78
}

/// A failed system call, with its name and `errno`.
public struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the call, as in its manual page.
    public let call: String
    /// The value of `errno` right after the call.
    public let code: Int32

    /// Creates the error of a system call, by default with the current `errno`.
    public init(_ call: String, code: Int32 = errno) {
        (self.call, self.code) = (call, code)
    }

    /// The system's message, such as "Permission denied".
    public var reason: String { unsafe String(cString: strerror(code)) }

    public var description: String { "\(call): \(reason)" }
}
