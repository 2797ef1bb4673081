import COpenSSL

/// The number of records that a session received since the last application data.
///
/// A peer may update its keys as often as it likes (RFC 8446 §4.6.3), ask again and again for a renegotiation that is
/// refused, or send empty records and warnings. Each costs the receiver more than the sender.
struct RecordCount {
    /// The most records in a row without application data.
    ///
    /// OpenSSL uses 32 for empty records alone. A client needs one key update in 2²⁴ records (RFC 8446 §5.5); a server
    /// sends a few tickets after the handshake.
    static let limit = 32

    private var count = 0
    /// Whether more than `limit` records came in a row. The header of the next record shows it: of the latest record
    /// nothing is known yet, it may carry application data.
    private(set) var isOverLimit = false

    @inline(__always)
    mutating func reset() { count = 0 }

    /// Counts the header of a record.
    @inline(__always)
    fileprivate mutating func add() {
        if count > Self.limit { isOverLimit = true }
        count &+= 1
    }
}

extension RecordCount {
    /// Counts the records of all sessions of a context.
    static func watch(_ context: OpaquePointer) {
        // On by default: OpenSSL then reads records until one carries application data.
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_CLEAR_MODE, Int(SSL_MODE_AUTO_RETRY), nil)
        unsafe SSL_CTX_set_msg_callback(context) { isWritten, _, kind, _, _, ssl, _ in
            unsafe RecordCount.note(isWritten: isWritten, kind: kind, ssl)
        }
    }

    /// Notes what OpenSSL reports to a message callback, see SSL_CTX_set_msg_callback(3).
    ///
    /// Even without `SSL_MODE_AUTO_RETRY` one call processes everything that was read ahead, and ignored records for as
    /// long as they come. A session that received the close is the one state in which OpenSSL stops in between.
    @inline(__always)
    static func note(isWritten: Int32, kind: Int32, _ ssl: OpaquePointer?) {
        guard isWritten == 0, kind == SSL3_RT_HEADER, let session = unsafe TLSSession.of(ssl) else { return }
        // OpenSSL has its own limits for the handshake, which the deadline of the handshake completes.
        guard session.isEstablished else { return }
        session.records.add()
        guard session.records.isOverLimit else { return }
        unsafe SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN)
    }
}
