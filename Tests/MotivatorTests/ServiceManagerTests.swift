import Dispatch
import MotivatorPlatform
import MotivatorServer
import TestSupport
import Testing

@testable import motivator

struct ServiceManagerTests {
    /// A clock that blocks the event loop that reads it.
    private final class Brake: Sendable {
        private let isOn = Guarded(false)
        private let released = DispatchSemaphore(value: 0)
        private let stopped = DispatchSemaphore(value: 0)

        var clock: Clock {
            Clock { [self] in
                guard isOn.withLock({ $0 }) else { return 0 }
                stopped.signal()
                released.wait()
                // The other loop may also have blocked.
                released.signal()
                return 0
            }
        }

        /// Blocks the loop that accepts the next connection, and returns when the loop is blocked.
        func stopLoop(of server: HTTPServer) throws -> FileDescriptor {
            isOn.withLock { $0 = true }
            let client = try server.endpoints.plain[0].connect(seconds: 20)
            stopped.wait()
            return client
        }

        func release() {
            isOn.withLock { $0 = false }
            released.signal()
        }
    }

    @Test("The watchdog is notified only while all event loops respond")
    func watchdog() async throws {
        let folder = try TemporaryDirectory()
        let socket = try DatagramSocket(path: folder.file("notify"))
        let loopback = try #require(SocketAddress("127.0.0.1", port: 0))
        var options = ServerOptions()
        options.loops = 2
        let brake = Brake()
        let server = try HTTPServer(
            options: options, tls: [], plain: [loopback], clock: brake.clock, logger: RecordingLog.silent)
        let router = Router(fallback: Site())
        try server.start(ServerSnapshot(router: router, plainRouter: router, context: nil))
        let manager = ServiceManager(
            environment: ["NOTIFY_SOCKET": folder.file("notify"), "WATCHDOG_USEC": "2000"], logger: RecordingLog.silent)
        let watching = Task { try await manager.watch(server) }
        #expect(await socket.receive() == "WATCHDOG=1")

        let client = try brake.stopLoop(of: server)
        while await socket.receive(milliseconds: 0) != nil {}
        var late = 0
        for _ in 0..<3 where await socket.receive(milliseconds: 100) != nil { late += 1 }
        // The loop may have responded immediately before it blocked.
        #expect(late <= 1)

        brake.release()
        #expect(await socket.receive() == "WATCHDOG=1")
        watching.cancel()
        await server.stopNow()
        _ = consume client
    }

    @Test(
        "A watchdog of another process, or an interval of zero, has no effect",
        arguments: [["WATCHDOG_USEC": "2000", "WATCHDOG_PID": "1"], ["WATCHDOG_USEC": "0"], [:]])
    func noWatchdog(_ variables: [String: String]) async throws {
        let server = try HTTPServer(tls: [], plain: [], logger: RecordingLog.silent)
        // This returns immediately.
        try await ServiceManager(environment: variables, logger: RecordingLog.silent).watch(server)
    }
}

/// A Unix datagram socket that receives notifications.
private struct DatagramSocket {
    private let number: Int32
    private let queue = DispatchQueue(label: "datagrams")

    init(path: String) throws {
        number = SocketCalls.datagramSocket()
        let status = try unsafe SocketCalls.withUnixAddress(path) { unsafe bind(number, $0, $1) }
        guard status == 0 else { throw SystemError("bind") }
    }

    /// Returns the next datagram, or nil if none arrives within the time limit. A negative value means no limit.
    func receive(milliseconds: Int32 = -1) async -> String? {
        await withCheckedContinuation { done in
            queue.async {
                var waiting = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
                var bytes = [UInt8](repeating: 0, count: 4_096)
                guard unsafe poll(&waiting, 1, milliseconds) == 1 else { return done.resume(returning: nil) }
                let count = unsafe recv(number, &bytes, bytes.count, 0)
                done.resume(returning: String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self))
            }
        }
    }
}
