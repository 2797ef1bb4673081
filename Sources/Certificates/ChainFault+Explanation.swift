import Platform

extension ChainFault: ExplainedError {
    public var problem: String {
        switch self {
        case .noCertificate: "the server shows no certificate"
        case .expired(let subject, let end): "the certificate \(subject.quotedName) expired on \(Timestamp.text(end))"
        case .notYetValid(let subject, let start):
            "the certificate \(subject.quotedName) is not valid before \(Timestamp.text(start))"
        case .wrongHost(let host, let names):
            "the certificate is for \(names.isEmpty ? "no host" : names.listed), not for \(host.quoted)"
        case .noAlternativeName(let name?):
            "the certificate names \(name.quoted) only as Common Name, not in subjectAltName"
        case .noAlternativeName(nil): "the certificate names no host in subjectAltName"
        case .selfSigned(let subject): "the certificate \(subject.quotedName) signed itself and is not trusted"
        case .untrustedRoot(let subject): "the chain ends at \(subject.quotedName), which is not trusted"
        case .incomplete(let subject, let missing):
            "the issuer of \(subject.quotedName), \(missing.quotedName), is missing from the chain"
        case .tooLong(let days, let limit):
            "the certificate is valid for \(days) days, but at most \(limit) are allowed"
        case .notForServers(let subject): "the certificate \(subject.quotedName) is not for TLS servers (serverAuth)"
        case .weakKey(let subject, let kind, let bits):
            "the certificate \(subject.quotedName) has a weak key: \(kind) of \(bits) bits"
        case .weakDigest(let subject, let name): "the certificate \(subject.quotedName) is signed with \(name)"
        case .notAnAuthority(let subject):
            "the certificate \(subject.quotedName) issued another, but is not that of an authority"
        case .nameConstraint(let subject, let reason):
            "the names of \(subject.quotedName) are not those that its issuers may sign for: \(reason)"
        case .badSignature(let subject): "the signature of the certificate \(subject.quotedName) is wrong"
        case .pathTooLong(let subject):
            "the authority \(subject.quotedName) has more authorities below it than its path length allows"
        case .chainTooLong(let limit): "the chain is longer than \(limit) authorities"
        case .wildcardTooWide(let name):
            SubjectNameError.wildcardTooWide(name).problem
        case .refused(let subject, let reason): "the certificate \(subject.quotedName) is refused: \(reason)"
        case .wrongOrder(let subject):
            "the certificate \(subject.quotedName) is out of order: it did not issue the one before"
        case .unneeded(let subjects): "the server shows more than the chain needs: \(subjects.listed)"
        }
    }

    public var fix: String {
        switch self {
        case .noCertificate: "Give the server a certificate for its host, followed by the intermediates"
        case .expired: "Renew it, and check the clock"
        case .notYetValid: "Wait until then, and check the clock"
        case .wrongHost: "Get a certificate with the host in subjectAltName; a wildcard stands for one label only"
        case .noAlternativeName: "Get a certificate with every host in subjectAltName"
        case .selfSigned:
            "Get a certificate from an authority that devices trust; for development make an authority of your own (motivator "
                + "certificate authority), have it issue the certificate, and trust its root"
        case .untrustedRoot:
            "Trust this root (--trust), or use an authority that devices trust; if it is no root, add it to the chain"
        case .incomplete:
            "Have the server show every intermediate behind its own certificate; a root has to be trusted (--trust)"
        case .tooLong(_, let limit): "Get one for at most \(limit) days"
        case .notForServers: "Get one whose extended key usage holds serverAuth, by an issuer that may issue such"
        case .weakKey: "Make a new key: P-256, or RSA with at least 2048 bits"
        case .weakDigest: "Have it issued again with SHA-256"
        case .notAnAuthority: "Issue with a certificate that says CA:TRUE and may sign certificates (keyCertSign)"
        case .nameConstraint: "Ask for names within the issuers' constraints, or use another authority"
        case .badSignature:
            "Show the issuer's certificate with the key that signed; it may have been made anew"
        case .pathTooLong: "Issue with an authority that its issuers allow"
        case .chainTooLong: "Use an authority nearer to its root"
        case .wildcardTooWide(let name): SubjectNameError.wildcardTooWide(name).fix
        case .refused: "Look at it with: openssl x509 -noout -text -in FILE"
        case .wrongOrder: "Put the server's own certificate first and each issuer behind the one that it issued"
        case .unneeded: "Take them out: every handshake carries them"
        }
    }

    public var exitCode: ExitCode { .no }
}

extension [String] {
    /// The first ten, each in quotes, and how many there are besides; a certificate may have thousands.
    var listed: String {
        let more = count > 10 ? " and \(count - 10) more" : ""
        return prefix(10).map(\.quotedName).joined(separator: ", ") + more
    }
}

extension String {
    /// The name of a certificate in quotes. Its escapes are those of RFC 4514 already, and are not doubled.
    package var quotedName: String { quoted.replacing("\\\\", with: "\\") }
}
