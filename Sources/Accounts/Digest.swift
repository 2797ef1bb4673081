import Certificates

/// A SHA-256 digest: how sessions and throttled things are known to the store, which can then give none of them away.
public struct Digest: Sendable, Hashable {
    /// The number of bytes of every digest.
    public static let length = 32
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter content: the bytes to digest.
    init(of content: [UInt8]) {
        bytes = Certificates.Digest.sha256(content)
    }
}
