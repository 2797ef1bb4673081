import COpenSSL
import Certificates
import Dispatch
import MotivatorPlatform

/// A loopback server that runs a test's script for each connection, on a separate thread.
///
/// It never waits for a fixed time: a script that stalls waits until the client closes the connection.
// Unchecked Sendable: the listener's descriptor does not change, and the system allows its use on any thread.
final class HostileServer: @unchecked Sendable {
    typealias Script = @Sendable (HostileConnection) -> Void

    enum Trouble: Error { case system(SystemError) }

    let address: SocketAddress
    private let listener: FileDescriptor

    /// Listens on a free port.
    ///
    /// - Parameters:
    ///   - host: A loopback address.
    ///   - backlog: The number of connections that the system queues before `accept`; nil to only reserve a port.
    init(host: String = "127.0.0.1", backlog: Int32? = 8) throws {
        guard let wanted = SocketAddress(host, port: 0) else { throw Trouble.system(SystemError("inet_pton", code: 0)) }
        let number = SocketCalls.socket(wanted.family)
        guard number >= 0 else { throw Trouble.system(SystemError("socket")) }
        listener = FileDescriptor(owning: number)
        _ = fcntl(number, F_SETFL, 0)
        guard wanted.withSystemAddress({ bind(number, $0, $1) }) == 0,
            backlog.map({ listen(number, $0) == 0 }) ?? true
        else {
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

    /// Whether a client has connected, before a call of `serve`.
    var hasConnection: Bool {
        var entry = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Serves the next connections in sequence.
    ///
    /// - Parameters:
    ///   - count: The number of connections.
    ///   - wishes: The TLS behavior.
    ///   - script: The script for each connection. The connection closes after the script.
    func serve(_ count: Int = 1, _ wishes: ServerTLS.Wishes = .init(), _ script: @escaping Script) {
        DispatchQueue(label: "hostile server").async { [self] in
            // A closed connection must not end the test process. The client's own threads have no such protection.
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

/// An accepted connection. Every call blocks.
final class HostileConnection {
    private let descriptor: FileDescriptor
    private let wishes: ServerTLS.Wishes
    private var tls: ServerTLS?
    /// Whether the client closed its end of the connection.
    private(set) var isOver = false
    /// The clock of the fetch; nil if it is the system's clock.
    var time: FetchTime?

    init(_ descriptor: consuming FileDescriptor, _ wishes: ServerTLS.Wishes) {
        self.descriptor = descriptor
        self.wishes = wishes
    }

    /// Performs the TLS handshake.
    ///
    /// - Returns: Whether the handshake succeeded.
    @discardableResult
    func handshake() -> Bool {
        tls = ServerTLS(descriptor.number, wishes)
        return tls?.accept() ?? false
    }

    /// The server name that the client requested. Available after the handshake.
    var serverName: String? { tls?.serverName }

    /// The protocol that the client offered. Available after the handshake.
    var offeredProtocol: String? { tls?.offeredProtocol }

    /// Performs the handshake and reads the request's head.
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

    /// Reads more content of the request.
    func read() -> [UInt8]? { tls?.read() }

    /// Sends text over TLS, one byte per scalar.
    func send(_ text: String) { send(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }

    func send(_ bytes: [UInt8]) {
        if tls?.write(bytes) != true { isOver = true }
    }

    /// Sends bytes outside TLS.
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

    /// Reads the bytes that are available from the client, outside TLS.
    @discardableResult
    func readRaw() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = MotivatorPlatform.read(descriptor.number, &buffer, buffer.count)
        return Array(buffer.prefix(max(count, 0)))
    }

    /// Lets the deadline of the fetch pass.
    func stall() { time?.stall() }

    /// Sends a text repeatedly until the client closes the connection.
    func sendForever(_ text: String) {
        let many = Array(String(repeating: text, count: max(1, 8_192 / text.utf8.count)).utf8)
        while !isOver { send(many) }
    }

    /// Sends a byte after each period without data from the client, until the client closes the connection.
    func drip(_ byte: UInt8, raw: Bool = false) {
        var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        while !isOver, poll(&entry, 1, 100) == 0 { raw ? sendRaw([byte]) : send([byte]) }
    }

    /// Waits until the client closes the connection.
    func waitForClose() {
        while !readRaw().isEmpty {}
    }

    /// Ends the TLS session properly, and waits until the client closes the connection.
    func closeNotify() {
        tls?.close()
        endWriting()
    }

    /// Closes this direction without a TLS message, and waits until the client closes the connection.
    func endWriting() {
        SocketCalls.endWriting(descriptor.number)
        waitForClose()
    }

    /// Makes the next close reset the connection.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor.number, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }
}
