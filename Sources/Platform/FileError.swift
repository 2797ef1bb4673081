/// The reason why a user's file cannot be used.
public enum FileError: ExplainedError, Equatable {
    case notFound(path: String)
    case notPermitted(path: String, mode: String)
    case notAFile(path: String)
    case notAFolder(path: String)
    /// The path contains a link that leads out of an open folder, or the system cannot follow links safely.
    case linkNotFollowed(path: String)
    /// The size is nil if it is unknown, as for a pipe.
    case tooLarge(path: String, size: Int?, limit: Int)
    case cannotRead(path: String, SystemError)
    case cannotWrite(path: String, SystemError)
    /// The path is a device, a pipe or another special file.
    case cannotReplace(path: String)
    case cannotWriteOutput(SystemError)
    case readableByOthers(path: String, mode: String)

    public var problem: String {
        switch self {
        case .notFound(let path): "the file or folder \(path.quoted) does not exist"
        case .notPermitted(let path, let mode): "permission denied: \(path.quoted)\(mode)"
        case .notAFile(let path): "\(path.quoted) is not a regular file"
        case .notAFolder(let path): "\(path.quoted) is not a folder"
        case .linkNotFollowed(let path): "\(path.quoted) contains a symbolic link that the program does not follow"
        case .tooLarge(let path, let size?, let limit): "\(path.quoted) is \(size) bytes long; the limit is \(limit)"
        case .tooLarge(let path, nil, let limit): "\(path.quoted) is larger than \(limit) bytes"
        case .cannotRead(let path, let error): "\(path.quoted) cannot be read: \(error)"
        case .cannotWrite(let path, let error): "\(path.quoted) cannot be written: \(error)"
        case .cannotReplace(let path): "\(path.quoted) is not a regular file, and cannot be replaced"
        case .cannotWriteOutput(let error): "standard output cannot be written: \(error)"
        case .readableByOthers(let path, let mode):
            "the secret file \(path.quoted) can be read by other users of this machine (mode \(mode))"
        }
    }

    public var fix: String {
        switch self {
        case .notFound: "Check the path; relative paths start at the current folder"
        case .notPermitted(let path, _): "Check its owner and mode with: ls -ld \(path.shellQuoted)"
        case .notAFile: "Specify a regular file"
        case .notAFolder: "Specify a folder"
        case .linkNotFollowed: "Replace the link with its target, or with a relative link inside the folder"
        case .tooLarge: "Make the file smaller"
        case .cannotRead: "Check the disk and the file's permissions"
        case .cannotWrite: "Check that the folder exists, is writable, and has free space"
        case .cannotReplace: "Specify a regular file, or a path where no file exists"
        case .cannotWriteOutput: "Check that the output's destination is writable and has free space"
        case .readableByOthers(let path, _): "Restrict access with: chmod 600 \(path.shellQuoted)"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .notFound, .notAFile, .notAFolder: .noInput
        case .notPermitted, .linkNotFollowed, .readableByOthers: .notPermitted
        case .tooLarge: .badInput
        case .cannotRead, .cannotWriteOutput: .inputOutput
        case .cannotWrite, .cannotReplace: .cannotCreate
        }
    }
}

extension String {
    /// The text in quotes on one line, safe to print. Characters that control a terminal, are invisible, or start a new
    /// line appear as escapes.
    package var quoted: String {
        inQuotes { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: "\\u{\(scalar.value.hexadecimal())}"
            default: nil
            }
        }
    }

    /// Returns the text in quotes. Escapes quotes, backslashes, tabs and line breaks.
    /// - Parameter escape: returns the escape for another character; nil to keep the character.
    func inQuotes(_ escape: (Unicode.Scalar) -> String?) -> String {
        var shown = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": shown += "\\\(scalar)"
            case "\n": shown += "\\n"
            case "\r": shown += "\\r"
            case "\t": shown += "\\t"
            case _: if let text = escape(scalar) { shown += text } else { shown.unicodeScalars.append(scalar) }
            }
        }
        return shown + "\""
    }

    /// The text as one POSIX shell word.
    package var shellQuoted: String {
        let plain = unicodeScalars.allSatisfy { scalar in
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
                || "/._-+:@".unicodeScalars.contains(scalar)
        }
        guard !plain || isEmpty else { return self }
        return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
