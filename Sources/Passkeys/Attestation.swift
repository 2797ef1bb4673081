import Certificates

/// An attestation object (WebAuthn Level 3 §6.5.4). Only the signature of its statement is verified, and it never
/// makes a passkey more trusted.
package struct AttestationObject: Sendable {
    package let format: String
    package let statement: CBOR
    package let authenticatorData: [UInt8]

    package init(_ bytes: [UInt8]) throws(CeremonyError) {
        do throws(CBORError) {
            let object = try CBOR(bytes)
            guard object.entries?.count == 3, let format = object["fmt"]?.string, let statement = object["attStmt"],
                statement.entries != nil, let data = object["authData"]?.byteString
            else { throw CBORError(.attestationMembers, at: 0) }
            (self.format, self.statement, authenticatorData) = (format, statement, data)
        } catch { throw .cborInvalid("attestation object", error) }
    }

    /// The object that `encoded` writes, with the format `none`.
    package static func none(_ data: AuthenticatorData) -> CBOR {
        .map([
            .init(.text("fmt"), .text("none")), .init(.text("attStmt"), .map([])),
            .init(.text("authData"), .bytes(data.encoded)),
        ])
    }

    /// Verifies the statement (WebAuthn Level 3 §8.2 and §8.7).
    func verify(_ key: COSEKey, clientDataHash: [UInt8]) throws(CeremonyError) {
        // Scalars, because String compares canonically equivalent texts as equal.
        switch Array(format.utf8) {
        case Array("none".utf8):
            guard statement.entries?.isEmpty == true else { throw .attestationInvalid("that of \"none\" is not empty") }
        case Array("packed".utf8): try verifyPacked(key, authenticatorData + clientDataHash)
        case _: throw .attestationNotSupported(format)
        }
    }

    private func verifyPacked(_ key: COSEKey, _ message: [UInt8]) throws(CeremonyError) {
        let certificates = statement["x5c"]
        guard let id = statement["alg"]?.integer, let signature = statement["sig"]?.byteString,
            statement.entries?.count == (certificates == nil ? 2 : 3)
        else { throw .attestationInvalid("that of \"packed\" has members other than alg, sig and x5c") }
        guard let certificates else {
            guard id == key.algorithm.rawValue else {
                throw .attestationInvalid("its algorithm is \(id), but the key has \(key.algorithm.rawValue)")
            }
            guard key.isValid(signature, of: message) else {
                throw .attestationInvalid("its signature does not match the public key")
            }
            return
        }
        let chain = certificates.elements?.map(\.byteString) ?? []
        guard let algorithm = COSEKey.Algorithm(rawValue: id), (1...5).contains(chain.count),
            !chain.contains(nil), let first = chain.first, let der = first,
            let certificate = try? Certificate(der: der, source: "x5c")
        else { throw .attestationInvalid("x5c is not a list of 1 to 5 certificates, or alg \(id) is unknown") }
        guard SignatureKey(certificate)?.isValid(signature, of: message, algorithm) == true else {
            throw .attestationInvalid("its signature does not match the first certificate")
        }
    }
}
