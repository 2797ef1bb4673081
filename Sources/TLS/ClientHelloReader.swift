import COpenSSL

/// A reader of the first bytes of a connection. It keeps them until the ClientHello is complete.
///
/// A nine-byte record can announce a ClientHello of 131,072 bytes. OpenSSL would allocate that memory immediately. It
/// therefore gets a ClientHello only when the whole message has arrived.
package struct ClientHelloReader: Sendable {
    package enum Step: Equatable, Sendable {
        case needMore
        case complete
        case refused(TLSFailure)
    }

    /// The maximum number of bytes in a ClientHello with its record headers, announced or sent. ClientHellos of browsers
    /// have less than 4 KiB, even with a post-quantum key share.
    package static let limit = 16 << 10
    /// The length of a record header: the type, the version and the length (RFC 8446 §5.1).
    private static let recordHeader = 5
    /// The length of a message header: the type and the length (RFC 8446 §4).
    private static let messageHeader = 4
    /// The maximum length of a record's content (RFC 8446 §5.1).
    private static let longestRecord = 16 << 10

    private var bytes: [UInt8] = []
    private var position = 0
    private var leftInRecord = 0
    private var isMessage = true
    /// The number of bytes of the message that have been examined.
    private var received = 0
    /// The length in the message's header.
    private var announced = 0
    private let isRetry: Bool

    /// - Parameter isRetry: whether the server has sent a HelloRetryRequest. A change_cipher_spec record may then
    ///   precede the ClientHello (RFC 8446 appendix D.4).
    package init(isRetry: Bool = false) {
        self.isRetry = isRetry
    }

    package var isEmpty: Bool { bytes.isEmpty }

    package var heldBytes: Int { bytes.capacity }

    /// The maximum number of bytes to append next.
    package var space: Int { Self.limit - bytes.count }

    /// Appends bytes from the client, which may be split anywhere.
    package mutating func append(_ more: UnsafeRawBufferPointer) {
        unsafe bytes.append(contentsOf: more)
    }

    /// The records of a complete ClientHello, and the bytes after them.
    var parts: (hello: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) { (bytes[..<position], bytes[position...]) }

    /// Reads up to the end of the ClientHello.
    /// - Returns: the step. After `.complete`, every call returns the same step.
    package mutating func next() -> Step {
        while received != Self.messageHeader + announced {
            if leftInRecord == 0 {
                if let failure = headerFailure { return .refused(failure) }
                guard bytes.count >= position + Self.recordHeader else { return needMore }
                leftInRecord = Int(bytes[position + 3]) << 8 | Int(bytes[position + 4])
                guard (1...Self.longestRecord).contains(leftInRecord) else { return .refused(.noClientHello) }
                isMessage = Int32(bytes[position]) == SSL3_RT_HANDSHAKE
                position += Self.recordHeader
            }
            let available = min(leftInRecord, bytes.count - position)
            guard available > 0 else { return needMore }
            guard isMessage else {
                take(available)
                continue
            }
            if received >= Self.messageHeader {
                let part = min(available, Self.messageHeader + announced - received)
                take(part)
                received += part
                continue
            }
            let byte = bytes[position]
            if received == 0 {
                guard Int32(byte) == SSL3_MT_CLIENT_HELLO else { return .refused(.noClientHello) }
            } else {
                announced = announced << 8 | Int(byte)
            }
            take(1)
            received += 1
            guard Self.recordHeader + Self.messageHeader + announced <= Self.limit else {
                return .refused(.clientHelloTooLarge)
            }
        }
        guard position <= Self.limit else { return .refused(.clientHelloTooLarge) }
        // The client cannot know what to send next before it has read the server's first message.
        return leftInRecord == 0 ? .complete : .refused(.noClientHello)
    }

    private mutating func take(_ count: Int) {
        position += count
        leftInRecord -= count
    }

    private var needMore: Step { space > 0 ? .needMore : .refused(.clientHelloTooLarge) }

    /// The failure in the arrived part of a record's header; nil if a ClientHello may follow.
    private var headerFailure: TLSFailure? {
        guard position < bytes.count else { return nil }
        let type = bytes[position]
        // OpenSSL would detect only five HTTP methods.
        if position == 0, !isRetry, (0x41...0x5A).contains(type & 0xDF) { return .plainHTTP }
        let isAllowed = Int32(type) == SSL3_RT_HANDSHAKE || isRetry && Int32(type) == SSL3_RT_CHANGE_CIPHER_SPEC
        guard isAllowed, position + 1 == bytes.count || Int32(bytes[position + 1]) == SSL3_VERSION_MAJOR else {
            return .noClientHello
        }
        return nil
    }
}
