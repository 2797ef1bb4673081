import Platform

/// The files of an authority, and the lock that keeps two processes from making them at once.
struct AuthorityFolder: Sendable {
    let path: String

    var rootCertificate: String { path + "/authority.pem" }
    var rootKey: String { path + "/authority.key" }
    var intermediateCertificate: String { path + "/intermediate.pem" }
    var intermediateKey: String { path + "/intermediate.key" }

    func certificate(of name: SubjectName) throws(AuthorityError) -> String {
        "\(path)/\(try AuthorityFolder.stem(of: name)).pem"
    }

    func key(of name: SubjectName) throws(AuthorityError) -> String {
        "\(path)/\(try AuthorityFolder.stem(of: name)).key"
    }

    private static func stem(of name: SubjectName) throws(AuthorityError) -> String {
        // A host with such a name would write over the authority's own files.
        guard name.text != "authority", name.text != "intermediate" else { throw .reservedName(name.text) }
        return name.fileName
    }

    /// Runs the body while no other process or thread reads or writes the folder through this method.
    func locked<Result>(_ body: () throws -> Result) throws -> Result {
        let lock = path + "/.lock"
        let number = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw AuthorityError.cannotLock(path: lock, SystemError("open")) }
        // A lock of flock(2) belongs to the open file, so threads that open it apart exclude each other too.
        let descriptor = FileDescriptor(owning: number)
        while flock(descriptor.number, LOCK_EX) != 0 {
            guard errno == EINTR else { throw AuthorityError.cannotLock(path: lock, SystemError("flock")) }
        }
        let result = try body()
        _ = consume descriptor
        return result
    }

    func exists(_ file: String) -> Bool {
        var status = stat()
        return stat(file, &status) == 0
    }

    /// Writes the key before the certificate: a certificate that is there has its key.
    func save(_ certificates: [UInt8], _ certificatePath: String, key: PrivateKey, _ keyPath: String) throws {
        // What is there of an older pair must not be taken for the partner of the new half after a crash.
        if unlink(certificatePath) != 0, errno != ENOENT {
            throw FileError.cannotWrite(path: certificatePath, SystemError("unlink"))
        }
        try File.write(key.pem, to: keyPath, mode: 0o600)
        try File.write(certificates, to: certificatePath, mode: 0o644)
    }
}
