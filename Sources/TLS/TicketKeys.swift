import COpenSSL
package import MotivatorPlatform

/// The keys for session tickets. A new key replaces the current one each hour. The two previous keys can still decrypt.
///
/// The keys are random, or derived from a secret that several servers share.
///
/// A leaked key exposes only the sessions from a few hours, not all sessions since the server started.
package final class TicketKeys: Sendable {
    /// The rotation interval in seconds: how long a key encrypts new tickets.
    package static let rotation: UnixTime = 3600
    /// The lifetime of a ticket in seconds. The current and the two previous keys cover this time.
    package static let ticketLifetime: UnixTime = 2 * rotation

    private let clock: Clock
    private let secret: TicketSecret?
    /// The valid keys. The first key encrypts.
    private let keys: Guarded<[TicketKey]>

    /// - Parameter secret: the secret to derive the keys from; nil for random keys.
    package init(secret: TicketSecret? = nil, clock: Clock = .system) {
        (self.secret, self.clock) = (secret, clock)
        keys = Guarded([])
    }

    /// Rotates the keys if a rotation is due, and returns the valid keys. The first key encrypts.
    private func current() -> [TicketKey] {
        let now = clock.now()
        return keys.withLock { keys in
            if let secret {
                let hour = now - now % TicketKeys.rotation
                if keys.first?.born != hour {
                    // The clock of another server may be ahead, so the key of the next hour can decrypt too.
                    keys = [0, 1, -1, -2].compactMap {
                        TicketKey(born: hour + $0 * TicketKeys.rotation, secret: secret)
                    }
                }
                return keys
            }
            // Remove old keys by age too, because rotation happens only when there are connections.
            keys.removeAll { now - $0.born >= 3 * TicketKeys.rotation }
            let isDue = keys.first.map { now - $0.born >= TicketKeys.rotation } ?? true
            if isDue, let fresh = TicketKey(born: now) { keys = [fresh] + keys.prefix(2) }
            return keys
        }
    }

    /// - Returns: 1 on success; -1 on failure.
    func encrypt(
        name: UnsafeMutablePointer<UInt8>, iv: UnsafeMutablePointer<UInt8>, cipher context: OpaquePointer?,
        mac: OpaquePointer?
    ) -> Int32 {
        guard let key = current().first, unsafe RAND_bytes(iv, 16) == 1,
            unsafe EVP_EncryptInit_ex2(context, EVP_aes_256_cbc(), key.cipherKey, iv, nil) == 1, unsafe key.setMAC(mac)
        else { return -1 }
        unsafe memcpy(name, key.name, TicketKey.nameCount)
        return 1
    }

    /// - Parameter isUsedOnce: whether the ticket is always replaced, as in TLS 1.3 (RFC 8446 appendix C.4).
    /// - Returns: 1 for a ticket encrypted with the current key; 2 for a ticket to replace, because it is used only
    ///   once or encrypted with another key; 0 for an unknown or expired ticket, which requires a full handshake; -1
    ///   on failure.
    func decrypt(
        name: UnsafeMutablePointer<UInt8>, iv: UnsafeMutablePointer<UInt8>, cipher context: OpaquePointer?,
        mac: OpaquePointer?, isUsedOnce: Bool
    ) -> Int32 {
        let keys = current()
        guard let index = keys.firstIndex(where: { unsafe memcmp(name, $0.name, TicketKey.nameCount) == 0 }) else {
            return 0
        }
        let key = keys[index]
        guard unsafe key.setMAC(mac),
            unsafe EVP_DecryptInit_ex2(context, EVP_aes_256_cbc(), key.cipherKey, iv, nil) == 1
        else { return -1 }
        return index == 0 && !isUsedOnce ? 1 : 2
    }
}

/// A key: a name of 16 bytes, 32 bytes for AES-256-CBC, 32 for HMAC-SHA-256. Its memory is wiped on release.
// Sendable unchecked: its bytes are written once, before other threads can use it.
@safe private final class TicketKey: @unchecked Sendable {
    static let nameCount = 16
    private static let count = 80

    let born: UnixTime
    private let bytes: UnsafeMutablePointer<UInt8>

    var name: UnsafePointer<UInt8> { unsafe UnsafePointer(bytes) }
    var cipherKey: UnsafePointer<UInt8> { unsafe UnsafePointer(bytes + 16) }

    /// - Parameter secret: the secret to derive the key from; nil for a random key.
    /// - Returns: nil if random bytes are unavailable, or OpenSSL cannot derive the key.
    init?(born: UnixTime, secret: TicketSecret? = nil) {
        self.born = born
        unsafe bytes = .allocate(capacity: TicketKey.count)
        unsafe bytes.initialize(repeating: 0, count: TicketKey.count)
        if let secret {
            guard derive(from: secret) else { return nil }
        } else {
            guard unsafe RAND_bytes(bytes, 16) == 1, unsafe RAND_priv_bytes(bytes + 16, 64) == 1 else { return nil }
        }
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes, TicketKey.count)
        unsafe bytes.deallocate()
    }

    /// Derives the bytes with HKDF-SHA-256 (RFC 5869) from the secret and `born`.
    private func derive(from secret: TicketSecret) -> Bool {
        let info = Array("ultra-motivator session ticket \(born)".utf8)
        let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var count = TicketKey.count
        return unsafe EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1
            && EVP_PKEY_CTX_set1_hkdf_key(context, secret.bytes, Int32(secret.bytes.count)) == 1
            && EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) == 1
            && EVP_PKEY_derive(context, bytes, &count) == 1
    }

    func setMAC(_ context: OpaquePointer?) -> Bool {
        // The parameters keep pointers to their names, so the names must be static.
        let (key, digest, algorithm): (StaticString, StaticString, StaticString) = ("key", "digest", "SHA256")
        var parameters = unsafe (
            OSSL_PARAM_construct_octet_string(text(key), bytes + 48, 32),
            OSSL_PARAM_construct_utf8_string(text(digest), UnsafeMutablePointer(mutating: text(algorithm)), 0),
            OSSL_PARAM_construct_end()
        )
        return unsafe withUnsafePointer(to: &parameters) { parameters in
            unsafe parameters.withMemoryRebound(to: OSSL_PARAM.self, capacity: 3) {
                unsafe EVP_MAC_CTX_set_params(context, $0) == 1
            }
        }
    }

    private func text(_ text: StaticString) -> UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

/// A secret that several servers share to derive the same session ticket keys.
package struct TicketSecret: Sendable {
    /// The minimum number of characters: 32 hexadecimal digits encode 128 bits.
    package static let minimum = 32
    private static let fileLimit = 4096

    let bytes: [UInt8]

    /// Reads a secret.
    /// - Parameter path: a file that only its owner can read. Trailing white space is ignored.
    /// - Throws: `FileError`, or `ExplainedFailure` if the secret is too short.
    package static func load(path: String) throws -> TicketSecret {
        var bytes = try File.readSecret(path, limit: fileLimit)
        while let last = bytes.last, last == 0x20 || (0x09...0x0D).contains(last) { bytes.removeLast() }
        guard bytes.count >= minimum else {
            throw ExplainedFailure(
                "the secret in \(path.quoted) is only \(bytes.count) bytes long; the minimum is \(minimum)",
                fix: "Create one with: openssl rand -hex 32 >\(path.shellQuoted)", exitCode: .badInput)
        }
        return TicketSecret(bytes: bytes)
    }
}
