public import MotivatorPlatform

extension ChainIssue: ExplainedError {
    public var problem: String {
        switch self {
        case .noCertificate: "the server did not send a certificate"
        case .expired(let subject, let end): "the certificate \(subject.quotedName) expired on \(Timestamp.text(end))"
        case .notYetValid(let subject, let start):
            "the certificate \(subject.quotedName) is not valid before \(Timestamp.text(start))"
        case .wrongHost(let host, let names):
            "the certificate is for \(names.isEmpty ? "no host" : names.listed), not for \(host.quoted)"
        case .noAlternativeName(let name?):
            "the certificate has \(name.quoted) only as its Common Name, not in subjectAltName"
        case .noAlternativeName(nil): "the certificate has no host in subjectAltName"
        case .selfSigned(let subject): "the certificate \(subject.quotedName) is self-signed and not trusted"
        case .untrustedRoot(let subject): "the chain ends at \(subject.quotedName), which is not trusted"
        case .incomplete(let subject, let missing):
            "the issuer of \(subject.quotedName), \(missing.quotedName), is missing from the chain"
        case .tooLong(let days, let limit):
            "the certificate is valid for \(days) days, more than the limit of \(limit)"
        case .noPurpose(let subject):
            "the certificate \(subject.quotedName) has no extended key usage, but was issued in July 2019 or later"
        case .notForServers(let subject): "the certificate \(subject.quotedName) is not for TLS servers (serverAuth)"
        case .weakKey(let subject, let kind, let bits):
            "the certificate \(subject.quotedName) has a weak key: \(bits)-bit \(kind)"
        case .weakDigest(let subject, let name): "the certificate \(subject.quotedName) is signed with \(name)"
        case .notAnAuthority(let subject):
            "the certificate \(subject.quotedName) issued another certificate, but is not a CA certificate"
        case .nameConstraint(let subject, let reason):
            "the names of \(subject.quotedName) violate its issuers' name constraints: \(reason)"
        case .badSignature(let subject): "the signature of the certificate \(subject.quotedName) is invalid"
        case .pathTooLong(let subject):
            "the CA \(subject.quotedName) has more CAs below it than its path length allows"
        case .chainTooLong(let limit): "the chain has more than \(limit) CAs"
        case .wildcardTooWide(let name):
            SubjectNameError.wildcardTooWide(name).problem
        case .refused(let subject, let reason): "the certificate \(subject.quotedName) is refused: \(reason)"
        case .wrongOrder(let subject):
            "the certificate \(subject.quotedName) is out of order: it did not issue the previous certificate"
        case .unneeded(let subjects): "the server sends certificates that the chain does not need: \(subjects.listed)"
        }
    }

    public var fix: String {
        switch self {
        case .noCertificate: "Configure the server with a certificate for its host, followed by the intermediates"
        case .expired: "Renew the certificate, and check the clock"
        case .notYetValid: "Wait until the certificate is valid, and check the clock"
        case .wrongHost: "Get a certificate with the host in subjectAltName; a wildcard matches only one label"
        case .noAlternativeName: "Get a certificate with every host in subjectAltName"
        case .selfSigned:
            "Get a certificate from a CA that devices trust; for development, create your own CA (motivator "
                + "certificate authority), issue the certificate from it, and trust its root; iOS lists only roots with "
                + "basicConstraints CA:TRUE under Certificate Trust Settings"
        case .untrustedRoot:
            "Trust this root (--trust), or use a CA that devices trust; if it is an intermediate, add it to the chain"
        case .incomplete:
            "Configure the server to send every intermediate after its certificate; if a root is missing, use --trust"
        case .tooLong(_, let limit): "Get a certificate that is valid for at most \(limit) days"
        case .noPurpose: "Get a certificate with the extended key usage serverAuth"
        case .notForServers: "Get a certificate that allows serverAuth, from issuers that also allow serverAuth"
        case .weakKey: "Use a new key: P-256, or RSA with at least 2048 bits"
        case .weakDigest: "Get a new certificate that is signed with SHA-256"
        case .notAnAuthority: "Issue the certificate from a CA certificate with CA:TRUE and keyCertSign"
        case .nameConstraint: "Use names within the issuers' constraints, or another CA"
        case .badSignature:
            "Send the issuer certificate whose key created the signature; the issuer may have a new key"
        case .pathTooLong: "Use a CA whose issuers allow it to issue certificates"
        case .chainTooLong: "Use a CA closer to its root"
        case .wildcardTooWide(let name): SubjectNameError.wildcardTooWide(name).fix
        case .refused: "Inspect the certificate with: openssl x509 -noout -text -in FILE"
        case .wrongOrder: "Put the server's own certificate first, and each issuer after the certificate that it issued"
        case .unneeded: "Remove these certificates; they make every handshake larger"
        }
    }

    public var exitCode: ExitCode { .no }
}

extension [String] {
    /// The first ten elements in quotes, and the number of other elements. A certificate may have thousands of names.
    var listed: String {
        let more = count > 10 ? " and \(count - 10) more" : ""
        return prefix(10).map(\.quotedName).joined(separator: ", ") + more
    }
}

extension String {
    /// The name of a certificate in quotes. Does not double the RFC 4514 escapes that the name already contains.
    package var quotedName: String { quoted.replacing("\\\\", with: "\\") }
}
