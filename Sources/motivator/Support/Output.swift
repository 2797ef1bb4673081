import ArgumentParser
import MotivatorPlatform

/// Calls `make`, and converts its error to one that names the option.
func parsing<Value>(_ option: String, _ make: () throws -> Value) throws -> Value {
    do {
        return try make()
    } catch let error as any ExplainedError {
        throw ExplainedFailure("\(option): \(error.problem)", fix: error.fix)
    }
}

func require(
    _ condition: Bool, _ problem: @autoclosure () -> String, fix: @autoclosure () -> String,
    exitCode: MotivatorPlatform.ExitCode = .usage
) throws(ExplainedFailure) {
    guard condition else { throw ExplainedFailure(problem(), fix: fix(), exitCode: exitCode) }
}

func require<Value>(
    _ value: Value?, _ problem: @autoclosure () -> String, fix: @autoclosure () -> String,
    exitCode: MotivatorPlatform.ExitCode = .usage
) throws(ExplainedFailure) -> Value {
    guard let value else { throw ExplainedFailure(problem(), fix: fix(), exitCode: exitCode) }
    return value
}

/// Throws an error about the arguments unless the condition is met.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(ValidationError) {
    guard condition else { throw ValidationError(message()) }
}

/// Throws an error about an option whose number is out of range.
func require(_ option: String, _ value: Int, in range: ClosedRange<Int>) throws(ValidationError) {
    try require(
        range.contains(value),
        "--\(option) is \(value). Use a number from \(range.lowerBound) to \(range.upperBound).")
}

/// The command's output: results on standard output, messages on standard error.
enum Output {
    /// Whether results are in color: only if the terminal supports color and NO_COLOR is not set (no-color.org).
    static var isColored: Bool {
        isTerminal && Environment["NO_COLOR"] == nil && Environment["TERM"] != "dumb"
    }

    /// Whether a person probably reads the results.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// The width of the terminal in columns; 80 if the width is unknown.
    static var width: Int {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Shows progress on one line of standard error, if standard error is a terminal.
    static func progress(_ text: String?) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        _ = File.append(Array("\r\u{1B}[K\(text ?? "")".utf8), to: STDERR_FILENO)
    }

    static func sentence(_ text: String) {
        // If writing to standard error fails, the failure cannot be reported.
        _ = File.append(Array("\(text)\n".utf8), to: STDERR_FILENO)
    }

    /// Writes text and a line break to standard output.
    static func result(_ text: String) throws(FileError) { try result(Array("\(text)\n".utf8)) }

    static func result(
        json isJSON: Bool, _ document: @autoclosure () -> JSONNode, text: @autoclosure () -> String
    ) throws(FileError) {
        try result(isJSON ? document().bytes() : Array(text().utf8))
    }

    static func result(_ bytes: [UInt8]) throws(FileError) {
        if let error = File.append(bytes, to: STDOUT_FILENO) { throw .cannotWriteOutput(error) }
    }
}

extension String {
    /// Returns a template with its placeholders, such as `{{name}}`, replaced in one pass. A value is never a template.
    func filled(_ values: [String: String]) -> String {
        replacing(#/\{\{(\w+)\}\}/#) { values[String($0.1)] ?? "" }
    }
}
