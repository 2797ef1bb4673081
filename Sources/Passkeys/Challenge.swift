import Certificates
package import MotivatorPlatform

/// What a challenge is for. A challenge is valid only for the same purpose.
package enum Purpose: Sendable, Equatable {
    /// Adds a passkey to an account.
    /// - Parameters:
    ///   - session: the digest of the session's token.
    ///   - isConditional: whether the client adds it without a prompt (WebAuthn Level 3 §5.1.3).
    case create(account: Int64, session: [UInt8], isConditional: Bool)
    case get
    case confirm(account: Int64, session: [UInt8])

    fileprivate var parts: [[UInt8]] {
        switch self {
        case .create(let account, let session, let isConditional):
            [Array("create".utf8), account.bigEndianBytes, session, [isConditional ? 1 : 0]]
        case .get: [Array("get".utf8)]
        case .confirm(let account, let session): [Array("confirm".utf8), account.bigEndianBytes, session]
        }
    }
}

/// A challenge that the server has issued and that has not expired.
package struct Challenge: Sendable, Equatable {
    package let bytes: [UInt8]
    package let expires: UnixTime
}

/// Issues and verifies challenges without storing them. A challenge has 16 random bytes, its expiry in seconds, and
/// an HMAC of both with its purpose and RP ID.
package struct Challenges: Sendable {
    /// The permitted lifetimes in seconds.
    package static let lifetimes = 1...600

    private let secret: [UInt8]
    package let lifetime: Int

    /// - Parameters:
    ///   - secret: 32 bytes that all servers share.
    ///   - lifetime: a number in `lifetimes`. The default is 5 minutes (WebAuthn Level 3 §15.1).
    package init(secret: [UInt8], lifetime: Int = 300) {
        (self.secret, self.lifetime) = (secret, lifetime)
    }

    package func issue(for purpose: Purpose, rpID: String, at now: UnixTime) -> [UInt8] {
        let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        let start = random + (now + UnixTime(lifetime)).bigEndianBytes
        return start + code(start, purpose, rpID)
    }

    /// Verifies a challenge that a client returned.
    /// - Throws: `challengeInvalid` or `challengeExpired`.
    func verify(
        _ text: String, for purposes: [Purpose], rpID: String, at now: UnixTime
    ) throws(CeremonyError) -> (Challenge, Purpose) {
        guard let bytes = Base64.decode(text.utf8, .urlSafe), bytes.count == 56,
            let purpose = purposes.first(where: {
                Digest.isSame(code(Array(bytes[..<24]), $0, rpID), Array(bytes[24...]))
            })
        else { throw .challengeInvalid }
        let expires = bytes[16..<24].reduce(0 as UnixTime) { $0 << 8 | UnixTime($1) }
        guard now < expires else { throw .challengeExpired(seconds: Int(now - expires)) }
        return (Challenge(bytes: bytes, expires: expires), purpose)
    }

    /// Returns the user handle of an account: stable, opaque and without personal data (WebAuthn Level 3 §5.4.3).
    package func userHandle(ofAccount account: Int64) -> [UInt8] {
        // Each challenge authenticates more bytes, so neither value is valid as the other.
        Digest.hmacSHA256(key: secret, Array("user".utf8) + account.bigEndianBytes)
    }

    private func code(_ start: [UInt8], _ purpose: Purpose, _ rpID: String) -> [UInt8] {
        let parts = [Array(rpID.utf8)] + purpose.parts
        return Digest.hmacSHA256(key: secret, start + parts.flatMap { Int64($0.count).bigEndianBytes + $0 })
    }
}

extension Int64 {
    fileprivate var bigEndianBytes: [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
