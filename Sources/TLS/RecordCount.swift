import COpenSSL

/// The number of records since the last application data.
///
/// A peer may update its keys any number of times (RFC 8446 §4.6.3), request renegotiation repeatedly, or send empty
/// records and warnings. Each of these records costs the receiver more than the sender.
struct RecordCount {
    /// The maximum number of records in a row without application data.
    ///
    /// OpenSSL allows 32 empty records. A client needs one key update every 2²⁴ records (RFC 8446 §5.5). A server sends
    /// a few tickets after the handshake.
    static let limit = 32

    private var count = 0
    /// Whether more than `limit` records arrived in a row. The next record header sets this value, because the latest
    /// record may still carry application data.
    private(set) var isOverLimit = false

    mutating func reset() { count = 0 }

    /// Counts the header of a record.
    fileprivate mutating func add() {
        if count > Self.limit { isOverLimit = true }
        count &+= 1
    }

    /// Counts the records in all sessions of a context.
    static func watch(_ context: OpaquePointer) {
        // By default, this mode makes OpenSSL read records until a record carries application data.
        unsafe SSL_CTX_ctrl(context, SSL_CTRL_CLEAR_MODE, Int(SSL_MODE_AUTO_RETRY), nil)
        unsafe SSL_CTX_set_msg_callback(context) { isWritten, _, kind, _, _, ssl, _ in
            unsafe RecordCount.add(isWritten: isWritten, kind: kind, ssl)
        }
    }

    /// Handles an event from the message callback; see SSL_CTX_set_msg_callback(3).
    ///
    /// Even without `SSL_MODE_AUTO_RETRY`, one call processes all buffered records, and continues while ignored
    /// records arrive. OpenSSL stops only if the session has received close_notify.
    @inline(__always)
    static func add(isWritten: Int32, kind: Int32, _ ssl: OpaquePointer?) {
        guard isWritten == 0, kind == SSL3_RT_HEADER, let session = unsafe TLSSession.of(ssl) else { return }
        // OpenSSL's limits and the deadline protect the handshake.
        guard session.isEstablished else { return }
        session.records.add()
        guard session.records.isOverLimit else { return }
        unsafe SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN)
    }
}
