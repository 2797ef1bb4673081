import COpenSSL
import MotivatorPlatform

/// A private key. It owns its OpenSSL object.
// Sendable unchecked: OpenSSL counts references atomically, and the key does not change; see openssl-threads(7).
@safe public final class PrivateKey: @unchecked Sendable {
    /// The kind of a key.
    public enum Kind: Hashable, Sendable, CustomStringConvertible {
        /// ECDSA on NIST P-256, the default.
        case p256
        /// RSA with a modulus of this many bits.
        case rsa(bits: Int)
        /// Another algorithm, identified by its OpenSSL name. Such keys can be loaded but not generated.
        case other(String)

        /// RSA with 2048 bits, the minimum that Apple's platforms accept.
        public static let rsa2048 = Kind.rsa(bits: 2048)

        public var description: String {
            switch self {
            case .p256: "P-256"
            case .rsa(let bits): "RSA \(bits)"
            case .other(let name): name
            }
        }
    }

    /// The maximum size of a key file in bytes. A 16,384-bit RSA key in PEM form takes 13 kB.
    public static let fileLimit = 64 << 10

    package let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe EVP_PKEY_free(pointer)
    }

    /// Generates a key.
    public static func generate(_ kind: Kind) throws(CertificateError) -> PrivateKey {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let algorithm: Int32
        switch kind {
        case .p256: algorithm = EVP_PKEY_EC
        case .rsa: algorithm = EVP_PKEY_RSA
        case .other(let name): throw .cannotGenerate(kind: name, reason: "only P-256 and RSA are supported")
        }
        let context = unsafe EVP_PKEY_CTX_new_id(algorithm, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe configure(context, kind),
            unsafe EVP_PKEY_keygen(context, &pointer) == 1,
            let pointer = unsafe pointer
        else {
            throw .cannotGenerate(kind: kind.description, reason: OpenSSLErrors.drain())
        }
        return unsafe PrivateKey(owning: pointer)
    }

    private static func configure(_ context: OpaquePointer?, _ kind: Kind) -> Bool {
        switch kind {
        case .p256:
            // Verifiers reject a certificate with explicit curve parameters (RFC 5480 §2.1.1).
            unsafe EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1
                && EVP_PKEY_CTX_set_ec_param_enc(context, OPENSSL_EC_NAMED_CURVE) == 1
        case .rsa(let bits):
            Int32(exactly: bits).map { unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, $0) == 1 } ?? false
        case .other: false
        }
    }

    /// Parses the first private key in PEM text: PKCS #8, or the older RSA and EC forms.
    /// - Throws: `CertificateError`. An encrypted key is rejected without a password prompt.
    public init(pem: [UInt8], source: String) throws(CertificateError) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        var isPasswordRequested = false
        let pointer = unsafe Bio.reading(pem) { bio in
            unsafe withUnsafeMutablePointer(to: &isPasswordRequested) {
                unsafe PEM_read_bio_PrivateKey(bio, nil, Bio.refusePassword, $0)
            }
        }
        guard let pointer = unsafe pointer else {
            if isPasswordRequested { throw .encrypted(source: source) }
            // OpenSSL reports the same reason for text without a key and for a malformed key.
            let label = String(decoding: pem, as: UTF8.self).split(whereSeparator: \.isNewline).contains {
                $0.hasPrefix("-----BEGIN ") && $0.contains("PRIVATE KEY-----")
            }
            throw label ? .malformedKey(source: source, reason: OpenSSLErrors.drain()) : .keyMissing(source: source)
        }
        unsafe self.pointer = pointer
    }

    /// Reads a key file.
    /// - Parameter path: a PEM file that only its owner can read.
    /// - Throws: `CertificateError`; `FileError.readableByOthers` if the group or others have any permission.
    public static func load(path: String) throws -> PrivateKey {
        try PrivateKey(pem: File.readSecret(path, limit: fileLimit), source: path)
    }

    /// The unencrypted key in PKCS #8 PEM form.
    public var pem: [UInt8] {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        return unsafe Bio.collecting { unsafe PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) == 1 }
            ?? []
    }

    /// The kind of the key.
    public var kind: Kind {
        if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 { return unsafe .rsa(bits: Int(EVP_PKEY_get_bits(pointer))) }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        if unsafe EVP_PKEY_is_a(pointer, "EC") == 1,
            unsafe EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1
        {
            let group = String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return group == "prime256v1" ? .p256 : .other(group)
        }
        return unsafe .other(EVP_PKEY_get0_type_name(pointer).map { unsafe String(cString: $0) } ?? "unknown")
    }
}
