import AssociatedDomains
package import Certificates
package import MotivatorPlatform

/// A check of a server's certificates according to Apple's rules, without an association file.
///
/// `ChainVerifier` defines the rules, and `ChainIssue` their codes and sources. An untrusted root is only a note,
/// because trust depends on the device.
package struct CertificateLint: Sendable {
    package let target: String
    /// The certificates in the order sent.
    package let served: [Certificate]
    package let issues: [Issue]
    /// Whether the first certificate is a CA certificate. The rules for servers do not apply to CA certificates.
    package let isAuthority: Bool

    /// Checks certificates.
    /// - Parameter host: The host that the certificate must be valid for, or nil if it is unknown.
    package init(_ served: [Certificate], host: String?, target: String, verifier: ChainVerifier) {
        let verdict = verifier.verdict(on: served, host: host)
        let isAuthority = served.first.map { $0.isAuthority && ($0.dnsNames + $0.addresses).isEmpty } ?? false
        let kept = ChainVerdict(
            issues: verdict.issues.filter { !isAuthority || !$0.concernsServersOnly }, anchor: verdict.anchor,
            path: isAuthority ? [] : verdict.path)
        (self.target, self.served, self.isAuthority) = (target, served, isAuthority)
        issues = Issue.all(kept, in: target, isForDevelopers: true).map { issue in
            issue.diagnostic == ChainIssue.untrustedRoot(subject: "").entry.diagnostic ? issue.atMost(.note) : issue
        }
    }

    package var errorCount: Int { issues.count { $0.severity(in: [.device]) == .error } }
    package var passes: Bool { errorCount == 0 }

    package var conclusion: String {
        let subject = isAuthority ? "the CA certificate" : served.count > 1 ? "the certificates" : "the certificate"
        let plural = served.count > 1 && !isAuthority
        return passes
            ? "\(target): \(subject) \(plural ? "meet" : "meets") Apple's rules."
            : "\(target): \(subject) \(plural ? "violate" : "violates") Apple's rules (\(errorCount) "
                + "error\(errorCount == 1 ? "" : "s"))."
    }

    package func text(style: ReportText.Style) -> String {
        let issues = ReportText(Report(target: target, issues: issues), profiles: [.device], style: style).issueLines
        return ([conclusion.printable] + issues).joined(separator: "\n") + "\n"
    }

    package func json(version: String) -> JSONNode {
        [
            "format": 1, "version": .text(version), "target": .text(target), "ok": .truth(passes),
            "conclusion": .text(conclusion), "certificates": .list(served.map(\.json)),
            "issues": .list(Report(target: target, issues: issues).issues.map { $0.json([.device]) }),
        ]
    }
}

extension ChainIssue {
    fileprivate var concernsServersOnly: Bool {
        switch self {
        case .noAlternativeName, .tooLong, .notForServers, .noPurpose, .selfSigned, .selfSignedAnchor, .wrongHost: true
        case .noCertificate, .expired, .notYetValid, .untrustedRoot, .incomplete, .weakKey, .weakDigest,
            .notAnAuthority, .nameConstraint, .badSignature, .pathTooLong, .chainTooLong, .wildcardTooWide, .refused,
            .givenRoot, .wrongOrder, .unneeded:
            false
        }
    }
}

extension Certificate {
    fileprivate var json: JSONNode {
        [
            "subject": .text(subject), "issuer": .text(issuer),
            "names": .list((dnsNames + addresses).map { .text($0) }),
            "not_before": .text(Timestamp.text(notBefore)), "not_after": .text(Timestamp.text(notAfter)),
            "sha256": .text(fingerprint.hexadecimal),
        ]
    }
}
