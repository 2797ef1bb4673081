import COpenSSL
import Certificates

/// The public key of a passkey (COSE, WebAuthn Level 3 §6.5.1), with exactly the labels of its algorithm.
package struct COSEKey: Sendable {
    /// The algorithms that the server offers, in the order of preference (IANA COSE).
    package enum Algorithm: Int, CaseIterable, Sendable {
        case es256 = -7
        /// EdDSA with Ed25519 (WebAuthn Level 3 §5.8.5).
        case edDSA = -8
        case rs256 = -257
    }

    package let algorithm: Algorithm
    package let bytes: [UInt8]
    private let verifier: SignatureKey

    /// Checks a key.
    /// - Throws: `algorithmNotAllowed` or `publicKeyInvalid`.
    package init(_ map: CBOR) throws(CeremonyError) {
        guard let number = map[3]?.integer, let algorithm = Algorithm(rawValue: number) else {
            throw .algorithmNotAllowed(map[3]?.integer)
        }
        let labels = (map.entries ?? []).compactMap(\.key.integer)
        let (isComplete, der): (Bool, [UInt8]?) =
            switch algorithm {
            case .es256:
                (Set(labels) == [1, 3, -1, -2, -3] && map[1]?.integer == 2 && map[-1]?.integer == 1, Self.p256(map))
            case .edDSA:
                (Set(labels) == [1, 3, -1, -2] && map[1]?.integer == 1 && map[-1]?.integer == 6, Self.ed25519(map))
            case .rs256: (Set(labels) == [1, 3, -1, -2] && map[1]?.integer == 3, Self.rsa(map))
            }
        guard isComplete, labels.count == map.entries?.count else {
            throw .publicKeyInvalid("its labels are not those of algorithm \(number)")
        }
        guard let der, let verifier = SignatureKey(der: der) else {
            throw .publicKeyInvalid("its values are not a valid key for algorithm \(number)")
        }
        (self.algorithm, self.verifier, bytes) = (algorithm, verifier, map.encoded)
    }

    package init(bytes: [UInt8]) throws(CeremonyError) {
        let map: CBOR
        do { map = try CBOR(bytes) } catch { throw .cborInvalid("public key", error) }
        try self.init(map)
    }

    package static func es256(x: [UInt8], y: [UInt8]) -> CBOR {
        .map([
            .init(CBOR(1), CBOR(2)), .init(CBOR(3), CBOR(Algorithm.es256.rawValue)), .init(CBOR(-1), CBOR(1)),
            .init(CBOR(-2), .bytes(x)), .init(CBOR(-3), .bytes(y)),
        ])
    }

    package func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        verifier.isValid(signature, of: message, algorithm)
    }

    // The following functions return the SubjectPublicKeyInfo (RFC 5280 §4.1); nil for a malformed value.

    /// OpenSSL checks that the coordinates are below p and that the point is on the curve.
    private static func p256(_ map: CBOR) -> [UInt8]? {
        guard let x = map[-2]?.byteString, let y = map[-3]?.byteString, x.count == 32, y.count == 32 else { return nil }
        return publicKeyInfo(p256: [0x04] + x + y)
    }

    /// - Parameter point: 0x04 and both coordinates.
    package static func publicKeyInfo(p256 point: [UInt8]) -> [UInt8] {
        [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
            0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ] + point
    }

    private static func ed25519(_ map: CBOR) -> [UInt8]? {
        guard let point = map[-2]?.byteString, point.count == 32, Edwards.isPoint(point) else { return nil }
        return [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + point
    }

    /// 4,096 bits bound the work for each signature. OpenSSL does not check the modulus.
    private static func rsa(_ map: CBOR) -> [UInt8]? {
        guard let modulus = map[-1]?.byteString, (256...512).contains(modulus.count), modulus[0] > 0,
            modulus.count > 256 || modulus[0] >= 0x80, modulus.last.map({ $0 % 2 == 1 }) == true,
            map[-2]?.byteString == [1, 0, 1]
        else { return nil }
        let key = sequence(integer(modulus) + [0x02, 0x03, 1, 0, 1])
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
        ]
        return sequence(algorithm + long(0x03, [0] + key))
    }

    private static func sequence(_ content: [UInt8]) -> [UInt8] { long(0x30, content) }
    private static func integer(_ bytes: [UInt8]) -> [UInt8] { long(0x02, bytes[0] >= 0x80 ? [0] + bytes : bytes) }

    /// Returns a DER value of 256 to 65,535 bytes.
    private static func long(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }
}

