import AssociatedDomains
import Certificates
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

/// The association file of one host, in the configured format.
package struct ServedAssociation: Sendable {
    /// The format of the file at each path.
    package enum Format: String, Sendable, CaseIterable {
        /// JSON at both paths, for iOS 9 and later.
        case plain
        /// The signed file at both paths, as iOS 8 requires.
        case signed
        /// The signed file at the root for iOS 8, and JSON in `.well-known` for later systems.
        case legacy
    }

    /// The two paths of the file.
    static let paths = ["/apple-app-site-association", "/.well-known/apple-app-site-association"]

    let root: Representation
    let wellKnown: Representation
    /// The distinct signed files that the host serves.
    private let signed: [(bytes: [UInt8], isByServer: Bool)]

    /// A file and its modification time.
    typealias Source = (file: AssociationFile, modified: UnixTime)

    /// Creates the files to serve.
    ///
    /// - Parameters:
    ///   - source: the file at the root path. A signed file is served unchanged.
    ///   - wellKnown: the file in `.well-known`; nil for the file at the root path.
    ///   - format: the format at each path.
    ///   - signer: returns the identity that signs for this host. It is called only if a signature is required.
    /// - Throws: an error from signing or from `signer`.
    init(
        _ source: Source, wellKnown: Source? = nil, format: Format, signer: () throws -> Identity
    ) throws {
        func represent(_ file: AssociationFile, _ modified: UnixTime) -> Representation {
            // Do not compress: Apple's limit and signatures apply to these bytes, and devices request no compression.
            Representation(file.bytes, type: file.mediaType, lastModified: modified)
        }
        func signed(_ file: AssociationFile) throws -> AssociationFile {
            try file.isSigned || format == .plain ? file : file.signed(by: signer())
        }
        let old = try signed(source.file)
        root = represent(old, source.modified)
        var files = [(file: old, isByServer: !source.file.isSigned)]
        let (file, modified) = wellKnown ?? source
        var new = old
        if format == .legacy {
            new = AssociationFile(file.association)
        } else if wellKnown != nil {
            new = try signed(file)
            files.append((new, !file.isSigned))
        }
        self.wellKnown = represent(new, modified)
        self.signed = files.filter { $0.file.isSigned }.map { ($0.file.bytes, $0.isByServer) }
    }

    /// Returns the problems of the signed files. For a signature by the server, the problems of the server's certificate
    /// are not repeated.
    func problems(for host: String, at now: UnixTime) throws -> [ServingProblem] {
        var problems: [ServingProblem] = []
        for file in signed {
            let found = try ServingProblem.problems(ofSigned: file.bytes, for: host, at: now)
            // One signer can have signed both files.
            for problem in found where !problems.contains(problem) && !(file.isByServer && problem.isAboutValidity) {
                problems.append(problem)
            }
        }
        return problems
    }
}
