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
    public init(_ path: String, patience: Int = 5) throws(ExplainedFailure) {
        self.path = File.resolved(path)
        // Check the path before creating the lock file.
        var status = stat()
        guard !path.isEmpty, unsafe stat(self.path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw .device(.notAFile(path: path))
        }
        lock = try DeviceStateFile.lock(self.path, patience: patience)
        let bytes: [UInt8]
        do throws(FileError) { bytes = try File.readSecret(self.path, limit: DeviceStateFile.maximumSize) } catch {
            guard case .notFound = error else { throw .device(error) }
            (isNew, state) = (true, DeviceState())
            return
        }
        do throws(ExplainedFailure) {
            (isNew, state) = (false, try DeviceState(json: bytes))
        } catch {
            throw ExplainedFailure("\(self.path.quoted): \(error.problem)", fix: error.fix, exitCode: error.exitCode)
        }
    }

    /// Writes the state atomically. Only the owner can read the file.
    /// - Throws: an error. The file is then unchanged.
    public func save(_ state: DeviceState) throws(ExplainedFailure) {
        guard let bytes = try? state.encoded() else {
            throw .device(.cannotWrite(path: path, SystemError("encode", code: EINVAL)))
        }
        guard bytes.count <= DeviceStateFile.maximumSize else {
            throw .deviceTooLarge(path: path, limit: DeviceStateFile.maximumSize)
        }
        do throws(FileError) { try File.write(bytes, to: path, mode: 0o600) } catch { throw .device(error) }
    }

    private static func lock(_ path: String, patience: Int) throws(ExplainedFailure) -> FileDescriptor {
        let lockPath = path + ".lock"
        // Only the owner can open the lock file. Otherwise, another user could keep the device locked.
        let number = unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw .device(.cannotWrite(path: lockPath, SystemError("open"))) }
        let descriptor = FileDescriptor(owning: number)
        // flock has no timeout, so try 20 times per second.
        for round in 0...max(patience, 0) * 20 {
            if round > 0 { _ = poll(nil, 0, 50) }
            if flock(descriptor.number, LOCK_EX | LOCK_NB) == 0 { return descriptor }
            let error = SystemError("flock")
            guard error.code == EWOULDBLOCK || error.code == EINTR else {
                throw .device(.cannotWrite(path: lockPath, error))
            }
        }
        throw .deviceInUse(path: path)
    }
}

extension ExplainedFailure {
    static func deviceInUse(path: String) -> ExplainedFailure {
        ExplainedFailure(
            "another command is using the device \(path.quoted)",
            fix: "Wait until the other command has finished, then try again", exitCode: .temporary)
    }

    static func deviceTooLarge(path: String, limit: Int) -> ExplainedFailure {
        ExplainedFailure(
            "the device \(path.quoted) is larger than \(limit) bytes",
            fix: "Uninstall apps, or use another file for a second device", exitCode: .badInput)
    }

    static func device(_ error: FileError) -> ExplainedFailure {
        switch error {
        case .readableByOthers(let path, let mode):
            ExplainedFailure(
                "the device \(path.quoted) contains passwords, and other users can read it (mode \(mode))",
                fix: "Run: chmod 600 \(path.shellQuoted)", exitCode: .notPermitted)
        case .tooLarge(let path, _, let limit): deviceTooLarge(path: path, limit: limit)
        case .notFound, .notPermitted, .notAFile, .notAFolder, .linkNotFollowed, .cannotRead, .cannotWrite,
            .cannotReplace, .cannotWriteOutput:
            ExplainedFailure(error)
        }
    }
}
