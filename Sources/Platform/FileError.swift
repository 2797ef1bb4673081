/// Why a file of the user cannot be used.
public enum FileError: ExplainedError, Equatable {
    case notFound(path: String)
    case notPermitted(path: String, mode: String)
    case notAFile(path: String)
    case notAFolder(path: String)
    case tooLarge(path: String, size: Int, limit: Int)
    case cannotRead(path: String, SystemError)
    case cannotWrite(path: String, SystemError)
    case cannotWriteOutput(SystemError)
    case readableByOthers(path: String, mode: String)

    public var problem: String {
        switch self {
        case .notFound(let path): "there is no file or folder \(path.quoted)"
        case .notPermitted(let path, let mode): "\(path.quoted) may not be opened by this user\(mode)"
        case .notAFile(let path): "\(path.quoted) is not a regular file"
        case .notAFolder(let path): "\(path.quoted) is not a folder"
        case .tooLarge(let path, let size, let limit):
            "\(path.quoted) has \(size) bytes, more than the \(limit) that are allowed"
        case .cannotRead(let path, let error): "\(path.quoted) cannot be read: \(error)"
        case .cannotWrite(let path, let error): "\(path.quoted) cannot be written: \(error)"
        case .cannotWriteOutput(let error): "standard output cannot be written: \(error)"
        case .readableByOthers(let path, let mode):
            "the private key \(path.quoted) can be read by other users of this machine (mode \(mode))"
        }
    }

    public var fix: String {
        switch self {
        case .notFound: "Check the path, which is taken relative to the current folder"
        case .notPermitted(let path, _): "Check owner and mode with: ls -ld \(path.shellQuoted)"
        case .notAFile: "Name a regular file"
        case .notAFolder: "Name a folder"
        case .tooLarge: "Make the file smaller"
        case .cannotRead: "Check the disk and the file's mode"
        case .cannotWrite: "Check that the folder is there, may be written, and has free space"
        case .cannotWriteOutput: "Check where the output goes, and the free space there"
        case .readableByOthers(let path, _): "Close it with: chmod 600 \(path.shellQuoted)"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .notFound, .notAFile, .notAFolder: .noInput
        case .notPermitted, .readableByOthers: .notPermitted
        case .tooLarge: .badInput
        case .cannotRead, .cannotWriteOutput: .inputOutput
        case .cannotWrite: .cannotCreate
        }
    }
}

extension Unicode.Scalar {
    /// Whether it commands a terminal, is not seen, or begins a new line.
    fileprivate var breaksOrHides: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension String {
    /// The text in quotes on one line, with control characters shown as escapes: safe to print whatever it holds.
    public var quoted: String {
        var shown = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": shown += "\\\""
            case "\\": shown += "\\\\"
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case "\t": shown += "\\t"
            case _ where scalar.breaksOrHides:
                shown += "\\u{\(scalar.value.hexadecimal())}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown + "\""
    }

    /// The text as one word of a POSIX shell.
    public var shellQuoted: String {
        let plain = unicodeScalars.allSatisfy { scalar in
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || "/._-+:@".unicodeScalars.contains(scalar)
        }
        guard !plain || isEmpty else { return self }
        return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
