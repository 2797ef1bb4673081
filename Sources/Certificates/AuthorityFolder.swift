import Platform

/// The folder of a CA: the names of its files, and the lock that keeps two processes from making them at once.
struct AuthorityFolder: Sendable {
    let path: String

    static let rootCertificate = "authority.pem"
    static let rootKey = "authority.key"
    static let intermediateCertificate = "intermediate.pem"
    static let intermediateKey = "intermediate.key"
    /// The root's key in a folder of its own, which can be kept offline.
    static let offlineRootKey = "root.key"

    /// The files of a leaf: its certificate, with the intermediate, and its key.
    static func files(of name: SubjectName) throws(AuthorityError) -> (certificate: String, key: String) {
        // A host with such a name would write over the CA's own files.
        guard name.text != "authority", name.text != "intermediate" else { throw .reservedName(name.text) }
        return (name.fileName + ".pem", name.fileName + ".key")
    }

    /// Opens the folder, and keeps other processes and threads out of it until `body` returns.
    ///
    /// - Parameter body: gets the open folder.
    /// - Throws: `AuthorityError` when another user can change the folder, and what `body` throws.
    func locked<Result>(_ body: (OpenFolder) throws -> Result) throws -> Result {
        let folder = try OpenFolder(path)
        let lock = try folder.lock()
        let result = try body(folder)
        _ = consume lock
        return result
    }
}
