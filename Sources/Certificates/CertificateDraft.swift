import COpenSSL
public import MotivatorPlatform

/// An unsigned certificate with arbitrary fields, valid or not.
public struct CertificateDraft: Sendable {
    /// An extension in the syntax of OpenSSL's x509v3_config(5).
    public struct Extension: Sendable {
        /// OpenSSL's short name, such as `basicConstraints`.
        public var name: String
        /// The value, such as `CA:FALSE`.
        public var value: String
        public var isCritical: Bool

        /// - Parameters:
        ///   - value: the value; it must not contain unchecked text.
        ///   - isCritical: whether a client that does not recognize the extension must reject the certificate.
        public init(_ name: String, _ value: String, isCritical: Bool = false) {
            (self.name, self.value, self.isCritical) = (name, value, isCritical)
        }
    }

    /// The digest that the signature uses.
    public enum Digest: Sendable {
        case sha256
        /// For intentionally invalid certificates. All platforms have rejected SHA-1 since 2017.
        case sha1
    }

    /// The subject's organization; nil for none.
    public var organization: String?
    /// The subject's Common Name, at most 64 characters; nil for none.
    public var commonName: String?
    /// The first second of the certificate's validity.
    public var notBefore: UnixTime
    /// The last second of the certificate's validity.
    public var notAfter: UnixTime
    /// The extensions, in order.
    public var extensions: [Extension]
    /// Sections in OpenSSL's config(5) syntax that extension values refer to, such as the fields of a directory name.
    public var sections = ""
    public var digest = Digest.sha256

    /// The organization in the subject of every certificate from a CA. The constraints permit no other organization.
    public static let organization = "Ultra Motivator"

    /// Creates a draft from its fields.
    public init(
        organization: String?, commonName: String?, notBefore: UnixTime, notAfter: UnixTime, extensions: [Extension]
    ) {
        (self.organization, self.commonName, self.notBefore) = (organization, commonName, notBefore)
        (self.notAfter, self.extensions) = (notAfter, extensions)
    }

    /// Creates the draft of a server certificate for Apple platforms: exact names, serverAuth and both key identifiers.
    /// - Parameter names: the names, at least one.
    public static func server(
        _ names: [SubjectName], kind: PrivateKey.Kind, notBefore: UnixTime, notAfter: UnixTime
    ) -> CertificateDraft {
        let isRSA = if case .rsa = kind { true } else { false }
        // The DNS constraints would apply to an address in the Common Name and reject it.
        let commonName = names.first { !$0.isAddress && $0.text.utf8.count <= 64 }?.text
        return CertificateDraft(
            organization: CertificateDraft.organization, commonName: commonName, notBefore: notBefore,
            notAfter: notAfter,
            extensions: [
                Extension("basicConstraints", "CA:FALSE", isCritical: true),
                // In a cipher suite without (EC)DHE, the RSA key also encrypts the secret (RFC 5280 §4.2.1.3).
                Extension(
                    "keyUsage", isRSA ? "digitalSignature,keyEncipherment" : "digitalSignature", isCritical: true),
                Extension("extendedKeyUsage", "serverAuth"),
                Extension("subjectKeyIdentifier", "hash"),
                Extension("authorityKeyIdentifier", "keyid:always"),
                Extension("subjectAltName", names.map(\.alternativeName).joined(separator: ",")),
            ])
    }

    /// Signs the draft with a 128-bit random serial number (RFC 5280 §4.1.2.2).
    /// - Parameters:
    ///   - key: the certificate's key. The certificate contains only the public half.
    ///   - issuer: the issuer's certificate; nil for a self-signed certificate.
    ///   - issuerKey: the issuer's key; `key` for a self-signed certificate.
    /// - Throws: `CertificateError.cannotMake`, for example if the value of an extension is malformed.
    public func signed(
        for key: PrivateKey, issuer: Certificate?, issuerKey: PrivateKey
    ) throws(CertificateError) -> Certificate {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        guard let pointer = unsafe X509_new() else { throw failure() }
        let certificate = unsafe Certificate(owning: pointer)
        guard unsafe X509_set_version(pointer, Int(X509_VERSION_3)) == 1, unsafe setSerial(pointer),
            unsafe setSubject(pointer),
            unsafe X509_set_issuer_name(pointer, X509_get_subject_name(issuer?.pointer ?? pointer)) == 1,
            unsafe ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(notBefore)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(notAfter)) != nil,
            unsafe X509_set_pubkey(pointer, key.pointer) == 1,
            unsafe addExtensions(pointer, issuer: issuer?.pointer ?? pointer),
            unsafe X509_sign(pointer, issuerKey.pointer, digest == .sha1 ? EVP_sha1() : EVP_sha256()) > 0
        else {
            throw failure()
        }
        return certificate
    }

    private func failure() -> CertificateError {
        .cannotMake(subject: commonName ?? organization ?? "", reason: OpenSSLErrors.drain())
    }

    private func setSerial(_ certificate: OpaquePointer) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard unsafe RAND_bytes(&bytes, Int32(bytes.count)) == 1,
            let number = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil)
        else {
            return false
        }
        defer { unsafe BN_free(number) }
        return unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    private func setSubject(_ certificate: OpaquePointer) -> Bool {
        let name = unsafe X509_get_subject_name(certificate)
        func add(_ field: String, _ value: String?) -> Bool {
            guard let value else { return true }
            return unsafe X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, value, -1, -1, 0) == 1
        }
        return add("O", organization) && add("CN", commonName)
    }

    private func addExtensions(_ certificate: OpaquePointer, issuer: OpaquePointer) -> Bool {
        guard let settings = unsafe NCONF_new(nil) else { return false }
        defer { unsafe NCONF_free(settings) }
        if !sections.isEmpty {
            let isLoaded = unsafe Bio.reading(Array(sections.utf8)) { unsafe NCONF_load_bio(settings, $0, nil) == 1 }
            guard isLoaded == true else { return false }
        }
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        unsafe X509V3_set_nconf(&context, settings)
        for item in extensions {
            let value = (item.isCritical ? "critical," : "") + item.value
            guard let made = unsafe X509V3_EXT_nconf(settings, &context, item.name, value) else { return false }
            defer { unsafe X509_EXTENSION_free(made) }
            guard unsafe X509_add_ext(certificate, made, -1) == 1 else { return false }
        }
        return true
    }
}
