import Certificates
import MotivatorPlatform
import MotivatorTLS

/// Creates self-signed identities for tests that do not depend on the issuer.
func identity(_ host: String, kind: PrivateKey.Kind = .p256) throws -> Identity {
    let key = try PrivateKey.generate(kind)
    let now = Clock.system.now()
    var draft = try CertificateDraft.server(
        [SubjectName(host)], kind: kind, notBefore: now - 60, notAfter: now + 86_400)
    draft.extensions.removeAll { $0.name == "authorityKeyIdentifier" }
    return Identity(certificate: try draft.signed(for: key, issuer: nil, issuerKey: key), key: key, chain: [])
}

extension TLSSession {
    /// Reads once, and returns the data as text.
    func readText() -> (TLSProgress, String) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let progress = bytes.withUnsafeMutableBytes { read(into: $0) }
        if case .done(let count) = progress { return (progress, String(decoding: bytes.prefix(count), as: UTF8.self)) }
        return (progress, "")
    }

    /// Writes a text once.
    func writeText(_ text: String) -> TLSProgress { Array(text.utf8).withUnsafeBytes { write($0) } }
}
