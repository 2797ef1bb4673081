import COpenSSL
import Certificates
import Dispatch
import MotivatorPlatform

/// A server on the loopback that does to one connection whatever a test wants, on a thread of its own.
///
/// It never waits for a time: a script that stalls waits until the client leaves.
// Sendable unchecked: the listener's number does not change, and the system allows its use on any thread.
final class HostileServer: @unchecked Sendable {
    typealias Script = @Sendable (HostileConnection) -> Void

    enum Trouble: Error { case system(SystemError) }

    let address: SocketAddress
    private let listener: FileDescriptor

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - host: a loopback address.
    ///   - backlog: connections that the system takes before anybody accepts them.
    init(host: String = "127.0.0.1", backlog: Int32 = 8) throws {
        guard let wanted = SocketAddress(host, port: 0) else { throw Trouble.system(SystemError("inet_pton", code: 0)) }
        let number = SocketCalls.socket(wanted.family)
        guard number >= 0 else { throw Trouble.system(SystemError("socket")) }
        listener = FileDescriptor(owning: number)
        _ = fcntl(number, F_SETFL, 0)
        guard wanted.withSystemAddress({ bind(number, $0, $1) }) == 0, listen(number, backlog) == 0 else {
            throw Trouble.system(SystemError("listen"))
        }
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &storage) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &length) }
        }
        guard let address = SocketAddress(storage) else { throw Trouble.system(SystemError("getsockname")) }
        self.address = address
    }

    /// Serves the next connections, one after the other.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - wishes: how TLS is spoken.
    ///   - script: what is done to each; the connection is closed behind it.
    func serve(_ count: Int = 1, _ wishes: ServerTLS.Wishes = .init(), _ script: @escaping Script) {
        DispatchQueue(label: "hostile server").async { [self] in
            // A client that leaves must not end the tests; the client's own threads stay unprotected on purpose.
            var blocked = sigset_t()
            sigemptyset(&blocked)
            sigaddset(&blocked, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &blocked, nil)
            for _ in 0..<count {
                let accepted = accept(listener.number, nil, nil)
                guard accepted >= 0 else { return }
                let connection = HostileConnection(FileDescriptor(owning: accepted), wishes)
                script(connection)
            }
        }
    }
}

/// One accepted connection; every call blocks.
final class HostileConnection {
    private let descriptor: FileDescriptor
    private let wishes: ServerTLS.Wishes
    private var tls: ServerTLS?
    /// Set when the client's end of the connection is gone.
    private(set) var isOver = false

    init(_ descriptor: consuming FileDescriptor, _ wishes: ServerTLS.Wishes) {
        self.descriptor = descriptor
        self.wishes = wishes
    }

    /// Shakes hands.
    ///
    /// - Returns: whether it succeeded.
    @discardableResult
    func handshake() -> Bool {
        tls = ServerTLS(descriptor.number, wishes)
        return tls?.accept() ?? false
    }

    /// The name that the client asked for, after the handshake.
    var serverName: String? { tls?.serverName }

    /// The protocol that the client offers, after the handshake.
    var offeredProtocol: String? { tls?.offeredProtocol }

    /// Shakes hands and takes the request's head.
    @discardableResult
    func request() -> String {
        guard handshake() else { return "" }
        var bytes: [UInt8] = []
        while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
            guard let more = tls?.read() else { return String(decoding: bytes, as: UTF8.self) }
            bytes += more
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Takes further content of the request.
    func read() -> [UInt8]? { tls?.read() }

    /// Sends text over TLS, one byte for each scalar.
    func send(_ text: String) { send(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }

    func send(_ bytes: [UInt8]) {
        if tls?.write(bytes) != true { isOver = true }
    }

    /// Sends bytes past TLS.
    func sendRaw(_ bytes: [UInt8]) {
        var left = bytes[...]
        while !left.isEmpty {
            let put = left.withUnsafeBytes { MotivatorPlatform.write(descriptor.number, $0.baseAddress, $0.count) }
            guard put > 0 else {
                isOver = true
                return
            }
            left = left.dropFirst(put)
        }
    }

    /// Takes what is there of the client's bytes, past TLS.
    @discardableResult
    func readRaw() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = MotivatorPlatform.read(descriptor.number, &buffer, buffer.count)
        return Array(buffer.prefix(max(count, 0)))
    }

    /// Sends a text over and over until the client leaves.
    func sendForever(_ text: String) {
        let many = Array(String(repeating: text, count: max(1, 8_192 / text.utf8.count)).utf8)
        while !isOver { send(many) }
    }

    /// Sends a byte each time the client has kept silent for a while, until it leaves.
    func drip(_ byte: UInt8, raw: Bool = false) {
        var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        while !isOver, poll(&entry, 1, 100) == 0 { raw ? sendRaw([byte]) : send([byte]) }
    }

    /// Waits until the client leaves.
    func waitForClose() {
        while !readRaw().isEmpty {}
    }

    /// Ends the TLS session properly, and leaves the connection open until the client leaves.
    func closeNotify() {
        tls?.close()
        endWriting()
    }

    /// Ends this direction without a word of TLS, and waits until the client leaves.
    func endWriting() {
        SocketCalls.endWriting(descriptor.number)
        waitForClose()
    }

    /// Makes the coming close a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor.number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
}
