import FuzzSupport
import MotivatorPlatform
import MotivatorTLS

/// Sends garbage to a server's TLS session before, during and after the handshake.
///
/// The first byte selects the method. If it is even, the target sends the rest of the input unchanged. If it is odd, a
/// real client communicates with the server. The next bytes then specify changes to the client's data (see
/// `Tampering`).
///
/// Each session must end in a defined state after a bounded number of steps. In every case, the data that the server
/// receives must be a prefix of the client's data.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTLS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let mode = bytes.first else { return 0 }
    if mode & 1 == 0 {
        sendGarbage(UnsafeBufferPointer(rebasing: bytes.dropFirst()))
    } else if let tampering = Tampering(bytes.dropFirst()) {
        // A changed hello ends the session at Finished or earlier, so this case needs no live client.
        let hello = Recorded.hello(mode)
        if tampering.kind != .none, tampering.offset < hello.count {
            replay(hello, tampering)
        } else {
            talk(tampering, mode: mode)
        }
    }
    return 0
}

/// Sends a recorded hello with the change. This takes far less time than a live client.
private func replay(_ hello: [UInt8], _ tampering: Tampering) {
    let before = hello[..<tampering.offset]
    guard let change = tampering.change(hello[tampering.offset...], before: Array(before)) else { return }
    var bytes = before + change.inserted
    if tampering.kind != .truncate { bytes += hello[tampering.offset...].dropFirst(change.removed) }
    Array(bytes).withUnsafeBufferPointer(sendGarbage)
}

/// Sends the bytes in pieces, then the end of the stream.
private func sendGarbage(_ bytes: UnsafeBufferPointer<UInt8>) {
    var line = SocketPair()
    defer { line.close() }
    let server = ServerSide(line.second)
    _ = Cuts(bytes).forEach { piece in
        line.send(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[piece]))
        server.step()
        return !server.hasEnded
    }
    line.endSending()
    server.finish()
    require(server.received.isEmpty, "the server received data without a client")
}

/// Connects a client and a server through a relay that changes the client's bytes.
private func talk(_ tampering: Tampering, mode: UInt8) {
    let toClient = SocketPair()
    var toServer = SocketPair()
    defer {
        toClient.close()
        toServer.close()
    }
    let client = ClientSide(toClient.second, tampering, mode: mode)
    let server = ServerSide(toServer.second)
    var relay = Relay(tampering)
    var rounds = 0
    var idleRounds = 0
    // Two idle rounds, because the first may be a step that moves no bytes.
    while idleRounds < 2, !server.hasEnded {
        rounds += 1
        require(rounds < 500, "the session never waits")
        client.step()
        var moved = relay.forward(from: toClient, to: &toServer)
        server.step()
        moved += relay.copyBack(from: toServer, to: toClient)
        idleRounds = moved == 0 ? idleRounds + 1 : 0
    }
    toServer.endSending()
    server.finish()
    require(client.sent.starts(with: server.received), "the server read bytes that the client did not write")
    if !relay.hasTampered, client.isPlain {
        require(server.received == client.sent, "the server did not read all bytes that the client wrote")
    }
}
