import AssociatedDomains
import Certificates
import HTTP
import Platform
import Server

/// The association file as it is served for one host, in the form that was asked for.
public struct ServedAssociation: Sendable {
    /// Which form is served where.
    public enum Format: String, Sendable, CaseIterable {
        /// The JSON on both paths: what iOS 9 and later read.
        case plain
        /// The signed form on both paths: iOS 8 reads nothing else.
        case signed
        /// The signed form at the root, where iOS 8 looks, and JSON in `.well-known`, where later ones do.
        case legacy
    }

    /// Both places where devices look for the file.
    static let paths = ["/apple-app-site-association", "/.well-known/apple-app-site-association"]

    let root: Representation
    let wellKnown: Representation

    /// Makes what is served.
    ///
    /// - Parameters:
    ///   - file: the file; one that is signed already is served as it is.
    ///   - format: which form is served where.
    ///   - signer: whose certificate signs for this host, asked only when something has to be signed.
    ///   - lastModified: seconds since 1970-01-01T00:00:00Z.
    /// - Throws: what signing throws, and what `signer` throws.
    init(
        _ file: AssociationFile, format: Format, lastModified: UnixTime, signer: () throws -> Identity
    ) throws {
        func represent(_ file: AssociationFile) -> Representation {
            // No compression: Apple's limit and the signature are about these bytes, and a device asks for no coding.
            Representation(file.bytes, type: file.mediaType, lastModified: lastModified)
        }
        switch format {
        case .plain:
            root = represent(file)
            wellKnown = root
        case .signed:
            root = represent(file.isSigned ? file : try file.signed(by: signer()))
            wellKnown = root
        case .legacy:
            root = represent(file.isSigned ? file : try file.signed(by: signer()))
            wellKnown = represent(AssociationFile(file.association))
        }
    }
}
