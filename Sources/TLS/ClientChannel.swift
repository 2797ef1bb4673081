import COpenSSL
import Certificates
import MotivatorPlatform

/// The socket of a client session. It also records the server's first bytes, certificates and version.
///
/// OpenSSL's socket BIO reads until no bytes are left. A server could keep one call busy past any deadline with
/// handshake messages that OpenSSL ignores. This channel limits the bytes that each call reads, and never raises
/// SIGPIPE.
final class ClientChannel: SocketChannel {
    /// The maximum number of bytes that one call on the session may read: several records.
    private static let budget = 64 << 10
    /// The number of bytes to keep from a server that does not use TLS: enough to recognize its protocol.
    private static let excerpt = 64

    private var left = 0
    private var hasRead = false
    private var isReset = false
    /// The first bytes of a server that does not use TLS; otherwise empty.
    private(set) var foreignBytes: [UInt8] = []
    var chain: [Certificate] = []
    /// The version in the server hello. TLS 1.3 also uses 0x0303.
    var chosenVersion: UInt16?

    func startCall() { left = Self.budget }

    override var failure: TLSFailure { foreignBytes.isEmpty ? super.failure : .notTLS }

    /// Reads up to the call's remaining limit. At the limit, the socket appears to be empty.
    override func read(into buffer: UnsafeMutableRawPointer, _ count: Int) -> Outcome {
        isEmpty = true
        guard left > 0 else { return .again }
        if !hasRead, let early = peekAtFirstBytes() { return early }
        let outcome = unsafe super.read(into: buffer, min(count, left))
        if case .done(let got) = outcome { left -= got }
        if case .ended = outcome { return end() }
        return outcome
    }

    /// Checks that the server's first record is an alert or a handshake message (RFC 8446 §5.1).
    private func peekAtFirstBytes() -> Outcome? {
        var bytes = [UInt8](repeating: 0, count: Self.excerpt)
        let got = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_PEEK))
        if got == 0 { return end() }
        guard got > 0 else { return errno == EINTR ? .again : stop(errno) }
        hasRead = true
        guard bytes[0] != SSL3_RT_ALERT, bytes[0] != SSL3_RT_HANDSHAKE else { return nil }
        foreignBytes = Array(bytes.prefix(got))
        return .failed
    }

    override func write(_ buffer: UnsafeRawPointer, _ count: Int) -> Outcome {
        let outcome = unsafe super.write(buffer, count)
        guard case .failed = outcome, errno == EPIPE || errno == ECONNRESET else { return outcome }
        // The bytes that the server sent before the reset are still readable. A later read reports the reset.
        isReset = isReset || errno == ECONNRESET
        errorNumber = nil
        return .done(count)
    }

    private func end() -> Outcome { isReset ? stop(ECONNRESET) : .ended }
}
