import COpenSSL
package import MotivatorPlatform

/// The keys of session tickets. A new key replaces the current one each hour. The two previous keys can still decrypt.
///
/// A leaked key exposes only the sessions of a few hours, not all sessions since the server started.
// Sendable unchecked: OpenSSL counts references to the cipher atomically and does not change it. The keys have a lock.
@safe package final class TicketKeys: @unchecked Sendable {
    /// The time during which a key encrypts new tickets, in seconds.
    package static let rotation: UnixTime = 3600
    /// The lifetime of a ticket in seconds. The current and the two previous keys cover this time.
    package static let ticketLifetime: UnixTime = 2 * rotation

    private let clock: Clock
    private let cipher: OpaquePointer?
    /// The keys, newest first.
    private let keys: Guarded<[TicketKey]>

    /// - Parameter clock: the clock that determines when to replace a key.
    package init(clock: Clock = .system) {
        self.clock = clock
        // Fetched once, because a lookup by name takes a lock that all loops share.
        unsafe cipher = EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
        keys = Guarded([])
        ERR_clear_error()
    }

    deinit {
        unsafe EVP_CIPHER_free(cipher)
    }

    /// Rotates the keys if a rotation is due, and returns the valid keys, newest first.
    private func current() -> [TicketKey] {
        let now = clock.now()
        return keys.withLock { keys in
            // Keys also expire by age, because keys are replaced only when there are connections.
            keys.removeAll { now - $0.born >= 3 * TicketKeys.rotation }
            let isDue = keys.first.map { now - $0.born >= TicketKeys.rotation } ?? true
            if isDue, let fresh = TicketKey(born: now) { keys = [fresh] + keys.prefix(2) }
            return keys
        }
    }

    /// - Returns: 1; -1 if random bytes are unavailable.
    func encrypt(
        name: UnsafeMutablePointer<UInt8>, iv: UnsafeMutablePointer<UInt8>, cipher context: OpaquePointer?,
        mac: OpaquePointer?
    ) -> Int32 {
        guard let key = current().first, unsafe RAND_bytes(iv, 16) == 1,
            unsafe EVP_EncryptInit_ex2(context, cipher, key.cipherKey, iv, nil) == 1, unsafe key.setMAC(mac)
        else { return -1 }
        unsafe memcpy(name, key.name, TicketKey.nameCount)
        return 1
    }

    /// - Parameter isUsedOnce: whether the ticket is always replaced, as in TLS 1.3 (RFC 8446 appendix C.4).
    /// - Returns: 1 for a ticket of the newest key; 2 for a ticket that is replaced, because it is used once or its key
    ///   is older; 0 for an unknown or expired ticket, which requires a full handshake; -1 on failure.
    func decrypt(
        name: UnsafeMutablePointer<UInt8>, iv: UnsafeMutablePointer<UInt8>, cipher context: OpaquePointer?,
        mac: OpaquePointer?, isUsedOnce: Bool
    ) -> Int32 {
        let keys = current()
        guard let index = keys.firstIndex(where: { unsafe memcmp(name, $0.name, TicketKey.nameCount) == 0 }) else {
            return 0
        }
        let key = keys[index]
        guard unsafe key.setMAC(mac), unsafe EVP_DecryptInit_ex2(context, cipher, key.cipherKey, iv, nil) == 1 else {
            return -1
        }
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

    /// - Parameter born: the current time.
    /// - Returns: nil if random bytes are unavailable.
    init?(born: UnixTime) {
        self.born = born
        unsafe bytes = .allocate(capacity: TicketKey.count)
        unsafe bytes.initialize(repeating: 0, count: TicketKey.count)
        guard unsafe RAND_bytes(bytes, 16) == 1, unsafe RAND_priv_bytes(bytes + 16, 64) == 1 else { return nil }
    }

    deinit {
        unsafe OPENSSL_cleanse(bytes, TicketKey.count)
        unsafe bytes.deallocate()
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
