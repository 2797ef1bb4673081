import COpenSSL

/// What proves a session: 32 random bytes, which are shown to nobody but the one who signed in.
public struct SessionToken: Sendable, Equatable {
    private static let length = 32
    private let bytes: [UInt8]

    /// - Parameter text: 43 characters of base64url without padding (RFC 4648 §5).
    /// - Returns: nil when it is anything else.
    public init?(_ text: String) {
        // The length first: what a stranger sends need not be decoded to be found too long.
        guard text.utf8.count == 43, let bytes = Base64.decode(text.utf8, .urlSafe), bytes.count == Self.length else {
            return nil
        }
        self.bytes = bytes
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// - Returns: a token nobody has had; nil when there is no randomness to be had.
    static func random() -> SessionToken? {
        RandomBytes.make(length).map { SessionToken(bytes: $0) }
    }

    /// 43 characters of base64url, which are a secret.
    public var text: String { Base64.encode(bytes, .urlSafe) }

    /// How the store knows the session.
    var digest: Digest { Digest(of: bytes) }

    /// Compares in a time that does not tell where the difference is.
    public static func == (one: SessionToken, other: SessionToken) -> Bool {
        unsafe CRYPTO_memcmp(one.bytes, other.bytes, length) == 0
    }
}

extension SessionToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[session token]" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
