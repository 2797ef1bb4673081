import Platform

/// The file that holds a device's state, locked for everybody else as long as this value lives.
///
/// The lock is on a file beside it, `PATH.lock`, which stays: the state itself is replaced by every write, and a lock on it
/// would be on the old file. Where a file is that cannot be read, there is no value of this type to write over it.
public final class DeviceStateFile: Sendable {
    /// The most bytes of a state: some 300 of the largest association files.
    public static let maximumSize = 64 << 20

    /// The file, with symbolic links resolved.
    public let path: String
    /// Whether there was no file.
    public let isNew: Bool
    /// What was read; a new device where there was no file.
    public let state: DeviceState
    private let lock: FileDescriptor

    /// Locks the file and reads it.
    ///
    /// - Parameters:
    ///   - path: the file, whose folder must be there.
    ///   - patience: seconds to wait for another command that uses it, from 0; one is over soon, unless it asks a person.
    /// - Throws: `Fault`.
    public init(_ path: String, patience: Int = 5) throws(Fault) {
        self.path = DeviceStateFile.resolved(path)
        // Before there is a file beside it.
        var status = stat()
        guard !path.isEmpty, unsafe stat(self.path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
            throw .file(.notAFile(path: path))
        }
        lock = try DeviceStateFile.lock(self.path, patience: patience)
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try File.readSecret(self.path, limit: DeviceStateFile.maximumSize)
        } catch {
            guard case .notFound = error else { throw Fault(error) }
            (isNew, state) = (true, DeviceState())
            return
        }
        do throws(DeviceState.Malformed) {
            (isNew, state) = (false, try DeviceState(json: bytes))
        } catch {
            throw .malformed(path: self.path, error)
        }
    }

    /// Writes the state as a whole, readable by its owner alone; a reader sees the old one or the new one.
    ///
    /// - Parameter state: the new state.
    /// - Throws: `Fault`; the old content is then untouched.
    public func save(_ state: DeviceState) throws(Fault) {
        let bytes = state.json.bytes()
        guard bytes.count <= DeviceStateFile.maximumSize else {
            throw .tooLarge(path: path, size: bytes.count, limit: DeviceStateFile.maximumSize)
        }
        do throws(FileError) {
            try File.write(bytes, to: path, mode: 0o600)
        } catch {
            throw Fault(error)
        }
    }

    private static func lock(_ path: String, patience: Int) throws(Fault) -> FileDescriptor {
        let lockPath = path + ".lock"
        // Nobody but the owner can open it, or another user could keep the device locked.
        let number = unsafe open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw .file(.cannotWrite(path: lockPath, SystemError("open"))) }
        let descriptor = FileDescriptor(owning: number)
        // flock can wait, but not for a time: so it is asked twenty times a second.
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

    /// The file that a link leads to, so that two names for it share one lock, and a write keeps the link.
    private static func resolved(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
