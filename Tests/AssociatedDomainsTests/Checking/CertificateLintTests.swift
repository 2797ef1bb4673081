import Certificates
import MotivatorPlatform
import TestSupport
import Testing

@testable import AssociationChecker

@Suite("A check of certificates without a file") struct CertificateLintTests {
    /// Checks the certificates of a server for a host.
    /// - Parameter trusts: whether the root is trusted.
    private func lint(host: String?, trusts: Bool = true) throws -> CertificateLint {
        let authority = try Authority.temporary(permitted: ["a.test"])
        let identity = try authority.issue(hosts: ["a.test"])
        let verifier = try ChainVerifier(trust: trusts ? [authority.root] : [], at: Clock.system.now())
        return CertificateLint(
            [identity.certificate] + identity.chain, host: host, target: "site", verifier: verifier)
    }

    @Test("A good chain meets the rules, with or without a host, and an untrusted root is only a note")
    func good() throws {
        for host in ["a.test", nil] {
            let found = try lint(host: host)
            #expect(found.passes && found.errorCount == 0 && !found.isAuthority)
            #expect(found.conclusion == "site: the certificates meet Apple's rules.")
        }
        let untrusted = try lint(host: "a.test", trusts: false)
        #expect(untrusted.passes)
        let root = try #require(untrusted.issues.first { $0.code == "tls-untrusted-root" })
        #expect(root.isNote)
    }

    @Test("A certificate for another host violates the rules, and the conclusion has the number of errors")
    func otherHost() throws {
        let found = try lint(host: "b.test")
        #expect(found.issues.contains { $0.code == "tls-wrong-host" })
        #expect(!found.passes && found.conclusion == "site: the certificates violate Apple's rules (1 error).")
        let text = found.text(style: ReportText.Style())
        #expect(text.hasPrefix(found.conclusion) && text.contains("error[tls-wrong-host]"))
    }

    @Test("The rules for servers do not apply to a CA certificate, trusted or not")
    func authority() throws {
        let root = try Authority.temporary(permitted: ["a.test"]).root
        for trust in [[root], []] {
            let verifier = try ChainVerifier(trust: trust, at: Clock.system.now())
            let found = CertificateLint([root], host: "b.test", target: "root.pem", verifier: verifier)
            #expect(found.isAuthority && found.passes, "\(found.issues.map(\.code))")
            #expect(found.conclusion == "root.pem: the CA certificate meets Apple's rules.")
        }
    }

    @Test("Without a certificate, the check does not pass")
    func noCertificate() throws {
        let verifier = try ChainVerifier(trust: [], at: 0)
        let found = CertificateLint([], host: nil, target: "site", verifier: verifier)
        #expect(!found.passes && !found.isAuthority && found.errorCount == 1)
        #expect(found.conclusion == "site: the certificate violates Apple's rules (1 error).")
    }
}
