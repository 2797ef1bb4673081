import Certificates
import MotivatorPlatform
import Testing

/// The folder of signed files from real sites. The files are not part of this repository.
private let corpus: String? = getenv("ASSOCIATION_CORPUS").map { String(cString: $0) }

@Suite("Signed files in the corpus", .enabled(if: corpus != nil))
struct CorpusSignerTests {
    private func message(_ name: String) throws -> SignedMessage {
        try CMS.open(File.read((corpus ?? "") + "/" + name, limit: 1 << 20))
    }

    private func time(_ text: String) -> UnixTime { Timestamp.parse(text) ?? 0 }

    /// The root's own SHA-1 signature is not an issue. The test ignores whether the system still trusts the root.
    @Test("061 has no issue while its certificate is valid and its root trusted, like with openssl")
    func wildcard() throws {
        let message = try message("061.der")
        let root = CMSIssue.certificate(
            .untrustedRoot(subject: "CN=DigiCert High Assurance EV Root CA,OU=www.digicert.com,O=DigiCert Inc,C=US"))
        let then = message.issues(trust: nil, at: time("2018-01-01"), domain: "www.facebook.com")
        #expect(then.filter { $0 != root }.isEmpty)
        let answer = try Workbench().openssl(
            "cms", "-verify", "-inform", "DER", "-binary", "-in", (corpus ?? "") + "/061.der", "-purpose", "sslserver",
            "-attime", String(time("2018-01-01")), "-out", "/dev/null")
        #expect((answer.code == 0) == then.isEmpty, "\(answer.output)")
        let now = message.issues(trust: nil, at: time("2026-01-01"), domain: "a.test").filter { $0 != root }
        guard now.count == 2, case .certificate(.expired) = now[0], case .wrongDomain = now[1] else {
            Issue.record("\(now)")
            return
        }
    }

    @Test("115 was signed with SHA-1, below a root that Debian no longer trusts, like with openssl")
    func sha1() throws {
        let message = try message("115.der")
        let then = message.issues(trust: nil, at: time("2015-10-01"), domain: "www.artsy.net")
        let root = CMSIssue.certificate(.untrustedRoot(subject: "CN=GeoTrust Global CA,O=GeoTrust Inc.,C=US"))
        guard case .weakDigest(_, "SHA-1") = then.first else {
            Issue.record("\(then)")
            return
        }
        #expect(then.dropFirst().filter { $0 != root }.isEmpty)
        let answer = try Workbench().openssl(
            "cms", "-verify", "-inform", "DER", "-binary", "-in", (corpus ?? "") + "/115.der", "-purpose", "sslserver",
            "-attime", String(time("2015-10-01")), "-out", "/dev/null")
        #expect((answer.code == 0) == (then.count == 1), "\(answer.output)")
    }
}
