import COpenSSL

extension PrivateKey {
    /// The public key of an EC key: 0x04 and both coordinates (SEC 1, 2.3.3); nil for another kind of key.
    package var publicPoint: [UInt8]? {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        var length = 0
        guard unsafe EVP_PKEY_get_octet_string_param(pointer, "encoded-pub-key", nil, 0, &length) == 1 else {
            return nil
        }
        var point = [UInt8](repeating: 0, count: length)
        guard unsafe EVP_PKEY_get_octet_string_param(pointer, "encoded-pub-key", &point, length, &length) == 1,
            length == point.count, point.first == 0x04
        else { return nil }
        return point
    }

    /// Returns the signature of a message with SHA-256; nil if the key cannot sign. An ECDSA signature is in DER form.
    package func signature(of message: [UInt8]) -> [UInt8]? {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var length = unsafe Int(EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: length)
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1,
            unsafe EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        else { return nil }
        return Array(signature.prefix(length))
    }
}
