import Certificates
import Platform

@testable import AssociationChecker

/// What is found in signed files; that each fault is seen in real messages is tested where signers are judged.
enum SignatureCases {
    static let all = real + faults + broken

    private static let real: [CheckCase] = [
        signed("for its domain", "AAA", ["signature-needless"]),
        signed("for another domain", "DDD", ["signature-needless", "signer-wrong-domain"], domain: "example.org"),
        signed("for a domain that nobody tells", "AAA", ["signature-needless", "signer-domain-unknown"], domain: nil),
        signed("a year later", "DDD", ["signature-needless", "signer-expired"], after: 366 * 86_400),
        signed("a day before", "DDD", ["signature-needless", "signer-not-yet-valid"], after: -86_400),
        signed("with content that was changed", "DDD", ["signature-needless", "signature-bad"]) { bytes in
            // The first letter of the bundle identifier, which stands in the message as it is.
            if let place = bytes.firstRange(of: Array("com.example".utf8))?.lowerBound { bytes[place] = 0x64 }
        },
        signed("with a byte behind it", "DDD", ["signature-malformed"]) { $0.append(0) },
    ]

    private static let faults: [CheckCase] = [
        fault("signature-without-signer", "DDD", .noSigner),
        fault("signer-certificate-missing", "DDD", .certificateMissing(signer: "CN=a")),
        fault("signer-untrusted", "DDD", .certificate(.untrustedRoot(subject: "CN=r"))),
        fault("signer-incomplete-chain", "DDD", .certificate(.incomplete(subject: "CN=a", missing: "CN=i"))),
        fault("signer-self-signed", "DDD", .certificate(.selfSigned(subject: "CN=a"))),
        fault("signer-wrong-purpose", "DDD", .wrongPurpose(subject: "CN=a")),
        fault("signer-bad-chain", "DDD", .certificate(.badSignature(subject: "CN=a"))),
        fault("signer-weak", "AAA", .weakDigest(signer: "CN=a", name: "SHA-1")),
        fault("signer-several", "AAA", .severalSigners(count: 2)),
    ]

    private static let broken: [CheckCase] = [
        CheckCase(name: "signed: detached", verdicts: "DDD", codes: ["signature-detached"]) {
            report([Finding(CMSError.detached, in: "signed")])
        },
        CheckCase(
            name: "signed: sent as JSON", verdicts: "AAD", codes: ["signature-needless", "http-signed-content-type"]
        ) {
            let signed = try Signed.fresh()
            let hop = try SiteBuilder.hop(SiteBuilder.wellKnown, SiteBuilder.json, signed.message)
            return Checker(Question(), trust: [signed.root], at: signed.time).check(
                visits: [Visit(location: .given, hops: [hop])], site: "example.com", host: "example.com")
        },
    ]

    /// A file with its signer.
    private struct Signed {
        var message: [UInt8]
        let root: Certificate
        let time: UnixTime

        static func fresh() throws -> Signed {
            let folder = try TemporaryFolder()
            let authority = try Authority.create(folder: folder.path, permitted: ["example.com"])
            let identity = try authority.issue(hosts: ["example.com"])
            return Signed(
                message: try CMS.sign(Array(credentials(demoApp).utf8), identity: identity), root: authority.root,
                time: identity.certificate.notBefore + 7_200)
        }
    }

    private static func signed(
        _ name: String, _ verdicts: String, _ codes: Set<String>, domain: String? = "example.com",
        after seconds: UnixTime = 0, change: @escaping @Sendable (inout [UInt8]) -> Void = { _ in }
    ) -> CheckCase {
        CheckCase(name: "signed: \(name)", verdicts: verdicts, codes: codes) {
            var signed = try Signed.fresh()
            change(&signed.message)
            var question = Question()
            question.domain = domain
            return Checker(question, trust: [signed.root], at: signed.time + seconds).check(
                file: signed.message, name: "signed")
        }
    }

    private static func fault(_ code: String, _ verdicts: String, _ fault: SignerFault) -> CheckCase {
        CheckCase(name: "signed: \(code)", verdicts: verdicts, codes: [code]) {
            report([Finding(fault, in: "signed")])
        }
    }

    private static func report(_ findings: [Finding]) -> Report {
        Report(target: "signed", findings: findings, outline: nil, texts: [:])
    }
}
