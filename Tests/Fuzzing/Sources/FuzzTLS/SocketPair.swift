import FuzzSupport
import MotivatorPlatform

/// Two connected sockets: one for the fuzzer, and one for a session.
struct SocketPair {
    let first: Int32
    let second: Int32
    private var hasEnded = false

    init() {
        var pair: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        require(socketpair(AF_UNIX, kind, 0, &pair) == 0, "cannot create a socket pair: \(errno)")
        (first, second) = (pair[0], pair[1])
    }

    /// Sends bytes to the session. A session that does not read them has ended.
    func send(_ bytes: UnsafeRawBufferPointer) {
        guard !hasEnded, bytes.count > 0 else { return }
        _ = MotivatorPlatform.send(first, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Returns the bytes that the session has written.
    func receive() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let piece = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                count = max(0, recv(first, buffer.baseAddress, buffer.count, 0))
            }
            all += piece
            if piece.count < 4096 { return all }
        }
    }

    mutating func endSending() {
        guard !hasEnded else { return }
        hasEnded = true
        shutdown(first, Int32(SHUT_WR))
    }

    func close() {
        _ = MotivatorPlatform.close(first)
        _ = MotivatorPlatform.close(second)
    }
}
