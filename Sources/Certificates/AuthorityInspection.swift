import Foundation
package import MotivatorPlatform

extension Authority {
    /// Reads the root certificate of the CA in a folder, without changing the folder.
    /// - Throws: `CertificateError.noAuthority`; `.writableByOthers` and `.foreignOwner` if another user could have
    ///   replaced the root; `FileError` and `CertificateError` for an unusable file.
    package static func root(in folder: String) throws -> Certificate {
        guard let opened = try OpenFolder(existing: folder),
            let root = try opened.certificates(AuthorityFolder.rootCertificate)?.first
        else { throw CertificateError.noAuthority(folder: folder) }
        return root
    }

    /// Reads the root certificate, and checks that trusting it is safe and useful.
    /// - Throws: the errors that `root(in:)` throws, `CertificateError.expired`, and `.unconstrained` for a root that
    ///   could sign for any site.
    package static func root(toTrustIn folder: String, at now: UnixTime) throws -> Certificate {
        let root = try root(in: folder)
        let path = folder + "/" + AuthorityFolder.rootCertificate
        guard root.notAfter > now else { throw CertificateError.expired(path: path) }
        guard NameConstraints(of: root) != nil else { throw CertificateError.unconstrained(path: path) }
        return root
    }
}

/// The state of a CA's folder, read without changing it.
package struct AuthorityInspection: Sendable {
    package let folder: String
    package let exists: Bool
    /// The errors that make the server reject the folder or a file in it.
    package let problems: [any ExplainedError]
    /// The number of files with a certificate or a key.
    package let fileCount: Int
    package let root: Certificate?
    package let intermediate: Certificate?
    /// Whether the root key is in the folder. If it is not, the server cannot sign a new intermediate.
    package let hasRootKey: Bool

    /// Reads the certificates in a folder, and the owners and modes of all its files. Does not read any key.
    package init(folder: String) {
        self.folder = folder
        var problems: [any ExplainedError] = []
        func attempt<Value>(_ body: () throws -> Value?) -> Value? {
            do {
                return try body()
            } catch let error as any ExplainedError {
                problems.append(error)
            } catch {
                problems.append(FileError.cannotRead(path: folder, SystemError("open")))
            }
            return nil
        }
        let opened = attempt { try OpenFolder(existing: folder) }
        exists = opened != nil || !problems.isEmpty
        let names = opened == nil ? [] : (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
        var certificates: [String: Certificate] = [:]
        var keys: Set<String> = []
        for name in names where name.hasSuffix(".pem") {
            certificates[name] = attempt { try opened?.certificates(name)?.first }
        }
        for name in names where name.hasSuffix(".key") && attempt({ try opened?.hasKey(name) }) == true {
            keys.insert(name)
        }
        fileCount = names.count { $0.hasSuffix(".pem") || $0.hasSuffix(".key") }
        root = certificates[AuthorityFolder.rootCertificate]
        intermediate = certificates[AuthorityFolder.intermediateCertificate]
        hasRootKey = keys.contains(AuthorityFolder.rootKey)
        self.problems = problems
    }
}
