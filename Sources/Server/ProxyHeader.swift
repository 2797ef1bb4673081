import MotivatorPlatform

/// The header that a trusted proxy sends before the client's first byte.
///
/// The server accepts only the binary version 2 (HAProxy, proxy-protocol.txt, §2.2). A reader of the text version 1
/// must search for the end of the header. It could mistake the client's bytes for part of the header.
enum ProxyHeader {
    enum Step: Equatable {
        /// The header is incomplete. Reading at most this many bytes does not read past the header.
        case needMore(Int)
        /// The header is complete and occupies `length` bytes. The source is nil when the peer itself is the client.
        case header(source: SocketAddress?, length: Int)
        /// No acceptable header starts with these bytes. The server must close the connection (§2).
        case malformed(Failure)
    }

    /// The reason why the bytes are not an acceptable header.
    enum Failure: Equatable, CustomStringConvertible {
        case noSignature
        case version(UInt8)
        /// The command is neither LOCAL nor PROXY.
        case command(UInt8)
        /// The address family and transport are not TCP over IPv4 or IPv6.
        case family(UInt8)
        case tooShort(Int)
        case tooLong(Int)

        var description: String {
            switch self {
            case .noSignature: "no PROXY protocol version 2 signature; configure the proxy to send version 2"
            case .version(let number): "PROXY protocol version \(number); configure the proxy to send version 2"
            case .command(let number): "unknown PROXY protocol command \(number)"
            case .family(let byte): "PROXY protocol family 0x\(byte.hexadecimal(width: 1)) is not TCP over IPv4 or IPv6"
            case .tooShort(let length): "PROXY header of \(length) bytes is too short for its addresses"
            case .tooLong(let length): "PROXY header of \(length) bytes exceeds the limit of \(longest) bytes"
            }
        }
    }

    /// The longest accepted header in bytes, including extensions.
    ///
    /// The length field allows 65,551 bytes. The known extensions (§2.2.1 to §2.2.10) fit in a few hundred bytes. A
    /// connection may use this memory before its client is known.
    static let longest = 4 << 10

    /// The length of the signature, the version, the command, the family and the length field.
    private static let fixedLength = 16
    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    /// Parses a header at the start of a connection.
    ///
    /// The parser makes each decision at the first byte that allows it, so a connection with another protocol ends
    /// early. It skips extensions (TLV).
    /// - Parameter bytes: the bytes of the connection so far.
    static func parse(_ bytes: [UInt8]) -> Step {
        guard zip(bytes, signature).allSatisfy({ $0 == $1 }) else { return .malformed(.noSignature) }
        guard bytes.count > 12 else { return .needMore(fixedLength - bytes.count) }
        guard bytes[12] >> 4 == 2 else { return .malformed(.version(bytes[12] >> 4)) }
        let command = bytes[12] & 0x0F
        guard command <= 1 else { return .malformed(.command(command)) }
        guard bytes.count > 13 else { return .needMore(fixedLength - bytes.count) }
        let addressLength: Int
        switch (command, bytes[13]) {
        // LOCAL: the proxy itself is the client; the family is ignored. UNSPEC: the proxy does not know the client.
        case (0, _), (1, 0x00): addressLength = 0
        case (1, 0x11): addressLength = 4
        case (1, 0x21): addressLength = 16
        case (_, let family): return .malformed(.family(family))
        }
        guard bytes.count >= fixedLength else { return .needMore(fixedLength - bytes.count) }
        let length = fixedLength + (Int(bytes[14]) << 8 | Int(bytes[15]))
        guard length <= longest else { return .malformed(.tooLong(length)) }
        // Two addresses and two ports of 2 bytes each.
        guard addressLength == 0 || length >= fixedLength + 2 * addressLength + 4 else {
            return .malformed(.tooShort(length))
        }
        guard bytes.count >= length else { return .needMore(length - bytes.count) }
        return .header(source: source(bytes, addressLength), length: length)
    }

    private static func source(_ bytes: [UInt8], _ addressLength: Int) -> SocketAddress? {
        guard addressLength > 0 else { return nil }
        let address = Array(bytes[fixedLength..<fixedLength + addressLength])
        let port = fixedLength + 2 * addressLength
        // A proxy that listens on "::" reports IPv4 clients as ::ffff:0:0/96. In this form, all clients would share one
        // /64 prefix.
        return SocketAddress(
            bytes: SocketAddress.unmapped(address), port: UInt16(bytes[port]) << 8 | UInt16(bytes[port + 1]))
    }
}
