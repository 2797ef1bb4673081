import COpenSSL

/// Message digests.
public enum Digest {
    /// Computes SHA-256 (FIPS 180-4).
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        unsafe filled { unsafe SHA256(bytes, bytes.count, $0) }
    }

    /// Computes HMAC with SHA-256 (RFC 2104).
    public static func hmacSHA256(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        unsafe filled { unsafe HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, $0, nil) }
    }

    /// Returns a SHA-256 digest that `write` stores at an address.
    fileprivate static func filled<Status>(_ write: (UnsafeMutablePointer<UInt8>?) -> Status) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { digest, count in
            _ = unsafe write(digest.baseAddress)
            count = Int(SHA256_DIGEST_LENGTH)
        }
    }

    /// Compares two values in constant time. Their lengths are not secret.
    public static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        unsafe one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}

/// The SHA-256 digest of bytes that arrive in parts.
@safe package final class DigestStream {
    private let context: OpaquePointer?

    package init() {
        unsafe context = EVP_MD_CTX_new()
        unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    package func add(_ bytes: [UInt8]) {
        unsafe EVP_DigestUpdate(context, bytes, bytes.count)
    }

    /// Returns the digest of all bytes. Do not add bytes afterwards.
    package func finish() -> [UInt8] {
        unsafe Digest.filled { unsafe EVP_DigestFinal_ex(context, $0, nil) }
    }
}
