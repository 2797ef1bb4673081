package import Certificates
package import MotivatorPlatform

/// A problem with the served files or certificates. Devices do not report it: the association silently fails.
package enum ServingProblem: ExplainedError, Hashable {
    case otherHost(host: String, names: [String])
    case notYetValid(host: String, from: UnixTime)
    case expired(host: String, at: UnixTime)
    case expiresSoon(host: String, at: UnixTime)
    case signer(host: String, SignerIssue)

    /// The remaining validity in seconds that triggers `expiresSoon`: 14 days.
    private static let soon: UnixTime = 14 * 86_400

    /// Returns the problems with a server's certificate.
    static func problems(of certificate: Certificate, for host: String, at now: UnixTime) -> [ServingProblem] {
        let names = certificate.dnsNames + certificate.addresses
        var problems: [ServingProblem] =
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

    /// Returns the problems with a signed file, except problems that depend on a device's trusted roots.
    static func problems(ofSigned file: [UInt8], for host: String, at now: UnixTime) throws -> [ServingProblem] {
        let message = try CMS.open(file)
        let faults = message.issues(trust: [], at: now, domain: host).filter { !$0.isNote && !$0.dependsOnTrust }
        let expiring = message.signers.map(\.notAfter).filter { $0 >= now && $0 - now < soon }
        return faults.map { .signer(host: host, $0) } + expiring.map { .expiresSoon(host: host, at: $0) }
    }

    /// Whether the problem is in a certificate. Otherwise, it is in the file's signature.
    var isAboutValidity: Bool {
        switch self {
        case .otherHost, .notYetValid, .expired, .expiresSoon, .signer(_, .wrongDomain),
            .signer(_, .certificate(.expired)), .signer(_, .certificate(.notYetValid)):
            true
        case .signer: false
        }
    }

    package var problem: String {
        switch self {
        case .otherHost(let host, let names):
            "the certificate for \(host) is valid only for \(names.isEmpty ? "no host" : names.joined(separator: ", "))"
        case .notYetValid(let host, let from):
            "the certificate for \(host) is not valid before \(Timestamp.text(from))"
        case .expired(let host, let at): "the certificate for \(host) expired on \(Timestamp.text(at))"
        case .expiresSoon(let host, let at): "the certificate for \(host) expires on \(Timestamp.text(at))"
        case .signer(let host, let fault): "devices reject the signed association file of \(host): \(fault.problem)"
        }
    }

    package var fix: String {
        switch self {
        case .otherHost(let host, _): "Use a certificate whose subjectAltName contains \(host)"
        case .notYetValid: "Check the clock of this machine, or use another certificate"
        case .expired, .expiresSoon: "Renew the certificate, then send SIGHUP to the server"
        case .signer(_, let fault): fault.fix
        }
    }

    package var exitCode: ExitCode { .configuration }
}
