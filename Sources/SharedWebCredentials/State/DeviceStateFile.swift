public import MotivatorPlatform

/// The file with a device's state, locked against other commands while this object exists.
///
/// The lock is on a separate file, `PATH.lock`, which is never removed. Every write replaces the state file, so a lock
/// on the state file itself would apply to the old file. An unreadable file is never overwritten, because `init`
/// throws.
public final class DeviceStateFile: Sendable {
    /// The maximum size of a state in bytes, enough for about 300 association files of the maximum size.
    public static let maximumSize = 64 << 20

    /// The file, with symbolic links resolved.
    public let path: String
    /// Whether the file did not exist.
    public let isNew: Bool
    /// The state in the file, or the state of a new device if the file did not exist.
    public let state: DeviceState
    private let lock: FileDescriptor

    /// Locks the file and reads it.
    /// - Parameters:
    ///   - path: the file. Its folder must exist.
    ///   - patience: the seconds to wait for another command that uses the file.
    public init(_ path: String, patience: Int = 5) throws(Failure) {
        self.path = File.resolved(path)
        // Check the path before creating the lock file.
        var status = stat()
        guard !path.isEmpty, unsafe stat(self.path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw .file(.notAFile(path: path))
        }
        lock = try DeviceStateFile.lock(self.path, patience: patience)
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try File.readSecret(self.path, limit: DeviceStateFile.maximumSize)
        } catch {
            guard case .notFound = error else { throw Failure(error) }
            (isNew, state) = (true, DeviceState())
            return
        }
        do throws(DeviceState.Malformed) {
            (isNew, state) = (false, try DeviceState(json: bytes))
        } catch {
            throw .malformed(path: self.path, error)
        }
    }

    /// Writes the state atomically. Only the owner can read the file.
    /// - Throws: `Failure`. The file is then unchanged.
    public func save(_ state: DeviceState) throws(Failure) {
        guard let bytes = try? state.encoded() else {
            throw .file(.cannotWrite(path: path, SystemError("encode", code: EINVAL)))
        }
        guard bytes.count <= DeviceStateFile.maximumSize else {
            throw .tooLarge(path: path, limit: DeviceStateFile.maximumSize)
        }
        do throws(FileError) {
            try File.write(bytes, to: path, mode: 0o600)
        } catch {
            throw Failure(error)
        }
    }

    private static func lock(_ path: String, patience: Int) throws(Failure) -> FileDescriptor {
        let lockPath = path + ".lock"
        // Only the owner can open the lock file. Otherwise, another user could keep the device locked.
        let number = unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw .file(.cannotWrite(path: lockPath, SystemError("open"))) }
        let descriptor = FileDescriptor(owning: number)
        // flock has no timeout, so try 20 times per second.
        for round in 0...max(patience, 0) * 20 {
            if round > 0 { _ = poll(nil, 0, 50) }
            if flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 { return descriptor }
            let error = SystemError("flock")
            guard error.code == EWOULDBLOCK || error.code == EINTR else {
                throw .file(.cannotWrite(path: lockPath, error))
            }
        }
        throw .inUse(path: path)
    }
}

extension DeviceStateFile {
    /// The reason why a state cannot be read or written.
    public enum Failure: ExplainedError, Equatable {
        /// Another command has the lock.
        case inUse(path: String)
        case readableByOthers(path: String, mode: String)
        case tooLarge(path: String, limit: Int)
        case malformed(path: String, DeviceState.Malformed)
        case file(FileError)

        init(_ error: FileError) {
            self =
                switch error {
                case .readableByOthers(let path, let mode): .readableByOthers(path: path, mode: mode)
                case .tooLarge(let path, _, let limit): .tooLarge(path: path, limit: limit)
                case .notFound, .notPermitted, .notAFile, .notAFolder, .linkNotFollowed, .cannotRead, .cannotWrite,
                    .cannotWriteOutput:
                    .file(error)
                }
        }

        public var problem: String {
            switch self {
            case .inUse(let path): "another command is using the device \(path.quoted)"
            case .readableByOthers(let path, let mode):
                "the device \(path.quoted) contains passwords, and other users can read it (mode \(mode))"
            case .tooLarge(let path, let limit): "the device \(path.quoted) is larger than \(limit) bytes"
            case .malformed(let path, let malformed): "\(path.quoted): \(malformed.problem)"
            case .file(let error): error.problem
            }
        }

        public var fix: String {
            switch self {
            case .inUse: "Wait until the other command has finished, then try again"
            case .readableByOthers(let path, _): "Run: chmod 600 \(path.shellQuoted)"
            case .tooLarge: "Uninstall apps, or use another file for a second device"
            case .malformed(_, let malformed): malformed.fix
            case .file(let error): error.fix
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
