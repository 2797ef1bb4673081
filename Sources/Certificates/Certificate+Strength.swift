import COpenSSL
import MotivatorPlatform

extension Certificate {
    /// The name of the certificate in messages: the subject, or the first name if the subject is empty.
    var title: String {
        let subject = subject
        if !subject.isEmpty { return subject }
        return dnsNames.first ?? addresses.first ?? "serial " + serial.hexadecimal
    }

    /// Whether the subject and the issuer are the same name.
    var isSelfIssued: Bool { unsafe X509_get_extension_flags(pointer) & UInt32(EXFLAG_SI) != 0 }

    /// The issue for a key that is too short or unreadable; nil for any other key.
    ///
    /// Sources: Apple 103769 (2019) requires RSA keys of at least 2048 bits for servers and their issuers. Apple's
    /// "Preventing Insecure Network Connections" requires elliptic curves of at least 256 bits.
    var weakKey: ChainIssue? {
        guard let key = unsafe X509_get0_pubkey(pointer) else {
            return .refused(subject: title, reason: "its public key cannot be read")
        }
        let bits = unsafe Int(EVP_PKEY_get_bits(key))
        let isCurve = unsafe EVP_PKEY_is_a(key, "EC") == 1
        let isLong =
            unsafe EVP_PKEY_is_a(key, "RSA") == 1 || EVP_PKEY_is_a(key, "RSA-PSS") == 1
            || EVP_PKEY_is_a(key, "DSA") == 1
        guard (isCurve && bits < 256) || (isLong && bits < 2048) else { return nil }
        let kind = unsafe EVP_PKEY_get0_type_name(key).map { unsafe String(cString: $0) } ?? "unknown"
        return .weakKey(subject: title, kind: kind, bits: bits)
    }

    /// The issue for a signature with a digest older than SHA-2; nil for any other signature.
    ///
    /// Source: Apple 103769 (2019) requires SHA-2 signatures on the certificates of servers and their issuers.
    var weakDigest: ChainIssue? {
        var digest: Int32 = NID_undef
        // The call fails for a digest that this OpenSSL version cannot compute, but still returns its number.
        _ = unsafe X509_get_signature_info(pointer, &digest, nil, nil, nil)
        return WeakDigest.name(digest).map { .weakDigest(subject: title, name: $0) }
    }
}

/// Digests with known or expected collisions.
enum WeakDigest {
    /// - Returns: the name of a weak digest; nil for a strong digest, or for an algorithm without one, such as Ed25519.
    static func name(_ digest: Int32) -> String? {
        switch digest {
        case NID_undef, NID_sha224, NID_sha256, NID_sha384, NID_sha512, NID_sha512_224, NID_sha512_256, NID_sha3_224,
            NID_sha3_256, NID_sha3_384, NID_sha3_512, NID_shake128, NID_shake256:
            nil
        case NID_sha1: "SHA-1"
        case let other: unsafe OBJ_nid2sn(other).map { unsafe String(cString: $0) } ?? "unknown"
        }
    }
}
