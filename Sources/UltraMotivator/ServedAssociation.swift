import AssociationChecker
import Certificates
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

/// The association file of one host, in the configured format.
package struct ServedAssociation: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        /// JSON at both paths, for iOS 9 and later.
        case plain
        /// The signed file at both paths, as iOS 8 requires.
        case signed
        /// The signed file at the root for iOS 8, and JSON in `.well-known` for later systems.
        case legacy
    }

    static let paths = ["/apple-app-site-association", "/.well-known/apple-app-site-association"]

    let root: Representation
    let wellKnown: Representation
    let files: [AssociationFile]
    private let signed: [[UInt8]]

    /// A file and its modification time.
    typealias Source = (file: AssociationFile, modified: UnixTime)

    /// - Parameters:
    ///   - source: the file at the root path. A signed file is served unchanged.
    ///   - wellKnown: the file in `.well-known`; nil for the file at the root path.
    ///   - signer: returns the identity that signs for this host. It is called only if a signature is required.
    init(
        _ source: Source, wellKnown: Source? = nil, format: Format, signer: () throws -> Identity
    ) throws {
        func represent(_ bytes: [UInt8], _ type: String, _ modified: UnixTime) -> Representation {
            // Do not compress: Apple's limit and signatures apply to these bytes, and devices request no compression.
            Representation(bytes, type: type, lastModified: modified)
        }
        var signed: [[UInt8]] = []
        func formatted(_ source: Source) throws -> Representation {
            guard format != .plain, !source.file.claimsSignature else {
                return represent(source.file.bytes, source.file.mediaType, source.modified)
            }
            let message = try CMS.sign(source.file.content, identity: signer())
            signed.append(message)
            return represent(message, "application/pkcs7-mime", source.modified)
        }
        root = try formatted(source)
        let (file, modified) = wellKnown ?? source
        switch format {
        case .plain, .signed: self.wellKnown = try wellKnown.map(formatted) ?? root
        // A signed file that cannot be opened has no content.
        case .legacy where file.claimsSignature && file.signers.isEmpty:
            self.wellKnown = represent(file.bytes, file.mediaType, modified)
        case .legacy: self.wellKnown = represent(file.content, "application/json", modified)
        }
        files = [source.file] + [wellKnown?.file].compactMap(\.self)
        self.signed = signed
    }

    func problems(for host: String, at now: UnixTime) throws -> [ServedContentIssue] {
        try files.flatMap { ServedContentIssue.problems(of: $0, for: host, at: now) }
            + signed.flatMap { try ServedContentIssue.problems(ofSigned: $0, for: host, at: now) }
    }
}
