import Certificates
import MotivatorPlatform
import TestSupport

@testable import AssociationChecker

/// The issues with signed files. The signer's tests cover each fault with real messages.
enum SignatureCases {
    static let all = real + faults + broken

    private static let real: [CheckCase] = [
        signed("for its domain", "AAAA", ["signature-needless"]),
        signed("for another domain", "DDDD", ["signature-needless", "signer-wrong-domain"], domain: "example.org"),
        signed("for a domain that nobody tells", "AAAA", ["signature-needless", "signer-domain-unknown"], domain: nil),
        signed("a year later", "DDDD", ["signature-needless", "signer-expired"], after: 366 * 86_400),
        signed("a day before", "DDDD", ["signature-needless", "signer-not-yet-valid"], after: -86_400),
        signed("with content that was changed", "DDDD", ["signature-needless", "signature-bad"]) { bytes in
            // The message contains the first letter of the bundle identifier as plain text.
            if let place = bytes.firstRange(of: Array("com.example".utf8))?.lowerBound { bytes[place] = 0x64 }
        },
        signed("with a byte behind it", "DDDD", ["signature-malformed"]) { $0.append(0) },
    ]

    private static let faults: [CheckCase] = [
        fault("signature-without-signer", "DDDD", .noSigner),
        fault("signer-certificate-missing", "DDDD", .certificateMissing(signer: "CN=a")),
        fault("signer-untrusted", "DDDD", .certificate(.untrustedRoot(subject: "CN=r"))),
        fault("signer-incomplete-chain", "DDDD", .certificate(.incomplete(subject: "CN=a", missing: "CN=i"))),
        fault("signer-self-signed", "DDDD", .certificate(.selfSigned(subject: "CN=a"))),
        fault("signer-wrong-purpose", "DDDD", .wrongPurpose(subject: "CN=a")),
        fault("signer-bad-chain", "DDDD", .certificate(.badSignature(subject: "CN=a"))),
        fault("signer-weak", "AAAA", .weakDigest(signer: "CN=a", name: "SHA-1")),
        fault("signer-several", "AAAA", .severalSigners(count: 2)),
        fault("signer-common-name-only", "AAAA", .commonNameOnly(domain: "a.test")),
    ]

    private static let broken: [CheckCase] = [
        CheckCase(name: "signed: detached", verdicts: "DDDD", codes: ["signature-detached"]) {
            report([Issue(CMSIssue.detached, in: "signed")])
        },
        CheckCase(
            name: "signed: sent as JSON", verdicts: "AAAD", codes: ["signature-needless", "http-signed-content-type"]
        ) {
            let signed = try Signed.fresh()
            let step = try SiteBuilder.step(SiteBuilder.wellKnown, SiteBuilder.json, signed.message)
            return Checker(CheckRequest(), trust: [signed.root], at: signed.time).check(
                fetches: [FileFetch(path: .given, steps: [step])], site: "example.com", host: "example.com")
        },
    ]

    /// A signed file and its root.
    struct Signed {
        var message: [UInt8]
        let root: Certificate
        let time: UnixTime

        static func fresh(_ text: String = credentials(demoApp)) throws -> Signed {
            let authority = try Authority.temporary(permitted: ["example.com"])
            let identity = try authority.issue(hosts: ["example.com"])
            return Signed(
                message: try CMS.sign(Array(text.utf8), identity: identity), root: authority.root,
                time: identity.certificate.notBefore + 7_200)
        }
    }

    static func signed(
        _ name: String, _ verdicts: String, _ codes: Set<String>, domain: String? = "example.com",
        after seconds: UnixTime = 0, change: @escaping @Sendable (inout [UInt8]) -> Void = { _ in }
    ) -> CheckCase {
        CheckCase(name: "signed: \(name)", verdicts: verdicts, codes: codes) {
            var signed = try Signed.fresh()
            change(&signed.message)
            var request = CheckRequest()
            request.domain = domain
            return Checker(request, trust: [signed.root], at: signed.time + seconds).check(
                file: signed.message, name: "signed")
        }
    }

    static func fault(_ code: String, _ verdicts: String, _ fault: CMSIssue) -> CheckCase {
        CheckCase(name: "signed: \(code)", verdicts: verdicts, codes: [code]) {
            report([Issue(fault, in: "signed")])
        }
    }

    private static func report(_ issues: [Issue]) -> Report {
        Report(target: "signed", issues: issues)
    }
}
