import MotivatorPlatform

/// An open folder that only its owner can change.
///
/// Opens each file relative to the folder, then checks the open file, which no other user can replace.
final class OpenFolder: Sendable {
    let path: String
    private let descriptor: FileDescriptor
    /// The folder's owner, if that user's files are also accepted; otherwise nil.
    private let acceptedOwner: uid_t?

    /// Opens a folder, and creates it with mode 0700 if it is missing.
    /// - Parameter path: the folder. If it is a symbolic link, its target is checked.
    /// - Throws: `CertificateError.writableByOthers` or `.foreignOwner` if another user can change it, `FileError`.
    init(_ path: String) throws {
        try File.makeFolder(path, mode: 0o700)
        let number = unsafe MotivatorPlatform.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw FileError.cannotRead(path: path, SystemError("open")) }
        self.path = path
        descriptor = FileDescriptor(owning: number)
        acceptedOwner = nil
        try OpenFolder.check(descriptor, path: path, acceptedOwner: nil)
    }

    /// Opens an existing folder to read certificates.
    ///
    /// The superuser may read another user's folder, and accepts the risk by specifying the folder, as with `sudo`.
    /// - Parameter path: the folder. The result is nil if it is missing.
    /// - Throws: `CertificateError.writableByOthers` or `.foreignOwner` if another user can change it, `FileError`.
    init?(existing path: String) throws {
        let number = unsafe MotivatorPlatform.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 || errno != ENOENT else { return nil }
        guard number >= 0 else { throw FileError.cannotRead(path: path, SystemError("open")) }
        self.path = path
        descriptor = FileDescriptor(owning: number)
        let owner = try descriptor.status(path: path).st_uid
        acceptedOwner = geteuid() == 0 ? owner : nil
        try OpenFolder.check(descriptor, path: path, acceptedOwner: acceptedOwner)
    }

    /// Checks that no other user owns the file or folder or can write to it.
    private static func check(
        _ descriptor: borrowing FileDescriptor, path: String, acceptedOwner: uid_t?
    ) throws {
        let status = try descriptor.status(path: path)
        let mode = status.st_mode & 0o777
        // The superuser can change every file in any case, so a file that it owns is safe.
        guard status.st_uid == geteuid() || status.st_uid == 0 || status.st_uid == acceptedOwner else {
            throw CertificateError.foreignOwner(path: path, owner: status.st_uid, user: geteuid())
        }
        guard mode & 0o022 == 0 else {
            throw CertificateError.writableByOthers(path: path, mode: "0" + String(mode, radix: 8))
        }
    }

    func path(of name: String) -> String { path + "/" + name }

    /// Returns whether both values refer to the same folder, possibly by different paths.
    func isSame(as other: OpenFolder) throws -> Bool {
        let mine = try descriptor.status(path: path)
        let others = try other.descriptor.status(path: other.path)
        return mine.st_dev == others.st_dev && mine.st_ino == others.st_ino
    }

    /// Locks out other processes and threads until `body` returns.
    func locked<Result>(_ body: (OpenFolder) throws -> Result) throws -> Result {
        let path = path(of: ".lock")
        let number = unsafe openat(descriptor.number, ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw CertificateError.cannotLock(path: path, SystemError("open")) }
        // A flock(2) lock belongs to the open file, so threads that open it separately also exclude each other.
        let lock = FileDescriptor(owning: number)
        while flock(lock.number, LOCK_EX) != 0 {
            guard errno == EINTR else { throw CertificateError.cannotLock(path: path, SystemError("flock")) }
        }
        let result = try body(self)
        _ = consume lock
        return result
    }

    /// Reads certificates.
    /// - Parameter name: the name of a file that other users cannot change.
    /// - Returns: nil if the file is missing.
    func certificates(_ name: String) throws -> [Certificate]? {
        guard let file = try open(name) else { return nil }
        try OpenFolder.check(file, path: path(of: name), acceptedOwner: acceptedOwner)
        let content = try File.read(file, path: path(of: name), limit: Certificate.fileLimit)
        return try Certificate.chain(pem: content, source: path(of: name))
    }

    /// Reads a private key.
    /// - Parameter name: the name of a file that belongs to this user and that only its owner can read.
    /// - Returns: nil if the file is missing.
    func key(_ name: String) throws -> PrivateKey? {
        guard let file = try open(name) else { return nil }
        try OpenFolder.checkKey(file, path: path(of: name))
        let content = try File.read(file, path: path(of: name), limit: PrivateKey.fileLimit)
        return try PrivateKey(pem: content, source: path(of: name))
    }

    /// Checks the owner and the mode of a private key without reading it.
    /// - Returns: whether the file exists.
    func hasKey(_ name: String) throws -> Bool {
        guard let file = try open(name) else { return false }
        try OpenFolder.checkKey(file, path: path(of: name))
        return true
    }

    private static func checkKey(_ file: borrowing FileDescriptor, path: String) throws {
        let status = try file.status(path: path)
        guard status.st_mode & S_IFMT == S_IFREG else { throw FileError.notAFile(path: path) }
        guard status.st_uid == geteuid() else {
            throw CertificateError.foreignOwner(path: path, owner: status.st_uid, user: geteuid())
        }
        guard status.st_mode & 0o077 == 0 else {
            throw FileError.readableByOthers(path: path, mode: "0" + String(status.st_mode & 0o777, radix: 8))
        }
    }

    private func open(_ name: String) throws -> FileDescriptor? {
        // With O_NONBLOCK, opening a named pipe does not wait for a writer.
        let number = unsafe openat(descriptor.number, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number < 0 else { return FileDescriptor(owning: number) }
        guard errno != ENOENT else { return nil }
        throw FileError.cannotRead(path: path(of: name), SystemError("open"))
    }

    /// Writes a key before its certificate. An existing certificate therefore always has its key.
    func save(_ certificates: [UInt8], _ certificateName: String, key: PrivateKey, _ keyName: String) throws {
        // After a crash, no file of the old pair may appear to belong to the new pair.
        try remove(certificateName)
        try write(key.pem, keyName, mode: 0o600)
        try write(certificates, certificateName, mode: 0o644)
    }

    /// Replaces a file atomically: writes a temporary file, flushes it to the disk, and renames it.
    func write(_ bytes: [UInt8], _ name: String, mode: mode_t) throws(FileError) {
        let temporary = ".new-" + UInt64.random(in: .min ... .max).hexadecimal()
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = unsafe openat(descriptor.number, temporary, flags, 0o600)
        guard number >= 0 else { throw .cannotWrite(path: path(of: name), SystemError("open")) }
        let file = FileDescriptor(owning: number)
        if let error = File.fill(file.number, bytes, mode) ?? rename(temporary, name) {
            unsafe unlinkat(descriptor.number, temporary, 0)
            throw .cannotWrite(path: path(of: name), error)
        }
    }

    private func rename(_ temporary: String, _ name: String) -> SystemError? {
        guard unsafe renameat(descriptor.number, temporary, descriptor.number, name) == 0 else {
            return SystemError("rename")
        }
        // Otherwise, a system crash could undo the rename.
        return File.flush(descriptor.number)
    }

    func remove(_ name: String) throws(FileError) {
        guard unsafe unlinkat(descriptor.number, name, 0) == 0 || errno == ENOENT else {
            throw .cannotWrite(path: path(of: name), SystemError("unlink"))
        }
    }
}

/// The names of the files in the folder of a CA.
enum AuthorityFolder {
    static let rootCertificate = "authority.pem"
    static let rootKey = "authority.key"
    static let intermediateCertificate = "intermediate.pem"
    static let intermediateKey = "intermediate.key"
    /// The root key in a separate folder, which can be kept offline.
    static let offlineRootKey = "root.key"

    /// Returns the names of a leaf's files: its certificate with the intermediate, and its key.
    static func files(of name: SubjectName) throws(CertificateError) -> (certificate: String, key: String) {
        // The files for a host with such a name would overwrite the CA's files.
        guard name.text != "authority", name.text != "intermediate" else { throw .reservedName(name.text) }
        return (name.fileName + ".pem", name.fileName + ".key")
    }
}
