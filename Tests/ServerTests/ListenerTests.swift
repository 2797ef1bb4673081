import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer

struct ListenerTests {
    @Test("Each loop has a listener on the same port", arguments: [true, false])
    func oneForEachLoop(sharesPort: Bool) throws {
        let anyPort = try #require(SocketAddress("127.0.0.1", port: 0))
        let listeners = try Listener.open(anyPort, count: 3, isSecure: true, sharesPort: sharesPort)
        #expect(Set(listeners.map(\.number)).count == 3)
        #expect(Set(listeners.map(\.address)).count == 1)
        for listener in listeners {
            #expect(listener.isSecure)
            #expect(fcntl(listener.number, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(listener.number, F_GETFD) & FD_CLOEXEC != 0)
        }
    }

    @Test("Each copy of a socket accepts connections until the last copy is closed")
    func copies() throws {
        let anyPort = try #require(SocketAddress("127.0.0.1", port: 0))
        var listeners = try Listener.open(anyPort, count: 2, isSecure: false, sharesPort: false)
        let address = listeners[0].address
        while let listener = listeners.popLast() {
            let client = try address.connect(seconds: 20)
            try #require(ProgressLimit.wait(on: listener.number) != nil)
            let (accepted, _) = try #require(try listener.accept())
            #expect(fcntl(accepted, F_GETFL) & O_NONBLOCK != 0 && fcntl(accepted, F_GETFD) & FD_CLOEXEC != 0)
            close(accepted)
            #expect(try listener.accept() == nil)
            _ = consume client
        }
        #expect(throws: SystemError("connect", code: ECONNREFUSED)) { _ = try address.connect(seconds: 20) }
    }

    @Test("Each loop has a copy of a passed listener, which stays open in the other process")
    func passed() throws {
        let anyPort = try #require(SocketAddress("127.0.0.1", port: 0))
        let original = try Listener.open(anyPort, count: 1, isSecure: true)[0]
        var listeners = try Listener.open(try PassedListener(dup(original.number)), count: 3, isSecure: true)
        #expect(Set(listeners.map(\.number)).count == 3)
        #expect(Set(listeners.map(\.address)) == [original.address])
        for listener in listeners { #expect(fcntl(listener.number, F_GETFD) & FD_CLOEXEC != 0) }
        let client = try original.address.connect(seconds: 20)
        listeners = []
        let (accepted, _) = try #require(try original.accept())
        close(accepted)
        _ = consume client
    }

    @Test("A descriptor that does not listen cannot be passed")
    func notListening() throws {
        let client = FileDescriptor(owning: SocketCalls.socket(AF_INET))
        for number in [client.number, STDIN_FILENO, -1] {
            #expect(throws: ExplainedFailure.self) { _ = try PassedListener(number) }
        }
        _ = consume client
    }

    @Test("A port that another socket uses is an error, even if both would share it", arguments: [true, false])
    func used(sharesPort: Bool) throws {
        let anyPort = try #require(SocketAddress("127.0.0.1", port: 0))
        let first = try Listener.open(anyPort, count: 1, isSecure: false, sharesPort: true)[0]
        #expect(anyPort.listenError == nil)
        let thrown = #expect(throws: ListenError.self) {
            try Listener.open(first.address, count: 2, isSecure: false, sharesPort: sharesPort)
        }
        for error in [thrown, first.address.listenError] {
            #expect(error?.problem == "another process uses \(first.address)")
            #expect(error?.fix.contains(":\(first.address.port)") == true, "a command must find the program")
            #expect(error?.exitCode == .unavailable)
        }
    }

    @Test("A server that restarts can use its port while the system still waits for its old connections")
    func restarted() throws {
        let anyPort = try #require(SocketAddress("127.0.0.1", port: 0))
        var listeners = try Listener.open(anyPort, count: 1, isSecure: false)
        let address = listeners[0].address
        let client = try address.connect(seconds: 20)
        try #require(ProgressLimit.wait(on: listeners[0].number) != nil)
        let (accepted, _) = try #require(try listeners[0].accept())
        // The side that closes first waits for late packets (TIME-WAIT, RFC 9293 §3.6.1).
        close(accepted)
        _ = consume client
        listeners = []
        #expect(try Listener.open(address, count: 1, isSecure: false)[0].address == address)
    }