/// A public key that verifies signatures. It owns its OpenSSL object.
// Sendable unchecked: OpenSSL counts references atomically, and the key does not change; see openssl-threads(7).
@safe final class SignatureKey: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Parses a SubjectPublicKeyInfo.
    init?(der: [UInt8]) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let pointer = unsafe der.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return unsafe d2i_PUBKEY(nil, &next, buffer.count)
        }
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    /// Returns the key of a certificate; nil if OpenSSL does not support it.
    init?(_ certificate: Certificate) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        guard let pointer = unsafe X509_get_pubkey(certificate.pointer) else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// Verifies a signature. OpenSSL requires strict DER for ECDSA, `S` below L for Ed25519, and the length of the
    /// modulus for RSA.
    func isValid(_ signature: [UInt8], of message: [UInt8], _ algorithm: COSEKey.Algorithm) -> Bool {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let type =
            switch algorithm {
            case .es256: "EC"
            case .edDSA: "ED25519"
            case .rs256: "RSA"
            }
        guard unsafe EVP_PKEY_is_a(pointer, type) == 1, let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        let digest = unsafe algorithm == .edDSA ? nil : EVP_sha256()
        return unsafe EVP_DigestVerifyInit(context, nil, digest, nil, pointer) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}

/// The curve of Ed25519 (RFC 8032 §5.1).
enum Edwards {
    /// Whether 32 bytes decode to a point (RFC 8032 §5.1.3). OpenSSL checks this only when it verifies a signature,
    /// and accepts a y coordinate above p.
    static func isPoint(_ bytes: [UInt8]) -> Bool {
        guard let context = unsafe BN_CTX_new() else { return false }
        defer { unsafe BN_CTX_free(context) }
        unsafe BN_CTX_start(context)
        defer { unsafe BN_CTX_end(context) }
        // BN_CTX_get fails permanently once it has failed, so a check of the last number is enough.
        guard let prime = unsafe BN_CTX_get(context), let y = unsafe BN_CTX_get(context),
            let left = unsafe BN_CTX_get(context), let right = unsafe BN_CTX_get(context)
        else { return false }
        let sign = bytes[31] >> 7
        let coordinate = bytes.dropLast() + [bytes[31] & 0x7F]
        // The curve is x² = (y² − 1) / (d·y² + 1) with d = −121665 / 121666. A quotient is a square exactly if the
        // product is a square, so 121666 · (y² − 1) · (121666 − 121665·y²) must be one.
        guard unsafe BN_set_bit(prime, 255) == 1, unsafe BN_sub_word(prime, 19) == 1,
            unsafe coordinate.withUnsafeBufferPointer({ unsafe BN_lebin2bn($0.baseAddress, 32, y) }) != nil,
            unsafe BN_cmp(y, prime) < 0,
            unsafe BN_mod_sqr(left, y, prime, context) == 1, unsafe BN_copy(right, left) != nil,
            unsafe BN_sub_word(left, 1) == 1, unsafe BN_mul_word(right, 121_665) == 1,
            unsafe BN_sub_word(right, 121_666) == 1, unsafe BN_mod_mul(left, left, right, prime, context) == 1,
            unsafe BN_mul_word(left, 121_666) == 1
        else { return false }
        // The last factor is −(121666 − 121665·y²). Because p ≡ 1 (mod 4), −1 is a square.
        let symbol = unsafe BN_kronecker(left, prime, context)
        // For x = 0, the sign bit must be clear.
        return symbol == 1 || (symbol == 0 && sign == 0)
    }
}
