extension SiteAssociation {
    /// The envelope of a file that is not plain JSON.
    public enum Envelope: Hashable, Sendable {
        /// CMS in DER, the signed form that devices read.
        case cms
        /// CMS in PEM, which no device reads.
        case pem
        /// S/MIME text, which `openssl smime -sign` writes without `-outform DER`. No device reads it.
        case smime
    }
}

extension SiteAssociation.Candidate {
    /// The envelope according to the first bytes, or nil for plain JSON.
    ///
    /// Only this property distinguishes signed files from plain files. The code that opens the envelope creates a new
    /// candidate from the content. JSON never looks like an envelope, because no byte above 0x7F follows a digit.
    public var envelope: SiteAssociation.Envelope? {
        // A DER SEQUENCE with a long-form length, which every signature requires, or BER with an indefinite length.
        if bytes.count > 1, bytes[0] == 0x30, (0x80...0x84).contains(bytes[1]) { return .cms }
        if bytes.starts(with: Array("-----BEGIN ".utf8)) { return .pem }
        let smime = ["MIME-Version:", "Content-Type:", "Content-Disposition:"]
        return smime.contains { bytes.starts(with: Array($0.utf8)) } ? .smime : nil
    }
}
