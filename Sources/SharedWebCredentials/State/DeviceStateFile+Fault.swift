public import Platform

extension DeviceStateFile {
    /// Why a state cannot be read or written.
    public enum Fault: ExplainedError, Equatable {
        /// Another command has it.
        case inUse(path: String)
        case readableByOthers(path: String, mode: String)
        case tooLarge(path: String, size: Int, limit: Int)
        case malformed(path: String, DeviceState.Malformed)
        case file(FileError)

        init(_ error: FileError) {
            self =
                switch error {
                case .readableByOthers(let path, let mode): .readableByOthers(path: path, mode: mode)
                case .tooLarge(let path, let size, let limit): .tooLarge(path: path, size: size, limit: limit)
                case .notFound, .notPermitted, .notAFile, .notAFolder, .cannotRead, .cannotWrite, .cannotWriteOutput:
                    .file(error)
                }
        }

        public var problem: String {
            switch self {
            case .inUse(let path): "another command is using the device \(path.quoted)"
            case .readableByOthers(let path, let mode):
                "the device \(path.quoted), which holds passwords, can be read by other users of this machine (mode \(mode))"
            case .tooLarge(let path, let size, let limit):
                "the device \(path.quoted) would have \(size) bytes, more than the \(limit) that are allowed"
            case .malformed(let path, let malformed): "\(path.quoted): \(malformed.problem)"
            case .file(let error): error.problem
            }
        }

        public var remedy: String {
            switch self {
            case .inUse: "Wait until it has ended, and try again"
            case .readableByOthers(let path, _): "Close it with: chmod 600 \(path.shellQuoted)"
            case .tooLarge: "Uninstall apps, or name another file for a second device"
            case .malformed(_, let malformed): malformed.remedy
            case .file(let error): error.remedy
            }
        }

        public var exitCode: ExitCode {
            switch self {
            case .inUse: .temporary
            case .readableByOthers: .notPermitted
            case .tooLarge: .badInput
            case .malformed(_, let malformed): malformed.exitCode
            case .file(let error): error.exitCode
            }
        }
    }
}