    @Test(
        "A server listens on the same port of IPv4 and IPv6, each with its own socket",
        .enabled(if: SocketAddress("::", port: 0)?.listenError == nil, "the machine has no IPv6"))
    func bothVersions() throws {
        let addresses = ["::", "0.0.0.0"].compactMap { SocketAddress($0, port: 0) }
        // Another process may use the free port of the first socket on the other address, so several attempts are allowed.
        var server: HTTPServer?
        for _ in 0..<20 where server == nil {
            server = try? HTTPServer(tls: [], plain: addresses, logger: RecordingLog.silent)
        }
        let endpoints = try #require(server).endpoints
        #expect(endpoints.plain.map(\.host) == ["::", "0.0.0.0"])
        #expect(Set(endpoints.plain.map(\.port)).count == 1)
    }

    /// Without descriptors, accept(2) fails until a descriptor is free. This test makes it fail in another way, because
    /// the limit would also apply to the other tests of the process: shutdown(2) ends listening until listen(2).
    ///
    /// libdispatch does not report a socket that shutdown(2) has ended, so the test uses epoll.
    @Test("A listener whose accept fails closes idle connections, and accepts again after a pause")
    func acceptFails() async throws {
        let anyPort = try #require(SocketAddress("127.0.0.1", port: 0))
        // After shutdown(2), the system keeps only a port that bind(2) named. Another process may take it before that.
        var opened: Listener?
        for _ in 0..<20 where opened == nil {
            let free = try Listener.open(anyPort, count: 1, isSecure: false)[0].address
            opened = try? Listener.open(free, count: 1, isSecure: false)[0]
        }
        let original = try #require(opened)
        var options = ServerOptions()
        options.loops = 1
        let events = Mailbox<String>()
        let server = try HTTPServer(
            options: options, tls: [], plain: [original.address],
            passed: [try PassedListener(dup(original.number))], logger: RecordingLog { events.put($0) }.logger)
        let router = Router.serving { $0.serve(.text("ready"), at: "/ready") }
        try server.start(Live.snapshot(router))
        let idle = try await Wire.open(original.address)
        #expect(try await idle.ask(TestRequest("GET", "/ready")).status == 200)
        try #require(shutdown(original.number, Int32(SHUT_RD)) == 0)
        try await events.first { $0.hasPrefix("warning: accept: ") && $0.contains("no new connections for 500 ms") }
        let (responses, ending) = try await idle.rest()
        #expect(responses.isEmpty && ending == .orderly)
        try #require(listen(original.number, 16) == 0)
        // The system gives the end of the input to new connections too, so their number shows that they are accepted.
        try await ProgressLimit.wait {
            _ = try await Wire.open(original.address)
            return await server.counts().counts.acceptedConnections > 1
        }
        await server.stopNow()
    }

    @Test("An address of another machine is an error")
    func elsewhere() throws {
        let error = try #require(SocketAddress("192.0.2.1", port: 0)).listenError
        #expect(error?.problem == "this machine has no address 192.0.2.1")
        #expect(error?.fix.contains("--host") == true)
        #expect(error?.exitCode == .unavailable)
    }

    @Test("A port that requires a privilege differs from other errors")
    func otherErrors() throws {
        let address = try #require(SocketAddress("192.0.2.1", port: 443))
        let denied = ListenError.notPermitted(address)
        #expect(denied.problem == "this user is not permitted to listen on 192.0.2.1:443")
        #expect(denied.fix == "Choose a port above 1023" && denied.exitCode == .notPermitted)
        let failed = ListenError.failed(address, SystemError("bind", code: EMFILE))
        #expect(failed.problem.hasPrefix("cannot listen on 192.0.2.1:443: bind: ") && failed.exitCode == .unavailable)
    }

    @Test("The addresses of a server with port 0 share a port for HTTPS, and another one for plain HTTP")
    func sharedPort() throws {
        let addresses = ["127.0.0.1", "127.0.0.2"].compactMap { SocketAddress($0, port: 0) }
        let server = try HTTPServer(tls: addresses, plain: addresses, logger: RecordingLog.silent)
        let (tls, plain) = (server.endpoints.tls, server.endpoints.plain)
        #expect(tls.map(\.host) == ["127.0.0.1", "127.0.0.2"] && plain.map(\.host) == tls.map(\.host))
        #expect(Set(tls.map(\.port)).count == 1 && Set(plain.map(\.port)).count == 1)
        #expect(tls[0].port != 0 && plain[0].port != 0 && tls[0].port != plain[0].port)
    }
}
