/// How far an operation on a non-blocking session came.
public enum TLSProgress: Equatable, Sendable {
    /// It is done; the number of bytes for reads and writes, else 0.
    case done(Int)
    /// Call again when the descriptor can be read.
    case wantsRead
    /// Call again when the descriptor can be written.
    case wantsWrite
    /// The peer ended the session properly, or left before the handshake began.
    case closed
    /// The session is broken: free it and close the descriptor.
    case failed(TLSFailure)
}
