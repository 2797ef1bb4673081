import COpenSSL
import Platform

/// The keys of session tickets: a new one each hour. The two before it still decrypt.
///
/// A leaked key exposes the sessions of a few hours, not those of the whole life of the server.
// Sendable unchecked: OpenSSL counts references to the cipher atomically and does not change it. The keys have a lock.
@safe public final class TicketKeys: @unchecked Sendable {
    /// The time for which a key encrypts new tickets, in seconds.
    public static let rotation: UnixTime = 3600
    /// The lifetime of a ticket in seconds. The two older keys cover it.
    public static let ticketLifetime: UnixTime = 2 * rotation

    private let clock: Clock
    private let cipher: OpaquePointer?
    /// Newest first.
    private let keys: Guarded<[TicketKey]>

    /// - Parameter clock: tells when a key is due for replacement.
    public init(clock: Clock = .system) {
        self.clock = clock
        // Fetched once: a lookup by name takes a lock that all loops share.
        unsafe cipher = EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
        keys = Guarded([])
        ERR_clear_error()
    }

    deinit {
        unsafe EVP_CIPHER_free(cipher)
    }

    /// Returns the valid keys, newest first, after a rotation if one is due.
    private func current() -> [TicketKey] {
        let now = clock.now()
        return keys.withLock { keys in
            // By age too, because without connections there is no rotation.
            keys.removeAll { now - $0.born >= 3 * TicketKeys.rotation }
            let isDue = keys.first.map { now - $0.born >= TicketKeys.rotation } ?? true
            if isDue, let fresh = TicketKey(born: now) { keys = [fresh] + keys.prefix(2) }
            return keys
        }
    }

    /// - Returns: 1; -1 without random bytes.
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

    /// - Returns: 1 for a ticket of the newest key; 2 for one of an older key, which is replaced; 0 for an unknown or
    ///   expired one, which needs a full handshake; -1 on failure.
    func decrypt(
        name: UnsafeMutablePointer<UInt8>, iv: UnsafeMutablePointer<UInt8>, cipher context: OpaquePointer?,
        mac: OpaquePointer?
    ) -> Int32 {
        let keys = current()
        guard let index = keys.firstIndex(where: { unsafe memcmp(name, $0.name, TicketKey.nameCount) == 0 }) else {
            return 0
        }
        let key = keys[index]
        guard unsafe key.setMAC(mac), unsafe EVP_DecryptInit_ex2(context, cipher, key.cipherKey, iv, nil) == 1 else {
            return -1
        }
        return index == 0 ? 1 : 2
    }
}

/// One key: 16 bytes of name, 32 for AES-256-CBC, 32 for HMAC-SHA-256. It is wiped when it is released.
// Sendable unchecked: its bytes are written once, before it is shared.
@safe private final class TicketKey: @unchecked Sendable {
    static let nameCount = 16
    private static let count = 80

    let born: UnixTime
    private let bytes: UnsafeMutablePointer<UInt8>

    var name: UnsafePointer<UInt8> { unsafe UnsafePointer(bytes) }
    var cipherKey: UnsafePointer<UInt8> { unsafe UnsafePointer(bytes + 16) }

    /// - Parameter born: the current time.
    /// - Returns: nil without random bytes.
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
        // The parameters keep pointers to their names, so these must be static.
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
