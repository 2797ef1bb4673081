import Dispatch
import MotivatorPlatform
import MotivatorTLS
import TestSupport

@testable import MotivatorServer

/// How the server closed its side of the connection.
enum Ending: Sendable, Equatable {
    /// FIN, after close_notify over TLS.
    case orderly
    /// FIN without close_notify.
    case ragged
    case reset
}

enum WireTrouble: Error {
    case system(SystemError)
    /// The time limit passed. The value is the received data.
    case tooLate(received: String)
    case handshake(String)
    /// The server closed its side of the connection before a response was complete.
    case ended(Ending, received: String)
}

/// A client connection that controls the timing of each byte.
///
/// It waits on its own queue to keep the handler threads free. Every wait has a limit that starts again with each byte.
// Unchecked Sendable: only the queue accesses the socket and the received bytes.
final class Wire: @unchecked Sendable {
    struct Wishes: Sendable {
        var isSecure = false
        /// The server's name in the TLS handshake.
        var name = "example.test"
        /// The address of the client. All addresses in 127.0.0.0/8 belong to this machine.
        var source = "127.0.0.1"
        /// The bytes to send before the TLS handshake, such as a PROXY header.
        var preamble: [UInt8] = []
        /// The size of the receive buffer, in bytes.
        var receiveBuffer: Int32?
    }

    private let queue = DispatchQueue(label: "wire")
    private let socket: Int32
    private var tls: ClientTLS?
    private var received: [UInt8] = []
    private var ending: Ending?
    private var isClosed = false

    private init(_ address: SocketAddress, _ wishes: Wishes) throws {
        signal(SIGPIPE, SIG_IGN)
        socket = SocketCalls.socket(AF_INET)
        guard socket >= 0 else { throw WireTrouble.system(SystemError("socket")) }
        SocketCalls.set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        if let size = wishes.receiveBuffer { SocketCalls.set(socket, SOL_SOCKET, SO_RCVBUF, size) }
        if let source = SocketAddress(wishes.source, port: 0) {
            guard source.withSystemAddress({ bind(socket, $0, $1) }) == 0 else {
                throw WireTrouble.system(SystemError("bind"))
            }
        }
        guard address.withSystemAddress({ connect(socket, $0, $1) }) == 0 || errno == EINPROGRESS else {
            throw WireTrouble.system(SystemError("connect"))
        }
    }

    deinit {
        tls = nil
        if !isClosed { close(socket) }
    }

    /// Connects, and performs the TLS handshake if required.
    static func open(_ address: SocketAddress, _ wishes: Wishes = Wishes()) async throws -> Wire {
        let wire = try Wire(address, wishes)
        try await wire.blocking { wire in
            try wire.wait(POLLOUT)
            var error: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(wire.socket, SOL_SOCKET, SO_ERROR, &error, &length)
            guard error == 0 else { throw WireTrouble.system(SystemError("connect", code: error)) }
            try wire.sendAll(wishes.preamble)
            if wishes.isSecure { try wire.shakeHands(wishes.name) }
        }
        return wire
    }

    /// Sends bytes in a single write, or in several writes if the socket accepts only a part.
    func send(_ bytes: [UInt8]) async throws {
        try await blocking { try $0.sendAll(bytes) }
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Returns the next response, which must be complete before the server closes.
    ///
    /// - Parameter isHead: Whether the request was HEAD.
    func response(isHead: Bool = false) async throws -> TestResponse {
        try await blocking { wire in
            while true {
                if let response = try TestResponse.take(from: &wire.received, isHead: isHead) { return response }
                if let ending = wire.ending { throw WireTrouble.ended(ending, received: wire.receivedText) }
                try wire.receive()
            }
        }
    }

    /// Sends a request and returns its response.
    func ask(_ request: TestRequest) async throws -> TestResponse {
        try await send(request.bytes)
        return try await response(isHead: request.method == "HEAD")
    }

    /// Reads until the server closes its side of the connection. Returns the responses, and how the server closed.
    func rest() async throws -> (responses: [TestResponse], ending: Ending) {
        try await blocking { wire in
            while wire.ending == nil { try wire.receive() }
            var responses: [TestResponse] = []
            while let response = try TestResponse.take(from: &wire.received, isHead: false) {
                responses.append(response)
            }
            guard wire.received.isEmpty, let ending = wire.ending else {
                throw WireTrouble.ended(wire.ending ?? .reset, received: wire.receivedText)
            }
            return (responses, ending)
        }
    }

    /// Waits for data, up to a limit in milliseconds.
    ///
    /// - Returns: Whether data or the end of the connection arrived.
    func hears(within milliseconds: Int64 = ProgressLimit.milliseconds) async throws -> Bool {
        try await blocking { wire in
            do {
                try wire.receive(within: milliseconds)
                return true
            } catch WireTrouble.tooLate {
                return false
            }
        }
    }

    /// Closes this direction, and leaves the other direction open.
    func finish() async throws {
        try await blocking { wire in
            wire.tls?.close()
            SocketCalls.endWriting(wire.socket)
        }
    }

    /// Ends the TLS session with an alert.
    func sendAlert() async throws {
        try await blocking { wire in wire.tls?.fail() }
    }

    /// Closes the connection with RST.
    func reset() async throws {
        try await blocking { wire in
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(wire.socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
            wire.tls = nil
            close(wire.socket)
            wire.isClosed = true
        }
    }
}

// MARK: - On the queue

extension Wire {
    private func blocking<Result: Sendable>(_ body: @escaping @Sendable (Wire) throws -> Result) async throws -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body(self) }) }
        }
    }

    private var receivedText: String { String(decoding: received.prefix(2_000), as: UTF8.self) }

    private func wait(_ events: Int32, within limit: Int64 = ProgressLimit.milliseconds) throws {
        guard ProgressLimit.wait(for: events, on: socket, within: limit) != nil else {
            throw WireTrouble.tooLate(received: receivedText)
        }
    }

    private func shakeHands(_ name: String) throws {
        let session = try ClientTLS(socket, name: name)
        while true {
            switch session.handshake() {
            case .done:
                tls = session
                return
            case .wantsRead: try wait(POLLIN)
            case .wantsWrite: try wait(POLLOUT)
            case .closed, .failed: throw WireTrouble.handshake(session.reason)
            }
        }
    }

    private func sendAll(_ bytes: [UInt8]) throws {
        var left = bytes[...]
        while !left.isEmpty {
            switch write(left) {
            case .done(let count): left = left.dropFirst(count)
            case .wantsRead: try wait(POLLIN)
            case .wantsWrite: try wait(POLLOUT)
            case .closed, .failed: throw WireTrouble.system(SystemError("send"))
            }
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>) -> TLSProgress {
        bytes.withUnsafeBytes { tls?.write($0) ?? Transport.plain(socket).write($0) }
    }

    /// Reads the available data. Waits if none is available.
    private func receive(within limit: Int64 = ProgressLimit.milliseconds) throws {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let outcome = buffer.withUnsafeMutableBytes {
                tls?.read(into: $0) ?? Transport.plain(socket).read(into: $0)
            }
            switch outcome {
            case .done(let count):
                received += buffer[..<count]
                return
            case .closed:
                ending = .orderly
                return
            case .failed:
                ending = tls?.hasUnexpectedEnd == true ? .ragged : .reset
                return
            case .wantsRead: try wait(POLLIN, within: limit)
            case .wantsWrite: try wait(POLLOUT, within: limit)
            }
        }
    }
}
