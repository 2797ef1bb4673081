import AssociatedDomains
import AssociationDiagnostics
import Certificates
import Foundation
import MotivatorPlatform

extension FaultHost {
    /// The hosts in the group "Signature", which serve the same file at both paths.
    static let signature: [FaultHost] = intact + damaged + signers

    /// Returns a host whose message differs from an intact message only in its signer's certificate.
    private static func signer(
        _ name: String, _ summary: String, _ verdicts: String, _ issues: String,
        _ signer: @escaping @Sendable (Workshop) throws -> Identity
    ) -> FaultHost { message(name, summary, verdicts, issues) { try $0.sign(by: [signer($0)]) } }

    private static func message(
        _ name: String, _ summary: String, _ verdicts: String, _ issues: String,
        _ message: @escaping @Sendable (Workshop) throws -> [UInt8]
    ) -> FaultHost {
        FaultHost(.signature, name, summary, verdicts, issues, source: .sharedWebCredentials) {
            try $0.message(message($0))
        }
    }

    private static let intact: [FaultHost] = [
        FaultHost(.signature, "unsigned", "plain JSON at both paths", "AAAD", "signature-missing") { shop in
            BrokenHost(wellKnown: shop.plain, root: shop.plain)
        },
        message("signed-p256", "P-256 signer, chain enclosed, no signed attributes", "AAAA", "") { try $0.sign() },
        signer("signed-rsa", "RSA 2048 signer", "AAAA", "") { try $0.identity(kind: .rsa2048) },
        message("signed-attributes", "with signed attributes", "AAAA", "") { try $0.sign { $0.hasAttributes = true } },
        message("signed-two", "two signers, both valid", "AAAA", "") { shop in
            try shop.sign(by: [shop.identity(), shop.identity(kind: .rsa2048)])
        },
        signer("signed-wildcard", "signer for *.<parent>", "AAAA", "") { shop in
            try shop.identity("*.faults.\(shop.domain)")
        },
        signer("signed-cn-only", "signer without SAN, correct Common Name", "?A?A", "") { shop in
            try shop.identity { $0.removeExtension("subjectAltName") }
        },
        message("signed-sha1", "SHA-1 digest", "?A?A", "signer-weak") { try $0.sign { $0.digest = .sha1 } },
    ]

    private static let damaged: [FaultHost] = [
        message("signed-detached", "content not enclosed", "DDDD", "signature-detached") {
            try $0.sign { $0.includesContent = false }
        },
        message("signed-pem", "PEM", "DDDD", "file-pem") { shop in
            pem(try shop.sign(), header: "-----BEGIN CMS-----\n", footer: "-----END CMS-----\n")
        },
        message("signed-smime", "S/MIME text", "DDDD", "file-smime-text") { shop in
            let header = """
                MIME-Version: 1.0
                Content-Disposition: attachment; filename="smime.p7m"
                Content-Type: application/pkcs7-mime; smime-type=signed-data; name="smime.p7m"
                Content-Transfer-Encoding: base64


                """
            return pem(try shop.sign(), header: header, footer: "\n")
        },
        message("signed-cut-short", "the last 40 bytes missing", "DDDD", "signature-malformed") {
            Array(try $0.sign().dropLast(40))
        },
        message("signed-no-certificates", "signer certificate not enclosed", "DDDD", "signer-certificate-missing") {
            try $0.sign {
                $0.includesSigners = false
                $0.certificates = []
            }
        },
        message("signed-nobody", "certificates only", "DDDD", "signature-without-signer") { shop in
            try shop.sign { draft in
                draft.certificates += draft.signers.map(\.certificate)
                draft.signers = []
            }
        },
        message("signed-changed-content", "one letter changed after signing", "DDDD", "signature-bad") { shop in
            let apps = [shop.file.app.description, shop.file.other]
            var message = try shop.sign(content: Array(shop.file.listing(apps).utf8))
            if let range = message.firstRange(of: Array(shop.file.other.utf8)) {
                message[range.upperBound - 1] = UInt8(ascii: "P")
            }
            return message
        },
        message("signed-changed-signature", "one bit of the signature changed", "DDDD", "signature-bad") { shop in
            // The message ends with the signature.
            var message = try shop.sign()
            message[message.count - 1] ^= 1
            return message
        },
        FaultHost(
            .signature, "signed-bad-json", "valid signature, trailing comma in the JSON", "DDDD", "json-trailing-comma"
        ) { shop in shop.message(try shop.sign(content: Array(shop.file.withTrailingComma.utf8))) },
    ]

    private static let signers: [FaultHost] = [
        signer("signed-wrong-domain", "signer for another domain", "?D?D", "signer-wrong-domain") { shop in
            try shop.identity("another-host.\(shop.domain)")
        },
        signer("signed-expired", "signer expired", "?D?D", "signer-expired") { try $0.expired() },
        signer("signed-not-yet-valid", "signer valid from tomorrow", "?D?D", "signer-not-yet-valid") { shop in
            try shop.identity { $0.notBefore = shop.now + 86_400 }
        },
        message("signed-no-intermediate", "intermediate not enclosed", "?D?D", "signer-incomplete-chain") { shop in
            try shop.sign { $0.certificates = [] }
        },
        signer("signed-self-signed", "self-signed signer", "?D?D", "signer-self-signed") { try $0.selfSigned() },
        signer("signed-unknown-root", "root not trusted", "?D?D", "signer-untrusted") { try $0.strange() },
        signer("signed-client-certificate", "signer for clients only", "?D?D", "signer-wrong-purpose") { shop in
            try shop.identity { $0.setPurpose("clientAuth") }
        },
        signer("signed-email-certificate", "signer for e-mail only", "?D?D", "signer-wrong-purpose") { shop in
            try shop.identity { $0.setPurpose("emailProtection") }
        },
        message("signed-two-one-wrong", "two signers, one of them for another domain", "?D?D", "signer-wrong-domain") {
            try $0.sign(by: [$0.identity(), $0.identity("another-host.\($0.domain)")])
        },
        FaultHost(
            .signature, "signed-as-json", "valid signature, Content-Type: application/json", "AAAD",
            "http-signed-content-type"
        ) { shop in shop.message(try shop.sign(), type: "application/json") },
    ]

    private static func pem(_ message: [UInt8], header: String, footer: String) -> [UInt8] {
        let text = Data(message).base64EncodedString()
        let lines = stride(from: 0, to: text.count, by: 64).map { "\(text.dropFirst($0).prefix(64))\n" }
        return Array((header + lines.joined() + footer).utf8)
    }
}

extension CertificateDraft {
    mutating func removeExtension(_ name: String) { extensions.removeAll { $0.name == name } }

    fileprivate mutating func setPurpose(_ purpose: String) {
        for index in extensions.indices where extensions[index].name == "extendedKeyUsage" {
            extensions[index].value = purpose
        }
    }
}
