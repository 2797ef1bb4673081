import MotivatorPlatform
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
            var waiting = pollfd(fd: listener.number, events: Int16(POLLIN), revents: 0)
            try #require(poll(&waiting, 1, 20_000) == 1)
            let (accepted, _) = try #require(try listener.accept())
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
            #expect(throws: NotAListener.self) { _ = try PassedListener(number) }
        }
        _ = consume client
    }
}
