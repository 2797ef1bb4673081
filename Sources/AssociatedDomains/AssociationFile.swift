public import Certificates
import Platform

/// An association file that is well-formed, with the bytes that are served: plain, or in its signed envelope.
public struct AssociationFile: Sendable {
    /// What is served, byte for byte.
    public let bytes: [UInt8]
    /// What it says.
    public let association: SiteAssociation
    /// The certificates of who signed it; empty for a plain file.
    public let signers: [Certificate]

    /// Whether the bytes are a signed envelope.
    public var isSigned: Bool { !signers.isEmpty }

    /// The media type that Apple documents for this form.
    public var mediaType: String { isSigned ? "application/pkcs7-mime" : "application/json" }

    /// Reads and checks a file.
    ///
    /// A signature is checked as a computation; whether its signer is trusted, and was at the time, is left to
    /// `association verify`, because old files are worth serving to those who test with them.
    ///
    /// - Parameter path: a JSON file, or one in CMS with its content attached, in DER.
    /// - Throws: `FileError`, `SiteAssociation.Fault` or `CMSError`, the last two inside `ErrorInFile`.
    public init(path: String) throws {
        let candidate = try SiteAssociation.Candidate(path: path)
        self = try ErrorInFile.naming(path) { try AssociationFile(candidate) }
    }

    /// Checks bytes, plain or signed.
    ///
    /// - Parameter candidate: the bytes.
    /// - Throws: `SiteAssociation.Fault` or `CMSError`.
    public init(_ candidate: SiteAssociation.Candidate) throws {
        guard candidate.envelope == .cms else {
            self.init(try SiteAssociation(candidate))
            return
        }
        let message = try CMS.open(candidate.bytes)
        let association = try SiteAssociation(SiteAssociation.Candidate(message.verifySignatureOnly()))
        self.init(bytes: candidate.bytes, association: association, signers: message.signers)
    }

    /// Takes a plain file that was checked before.
    public init(_ association: SiteAssociation) {
        bytes = association.bytes
        self.association = association
        signers = []
    }

    /// Signs a plain file.
    ///
    /// - Parameters:
    ///   - identity: a certificate that is valid for the file's domain, its key and its chain.
    ///   - attributes: whether signed attributes are added.
    /// - Returns: the signed form.
    /// - Throws: `CMSError.cannotSign`, and `SiteAssociation.Fault.tooLarge` when the envelope makes it too large.
    public func signed(by identity: Identity, attributes: Bool = false) throws -> AssociationFile {
        let message = try CMS.sign(association.bytes, identity: identity, attributes: attributes)
        guard message.count <= SiteAssociation.maximumSize else {
            throw SiteAssociation.Fault.tooLarge(size: message.count)
        }
        return AssociationFile(bytes: message, association: association, signers: [identity.certificate])
    }

    private init(bytes: [UInt8], association: SiteAssociation, signers: [Certificate]) {
        self.bytes = bytes
        self.association = association
        self.signers = signers
    }
}
