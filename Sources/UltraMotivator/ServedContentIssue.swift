import AssociatedDomains
package import AssociationChecker
package import Certificates
package import MotivatorPlatform

/// A problem with the served files or certificates. Devices do not report it: the association silently fails.
package enum ServedContentIssue: ExplainedError, Hashable {
    case otherHost(host: String, names: [String])
    case notYetValid(host: String, from: UnixTime)
    case expired(host: String, at: UnixTime)
    case expiresSoon(host: String, at: UnixTime)
    case signer(host: String, CMSIssue)
    /// A device denies the association file because of this issue.
    case file(Issue)

    /// The remaining validity in seconds that triggers `expiresSoon`: 14 days.
    private static let soon: UnixTime = 14 * 86_400

    static func problems(of certificate: Certificate, for host: String, at now: UnixTime) -> [ServedContentIssue] {
        let names = certificate.dnsNames + certificate.addresses
        var problems: [ServedContentIssue] =
            certificate.matches(host: host, commonName: false) ? [] : [.otherHost(host: host, names: names)]
        if now < certificate.notBefore {
            problems.append(.notYetValid(host: host, from: certificate.notBefore))
        } else if now > certificate.notAfter {
            problems.append(.expired(host: host, at: certificate.notAfter))
        } else if certificate.notAfter - now < soon {
            problems.append(.expiresSoon(host: host, at: certificate.notAfter))
        }
        return problems
    }

    static func problems(of file: AssociationFile, for host: String, at now: UnixTime) -> [ServedContentIssue] {
        if let denial = file.denial { return [.file(denial)] }
        return file.signers.map(\.notAfter).filter { $0 - now < soon }.map { .expiresSoon(host: host, at: $0) }
    }

    /// Returns the problems with a file that the server signed, except problems that its certificate also has and
    /// problems that depend on a device's trusted roots.
    static func problems(ofSigned file: [UInt8], for host: String, at now: UnixTime) throws -> [ServedContentIssue] {
        let size = AssociationFile.sizeIssues(file.count, "the signed association file of \(host)")
        let issues = try CMS.open(file).issues(trust: [], at: now, domain: nil)
            .filter { issue in
                if case .certificate(.expired) = issue { return false }
                if case .certificate(.notYetValid) = issue { return false }
                return !issue.isNote && !issue.dependsOnTrust
            }
        return size.filter { $0.effects.device == .denial }.map { .file($0) } + issues.map { .signer(host: host, $0) }
    }

    package var problem: String {
        switch self {
        case .otherHost(let host, let names):
            "the certificate for \(host) is valid only for \(names.isEmpty ? "no host" : names.joined(separator: ", "))"
        case .notYetValid(let host, let from): "the certificate for \(host) is not valid before \(Timestamp.text(from))"
        case .expired(let host, let at): "the certificate for \(host) expired on \(Timestamp.text(at))"
        case .expiresSoon(let host, let at): "the certificate for \(host) expires on \(Timestamp.text(at))"
        case .signer(let host, let fault): "devices reject the signed association file of \(host): \(fault.problem)"
        case .file(let issue): "a device denies \(issue.line)"
        }
    }

    package var fix: String {
        switch self {
        case .otherHost(let host, _): "Use a certificate whose subjectAltName contains \(host)"
        case .notYetValid: "Check the clock of this machine, or use another certificate"
        case .expired, .expiresSoon: "Renew the certificate, then send SIGHUP to the server"
        case .signer(_, let fault): fault.fix
        case .file(let issue): issue.fix.clause
        }
    }

    package var exitCode: ExitCode { .configuration }
}
