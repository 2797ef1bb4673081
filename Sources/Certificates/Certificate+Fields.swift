import COpenSSL
public import MotivatorPlatform

extension Certificate {
    /// The first second of the certificate's validity.
    public var notBefore: UnixTime { unsafe Certificate.seconds(X509_get0_notBefore(pointer)) }

    /// The last second of the certificate's validity.
    public var notAfter: UnixTime { unsafe Certificate.seconds(X509_get0_notAfter(pointer)) }

    /// The subject's distinguished name in the form of RFC 2253, such as `CN=ultra-motivator.test`.
    public var subject: String { unsafe Certificate.text(of: X509_get_subject_name(pointer)) }

    /// The issuer's distinguished name in the form of RFC 2253.
    public var issuer: String { unsafe Certificate.text(of: X509_get_issuer_name(pointer)) }

    /// The subject's first Common Name.
    public var commonName: String? {
        let name = unsafe X509_get_subject_name(pointer)
        let index = unsafe X509_NAME_get_index_by_NID(name, NID_commonName, -1)
        guard index >= 0, let value = unsafe X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index)) else {
            return nil
        }
        return unsafe Certificate.utf8(value)
    }

    /// The serial number as big-endian bytes without leading zeros.
    public var serial: [UInt8] {
        guard let number = unsafe X509_get0_serialNumber(pointer) else { return [] }
        return unsafe Certificate.bytes(number)
    }

    /// Whether this is a CA certificate (basicConstraints, CA:TRUE).
    public var isAuthority: Bool { unsafe X509_get_extension_flags(pointer) & UInt32(EXFLAG_CA) != 0 }

    /// Whether the extended key usage allows TLS servers. Without the extension, every use is allowed.
    var isForServers: Bool { unsafe X509_get_extended_key_usage(pointer) & UInt32(XKU_SSL_SERVER) != 0 }

    /// Whether the extended key usage allows signing associations. An email certificate does not identify a domain.
    var isForSigning: Bool {
        unsafe X509_get_extended_key_usage(pointer) & UInt32(XKU_SSL_SERVER | XKU_ANYEKU) != 0
    }

    /// Whether the certificate is self-signed: its subject and issuer are equal, and its own key signed it.
    public var isSelfSigned: Bool { unsafe X509_self_signed(pointer, 1) == 1 }

    /// The DNS names of subjectAltName as written.
    public var dnsNames: [String] {
        unsafe alternativeNames { name in
            unsafe name.pointee.type == GEN_DNS ? name.pointee.d.dNSName.flatMap(Certificate.utf8) : nil
        }
    }

    /// The IP addresses of subjectAltName in their usual text form.
    public var addresses: [String] {
        unsafe alternativeNames { name in
            guard unsafe name.pointee.type == GEN_IPADD, let value = unsafe name.pointee.d.iPAddress else { return nil }
            return unsafe SocketAddress(bytes: Certificate.bytes(value), port: 0)?.host
        }
    }

    /// Returns whether this certificate issued another certificate: the names, key identifiers and signature match.
    public func issued(_ other: Certificate) -> Bool {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        return unsafe X509_check_issued(pointer, other.pointer) == X509_V_OK
            && X509_verify(other.pointer, X509_get0_pubkey(pointer)) == 1
    }

    /// Returns whether the certificate is valid for a host (RFC 9525).
    /// - Parameters:
    ///   - host: a host name or an IP address; anything else never matches.
    ///   - commonName: whether to use the Common Name if subjectAltName has no DNS name.
    /// - Returns: whether one of its names matches; a wildcard matches exactly one label.
    public func matches(host: String, commonName: Bool = false) -> Bool {
        // OpenSSL treats a leading dot as "any subdomain", so the name is checked first.
        guard let name = try? SubjectName(host), !name.isWildcard else { return false }
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        if name.isAddress { return unsafe X509_check_ip_asc(pointer, name.text, 0) == 1 }
        let flags =
            X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | (commonName ? 0 : X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)
        return unsafe X509_check_host(pointer, name.text, name.text.utf8.count, UInt32(flags), nil) == 1
    }

    private func alternativeNames<Value>(_ pick: (UnsafeMutablePointer<GENERAL_NAME>) -> Value?) -> [Value] {
        guard let raw = unsafe X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil) else { return [] }
        let names = OpaquePointer(raw)
        defer { unsafe GENERAL_NAMES_free(names) }
        return unsafe Bio.elements(names).compactMap { unsafe pick($0.assumingMemoryBound(to: GENERAL_NAME.self)) }
    }

    static func bytes(_ value: UnsafePointer<ASN1_STRING>) -> [UInt8] {
        unsafe [UInt8](UnsafeBufferPointer(start: ASN1_STRING_get0_data(value), count: Int(ASN1_STRING_length(value))))
    }

    private static func bytes(_ value: UnsafeMutablePointer<ASN1_STRING>) -> [UInt8] {
        unsafe bytes(UnsafePointer(value))
    }

    private static func utf8(_ value: UnsafeMutablePointer<ASN1_STRING>) -> String? {
        var text: UnsafeMutablePointer<UInt8>?
        let count = unsafe ASN1_STRING_to_UTF8(&text, value)
        guard count >= 0, let text = unsafe text else { return nil }
        defer { unsafe CRYPTO_free(text, "", 0) }
        return unsafe String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
    }

    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> UnixTime {
        var parts = unsafe tm()
        guard unsafe ASN1_TIME_to_tm(time, &parts) == 1 else { return 0 }
        return unsafe UnixTime(timegm(&parts))
    }

    static func text(of name: OpaquePointer?) -> String {
        let text = unsafe Bio.collecting { unsafe X509_NAME_print_ex($0, name, 0, COPENSSL_NAME_ONE_LINE) >= 0 }
        return String(decoding: text ?? [], as: UTF8.self)
    }

    /// The name of the certificate in messages: the subject, or the first name if the subject is empty.
    var title: String {
        let subject = subject
        if !subject.isEmpty { return subject }
        return dnsNames.first ?? addresses.first ?? "serial " + serial.hexadecimal
    }

    /// Whether the subject and the issuer are the same name.
    var isSelfIssued: Bool { unsafe X509_get_extension_flags(pointer) & UInt32(EXFLAG_SI) != 0 }

    /// The issue for a key that is too short, unsupported or unreadable; nil for any other key.
    ///
    /// Sources: Apple 103769 (2019) requires RSA keys of at least 2048 bits for servers and their issuers. Apple's
    /// "Preventing Insecure Network Connections" requires elliptic curves of at least 256 bits. Apple's TLS client has
    /// only RSA and ECDSA with P-256, P-384 and P-521 (Apple forums 674462).
    var weakKey: ChainIssue? {
        guard let key = unsafe X509_get0_pubkey(pointer) else {
            return .refused(subject: title, reason: "its public key cannot be read")
        }
        let bits = unsafe Int(EVP_PKEY_get_bits(key))
        let kind = unsafe EVP_PKEY_get0_type_name(key).map { unsafe String(cString: $0) } ?? "unknown"
        switch kind {
        case "RSA" where bits >= 2048, "RSA-PSS" where bits >= 2048: return nil
        case "EC" where bits >= 256:
            var name = [CChar](repeating: 0, count: 64)
            _ = unsafe EVP_PKEY_get_group_name(key, &name, name.count, nil)
            let curve = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard !["prime256v1", "secp384r1", "secp521r1"].contains(curve) else { return nil }
            return .weakKey(subject: title, kind: "\(kind) \(curve)", bits: bits, isSupported: false)
        case "RSA", "RSA-PSS", "EC": return .weakKey(subject: title, kind: kind, bits: bits)
        case _: return .weakKey(subject: title, kind: kind, bits: bits, isSupported: false)
        }
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
