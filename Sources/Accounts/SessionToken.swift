import COpenSSL
import MotivatorPlatform

/// The secret of a session: 32 random bytes that only the signed-in client receives.
package struct SessionToken: Sendable, Equatable {
    private static let length = 32
    private let bytes: [UInt8]
}

extension SessionToken: SecretHolder {
    package var description: String { "[session token]" }

    /// Parses a token.
    /// - Parameter text: 43 characters of base64url without padding (RFC 4648 §5).
    /// - Returns: nil for any other text.
    package init?(_ text: String) {
        // Check the length first to avoid decoding a long text.
        guard text.utf8.count == 43, let bytes = Base64.decode(text.utf8, .urlSafe), bytes.count == Self.length else {
            return nil
        }
        self.bytes = bytes
    }

    /// Returns a new token, or nil if OpenSSL cannot generate random bytes.
    static func random() -> SessionToken? {
        RandomBytes.make(length).map { SessionToken(bytes: $0) }
    }

    /// The token as 43 characters of base64url. Keep it secret.
    package var text: String { Base64.encode(bytes, .urlSafe) }

    /// The digest that identifies the session in the store.
    var digest: SHA256 { SHA256(of: bytes) }

    /// Compares two tokens in constant time.
    package static func == (one: SessionToken, other: SessionToken) -> Bool {
        unsafe CRYPTO_memcmp(one.bytes, other.bytes, length) == 0
    }
}

/// Random bytes from OpenSSL's generator.
package enum RandomBytes {
    /// Returns random bytes, or nil if the generator has no entropy.
    package static func make(_ count: Int) -> [UInt8]? {
        var fine = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            fine = unsafe RAND_bytes(buffer.baseAddress, Int32(count)) == 1
            if !fine { unsafe buffer.initialize(repeating: 0) }
            filled = count
        }
        return fine ? bytes : nil
    }
}
