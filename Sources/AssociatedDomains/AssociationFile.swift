public import Certificates
import MotivatorPlatform

/// A well-formed association file, with the bytes to serve: plain JSON or a signed envelope.
public struct AssociationFile: Sendable {
    /// The bytes to serve.
    public let bytes: [UInt8]
    /// The content of the file.
    public let association: SiteAssociation
    /// The signers' certificates. This array is empty for a plain file.
    public let signers: [Certificate]

    /// Whether the bytes are a signed envelope.
    public var isSigned: Bool { !signers.isEmpty }

    /// The media type that Apple documents for this form.
    public var mediaType: String { isSigned ? "application/pkcs7-mime" : "application/json" }

    /// Reads and checks a file.
    ///
    /// The initializer verifies only the signature itself, because tests use files with expired certificates. The
    /// `association verify` command also checks whether the signer is trusted.
    ///
    /// - Parameter path: A JSON file, or a CMS file in DER form with attached content.
    /// - Throws: `FileError`, or an `ErrorInFile` that wraps `SiteAssociation.Failure` or `CMSError`.
    public init(path: String) throws {
        let candidate = try SiteAssociation.Candidate(path: path)
        self = try ErrorInFile.naming(path) { try AssociationFile(candidate) }
    }

    /// Checks the bytes of a plain or signed file.
    ///
    /// - Parameter candidate: The bytes.
    /// - Throws: `SiteAssociation.Failure` or `CMSError`.
    public init(_ candidate: SiteAssociation.Candidate) throws {
        guard candidate.envelope == .cms else {
            self.init(try SiteAssociation(candidate))
            return
        }
        let message = try CMS.open(candidate.bytes)
        let association = try SiteAssociation(SiteAssociation.Candidate(message.verifySignatureOnly()))
        self.init(bytes: candidate.bytes, association: association, signers: message.signers)
    }

    /// Creates a plain file from a validated association.
    public init(_ association: SiteAssociation) {
        bytes = association.bytes
        self.association = association
        signers = []
    }

    /// Returns a signed copy of the file.
    ///
    /// - Parameters:
    ///   - identity: A certificate that is valid for the file's domain, with its key and chain.
    ///   - attributes: Whether to add signed attributes.
    /// - Throws: `CMSError.cannotSign`, or `SiteAssociation.Failure.tooLarge` if the signed file is too large.
    public func signed(by identity: Identity, attributes: Bool = false) throws -> AssociationFile {
        let message = try CMS.sign(association.bytes, identity: identity, attributes: attributes)
        guard message.count <= SiteAssociation.maximumSize else {
            throw SiteAssociation.Failure.tooLarge(size: message.count)
        }
        return AssociationFile(bytes: message, association: association, signers: [identity.certificate])
    }

    private init(bytes: [UInt8], association: SiteAssociation, signers: [Certificate]) {
        self.bytes = bytes
        self.association = association
        self.signers = signers
    }
}
