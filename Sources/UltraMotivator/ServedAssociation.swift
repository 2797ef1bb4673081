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
    /// The signed file; nil if the host serves none.
    let signed: [UInt8]?

    /// Creates the files to serve.
    ///
    /// - Parameters:
    ///   - file: the file. A signed file is served unchanged.
    ///   - format: the format at each path.
    ///   - signer: returns the identity that signs for this host. It is called only if a signature is required.
    ///   - lastModified: the modification time of the file.
    /// - Throws: an error from signing or from `signer`.
    init(
        _ file: AssociationFile, format: Format, lastModified: UnixTime, signer: () throws -> Identity
    ) throws {
        func represent(_ file: AssociationFile) -> Representation {
            // Do not compress: Apple's limit and signatures apply to these bytes, and devices request no compression.
            Representation(file.bytes, type: file.mediaType, lastModified: lastModified)
        }
        let old = try file.isSigned || format == .plain ? file : file.signed(by: signer())
        signed = old.isSigned ? old.bytes : nil
        root = represent(old)
        switch format {
        case .plain, .signed: wellKnown = root
        case .legacy: wellKnown = represent(AssociationFile(file.association))
        }
    }
}
