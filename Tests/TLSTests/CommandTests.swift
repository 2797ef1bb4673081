import Certificates
import MotivatorPlatform
import MotivatorTLS
import TestSupport
import Testing

/// Connections from `openssl s_client` to the server.
struct CommandTests {
    @Test("openssl s_client connects and reads the response", arguments: ["-tls1_2", "-tls1_3"])
    func client(version: String) throws {
        let context = try TLSContext(identity: identity("a.test"), tickets: TicketKeys())
        let listener = FileDescriptor(owning: socket(AF_INET, SocketCalls.stream, 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener.number, $0, count) == 0 && listen(listener.number, 1) == 0
                    && getsockname(listener.number, $0, &count) == 0
            }
        }
        try #require(isListening)
        let port = UInt16(bigEndian: address.sin_port)
        let process = try Spawn.start([
            "openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(port)", version, "-alpn", "http/1.1",
            "-servername", "a.test",
        ])
        let connection = FileDescriptor(owning: accept(listener.number, nil, nil))
        try #require(connection.number >= 0)
        let session = try TLSSession(context: context, descriptor: connection.number)
        // The descriptor blocks, so each call completes its step.
        #expect(session.handshake() == .done(0))
        #expect(session.serverName == "a.test" && session.version == (version == "-tls1_2" ? "TLSv1.2" : "TLSv1.3"))
        #expect(session.writeText("hello\n") == .done(6))
        #expect(session.closeNotify() == .done(0))
        // The command then closes, with or without close_notify.
        _ = session.readText()
        shutdown(connection.number, Int32(SHUT_WR))
        #expect(Spawn.status(of: process) == 0)
    }
}
