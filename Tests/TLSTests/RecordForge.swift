import COpenSSL

/// Writes TLS 1.2 records of any type and content, including records that OpenSSL would not write for a client.
///
/// The client must have negotiated ECDHE-ECDSA-AES128-GCM-SHA256, and must not have written data since.
struct RecordForge {
    static let suite = "ECDHE-ECDSA-AES128-GCM-SHA256"

    private let key: [UInt8]
    private let salt: [UInt8]
    /// The client's first protected record was its Finished message.
    private var sequence: UInt64 = 1

    /// Derives the client's key (RFC 5246 §6.3, RFC 5288 §3).
    init?(_ client: Client) {
        var master = [UInt8](repeating: 0, count: 48)
        var server = [UInt8](repeating: 0, count: 32)
        var random = [UInt8](repeating: 0, count: 32)
        guard SSL_SESSION_get_master_key(SSL_get_session(client.ssl), &master, 48) == 48,
            SSL_get_server_random(client.ssl, &server, 32) == 32, SSL_get_client_random(client.ssl, &random, 32) == 32
        else { return nil }
        var seed = Array("key expansion".utf8) + server + random
        var block = [UInt8](repeating: 0, count: 40)
        let kdf = EVP_KDF_fetch(nil, "TLS1-PRF", nil)
        let context = EVP_KDF_CTX_new(kdf)
        defer {
            EVP_KDF_CTX_free(context)
            EVP_KDF_free(kdf)
        }
        var digest = Array("SHA256".utf8CString)
        let isDerived = master.withUnsafeMutableBytes { master in
            seed.withUnsafeMutableBytes { seed in
                digest.withUnsafeMutableBufferPointer { digest in
                    let parameters = [
                        OSSL_PARAM_construct_utf8_string(Self.text("digest"), digest.baseAddress, 0),
                        OSSL_PARAM_construct_octet_string(Self.text("secret"), master.baseAddress, master.count),
                        OSSL_PARAM_construct_octet_string(Self.text("seed"), seed.baseAddress, seed.count),
                        OSSL_PARAM_construct_end(),
                    ]
                    return EVP_KDF_derive(context, &block, block.count, parameters) == 1
                }
            }
        }
        guard isDerived else { return nil }
        // The client key, server key, client salt and server salt.
        key = Array(block[..<16])
        salt = Array(block[32..<36])
    }

    /// Parameters keep pointers to their names, so each name must outlive the call that creates the parameter.
    private static func text(_ text: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    /// Protects a record (RFC 5246 §6.2.3.3).
    mutating func record(_ type: Int32, _ content: [UInt8]) -> [UInt8] {
        let number = withUnsafeBytes(of: sequence.bigEndian) { Array($0) }
        sequence += 1
        let head: [UInt8] = [UInt8(type), 3, 3]
        let associated = number + head + [UInt8(content.count >> 8), UInt8(content.count & 255)]
        var sealed = [UInt8](repeating: 0, count: content.count)
        var tag = [UInt8](repeating: 0, count: 16)
        var count: Int32 = 0
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, salt + number)
        EVP_EncryptUpdate(context, nil, &count, associated, Int32(associated.count))
        EVP_EncryptUpdate(context, &sealed, &count, content, Int32(content.count))
        EVP_EncryptFinal_ex(context, nil, &count)
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        let length = 8 + content.count + 16
        return head + [UInt8(length >> 8), UInt8(length & 255)] + number + sealed + tag
    }
}
