/// An error that a person will read: what happened with the value that caused it, and what to do about it.
///
/// One renderer, in the command, turns every one of them into one line on standard error and an exit code.
public protocol ExplainedError: Error, CustomStringConvertible {
    /// What happened, with the value that caused it; a sentence without the full stop.
    var problem: String { get }
    /// What the reader can do about it; a sentence without the full stop.
    var remedy: String { get }
    /// The exit code of a command that ends with this error.
    var exitCode: ExitCode { get }
}

extension ExplainedError {
    public var description: String { "\(problem). \(remedy)." }
}

/// The exit codes of `motivator`, from `sysexits.h` where it has one.
public enum ExitCode: Int32, Sendable {
    case yes = 0
    /// Denied, not matched, invalid, or the lint failed.
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
