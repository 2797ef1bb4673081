extension SiteAssociation {
    /// What a file is wrapped in when it is not plain JSON.
    public enum Envelope: Hashable, Sendable {
        /// CMS in DER: the signed form that devices read.
        case cms
        /// CMS in PEM, which no device reads.
        case pem
        /// S/MIME text, what `openssl smime -sign` writes without `-outform DER`; no device reads it.
        case smime
    }
}

extension SiteAssociation.Candidate {
    /// What the bytes are wrapped in by their beginning, or nil when they can only be JSON.
    ///
    /// This is the one place where signed files part from plain ones: whoever opens the envelope makes a new candidate
    /// of the content. No JSON text is taken for an envelope, because in JSON no digit is followed by a byte above 0x7F.
    public var envelope: SiteAssociation.Envelope? {
        // DER: a SEQUENCE whose length needs the long form, as every signature does, or BER of unknown length.
        if bytes.count > 1, bytes[0] == 0x30, (0x80...0x84).contains(bytes[1]) { return .cms }
        if bytes.starts(with: Array("-----BEGIN ".utf8)) { return .pem }
        let smime = ["MIME-Version:", "Content-Type:", "Content-Disposition:"]
        return smime.contains { bytes.starts(with: Array($0.utf8)) } ? .smime : nil
    }
}
