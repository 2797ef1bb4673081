import FuzzSupport
import MotivatorPlatform
import MotivatorTLS

/// Sends garbage to a server's TLS session before, during and after the handshake.
///
/// The first byte chooses how. An even one sends the rest of the input as it is. An odd one lets a real client talk to
/// the server and changes its bytes on the way, as the next five bytes say: see `Tampering`.
///
/// Each session must end in a defined state after a bounded number of steps. What the server reads must be the beginning
/// of what the client wrote, whatever happened in between.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTLS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let mode = bytes.first else { return 0 }
    if mode & 1 == 0 {
        sendGarbage(UnsafeBufferPointer(rebasing: bytes.dropFirst()))
    } else if let tampering = Tampering(bytes.dropFirst()) {
        // A changed hello ends the session at the latest with Finished, so no live client is needed to go on.
        let hello = Recorded.hello(mode)
        if tampering.kind != .none, tampering.offset < hello.count {
            replay(hello, tampering)
        } else {
            talk(tampering, mode: mode)
        }
    }
    return 0
}

/// Sends a recorded hello with the change, which takes a small part of the time of a live client.
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
    require(server.received.isEmpty, "data without a client")
}

/// Lets a client and a server talk through a line that is tampered with.
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
    // Two idle rounds: the first one may have been used for a step that moves no bytes.
    while idleRounds < 2, !server.hasEnded {
        rounds += 1
        require(rounds < 500, "the session does not come to rest")
        client.step()
        var moved = relay.forward(from: toClient, to: &toServer)
        server.step()
        moved += relay.copyBack(from: toServer, to: toClient)
        idleRounds = moved == 0 ? idleRounds + 1 : 0
    }
    toServer.endSending()
    server.finish()
    require(client.sent.starts(with: server.received), "the server reads what the client did not write")
    if !relay.hasTampered, client.isPlain {
        require(server.received == client.sent, "the server does not read what the client wrote")
    }
}
