import COpenSSL
import MotivatorPlatform
import MotivatorTLS
import Testing

struct HeldRecordsTests {
    private let buffer = RecordBuffer()
    private let context: TLSContext

    init() throws {
        context = try TLSContext(identity: identity("a.test"), tickets: TicketKeys())
    }

    /// Completes a handshake. The server still holds back its ticket.
    private func connected() throws -> (Client, TLSSession) {
        let client = try Client(.init(least: TLS1_3_VERSION))
        let server = try TLSSession(context: context, descriptor: client.serverDescriptor, buffer: buffer)
        for _ in 0..<20 {
            SSL_do_handshake(client.ssl)
            if server.handshake() == .done(0) { return (client, server) }
            #expect(server.sendRecords().progress == .done(0))
        }
        throw Client.Trouble.noSocket
    }

    @Test("The ticket, the response and close_notify are held, and sent in this order")
    func together() throws {
        let (client, server) = try connected()
        var byte: UInt8 = 0
        #expect(server.writeText("response") == .done(8))
        #expect(server.closeNotify() == .done(0))
        #expect(recv(client.descriptor, &byte, 1, Int32(MSG_PEEK)) == -1 && errno == EAGAIN)

        let (count, progress) = server.sendRecords()
        #expect(count > 8 && progress == .done(0))
        #expect(client.read() == "response")
        #expect(client.read() == nil && SSL_get_shutdown(client.ssl) & SSL_RECEIVED_SHUTDOWN != 0)
        #expect(server.sendRecords() == (0, .done(0)))
    }

    @Test("Records that the socket does not take block the next record, and arrive complete")
    func full() throws {
        let (client, server) = try connected()
        let sent = (0..<(1 << 20)).map { UInt8($0 / 3 % 95) + 0x20 }
        var (start, received, stops) = (0, "", 0)
        while received.utf8.count < sent.count {
            while start < sent.count {
                guard case .done(let count) = sent.withUnsafeBytes({ server.write(.init(rebasing: $0[start...])) })
                else { break }
                start += count
            }
            if server.unsentBytes > 0 { stops += 1 }
            while let text = client.read() { received += text }
            try #require([.done(0), .wantsWrite].contains(server.sendRecords().progress))
        }
        #expect(received.utf8.elementsEqual(sent) && stops > 0)
    }

    @Test("A session with unsent records adds nothing to the buffer that it shares with other sessions")
    func shared() throws {
        let (slow, blocked) = try connected()
        let part = [UInt8](repeating: 0x61, count: 16 << 10)
        var sent = 0
        while blocked.unsentBytes == 0 {
            while case .done(let count) = part.withUnsafeBytes({ blocked.write($0) }) { sent += count }
            _ = blocked.sendRecords()
        }
        let unsent = blocked.unsentBytes
        // OpenSSL keeps the record that the socket did not take, so a repeated write begins with the same bytes.
        for _ in 0..<2 { #expect(part.withUnsafeBytes { blocked.write($0) } == .wantsWrite) }
        let (other, free) = try connected()
        #expect(free.writeText("response") == .done(8))
        #expect(free.sendRecords().progress == .done(0))
        #expect(other.read() == "response" && other.read() == nil)
        #expect(blocked.unsentBytes == unsent)
        var received = 0
        while true {
            while let text = slow.read() { received += text.utf8.count }
            let outcome = part.withUnsafeBytes { blocked.write($0) }
            if case .done(let count) = outcome { sent += count }
            let progress = blocked.sendRecords().progress
            if outcome != .wantsWrite, progress == .done(0) { break }
        }
        while let text = slow.read() { received += text.utf8.count }
        #expect(received == sent)
    }

    @Test("The count includes the records that a full buffer sent before")
    func count() throws {
        let (client, server) = try connected()
        let record = [UInt8](repeating: 0x20, count: 16 << 10)
        for _ in 0..<5 { #expect(record.withUnsafeBytes { server.write($0) } == .done(record.count)) }
        let (count, progress) = server.sendRecords()
        #expect(count > 5 * record.count && progress == .done(0))
        #expect(server.sendRecords() == (0, .done(0)))
        var received = 0
        while let text = client.read() { received += text.utf8.count }
        #expect(received == 5 * record.count)
    }

    @Test("The records of a client that left do not reach the next client")
    func gone() throws {
        let (first, one) = try connected()
        first.hangUp()
        #expect(one.sendRecords().progress == .failed(.system(EPIPE)))
        #expect(one.writeText("x") == .closed)
        let (second, two) = try connected()
        #expect(two.writeText("response") == .done(8))
        #expect(two.sendRecords().progress == .done(0))
        #expect(second.read() == "response")
    }
}
