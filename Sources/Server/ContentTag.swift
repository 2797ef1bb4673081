import Certificates

/// The entity tag of a content: the same bytes have the same tag on every machine and after every restart.
public enum ContentTag {
    /// - Parameter content: any bytes.
    /// - Returns: 32 hexadecimal digits of its SHA-256, which no two contents share in practice.
    public static func of(_ content: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let tag = Digest.sha256(content).prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: tag, as: UTF8.self)
    }
}
