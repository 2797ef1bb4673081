import COpenSSL
import MotivatorPlatform
import Testing

@testable import MotivatorTLS

@Suite("The reader of the ClientHello") struct ClientHelloReaderTests {
    struct Case: CustomStringConvertible, Sendable {
        let description: String
        let bytes: [UInt8]
        let step: ClientHelloReader.Step
        /// The number of bytes that decide the step, if fewer than `bytes`.
        var decidedAt: Int?
        var isRetry = false
    }

    private static func record(_ content: [UInt8], type: UInt8 = 22, length: Int? = nil) -> [UInt8] {
        let length = length ?? content.count
        return [type, 3, 1, UInt8(length >> 8 & 255), UInt8(length & 255)] + content
    }

    private static func message(_ count: Int, type: UInt8 = 1) -> [UInt8] {
        [type, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)] + [UInt8](repeating: 9, count: count)
    }

    private static func pieces(_ message: [UInt8], of size: Int) -> [UInt8] {
        stride(from: 0, to: message.count, by: size).flatMap { start in
            record(Array(message[start..<min(start + size, message.count)]))
        }
    }

    /// One record with the largest accepted message.
    private static let largest = ClientHelloReader.limit - 9
    private static let secret: [UInt8] = [20, 3, 3, 0, 1, 1]

    static let cases: [Case] = [
        // RFC 8446 §5.1 and §4.1.2.
        Case(description: "an ordinary hello", bytes: record(message(508)), step: .complete),
        Case(description: "an empty hello, which OpenSSL refuses", bytes: record(message(0)), step: .complete),
        Case(description: "records of one byte", bytes: pieces(message(300), of: 1), step: .complete),
        Case(description: "records of 100 bytes", bytes: pieces(message(1_800), of: 100), step: .complete),
        Case(description: "no byte", bytes: [], step: .needMore),
        Case(description: "all but one byte", bytes: Array(record(message(508)).dropLast()), step: .needMore),
        // The limit.
        Case(description: "the largest hello", bytes: record(message(largest)), step: .complete),
        Case(
            description: "a hello above the limit",
            bytes: record(Array(message(largest + 1).prefix(4)), length: largest + 5),
            step: .refused(.clientHelloTooLarge)),
        Case(
            description: "the nine bytes that announce 131,072 bytes", bytes: [22, 3, 1, 0, 4, 1, 2, 0, 0],
            step: .refused(.clientHelloTooLarge)),
        Case(
            description: "an announcement in records of one byte", bytes: pieces([1, 2, 0, 0], of: 1),
            step: .refused(.clientHelloTooLarge)),
        Case(
            description: "the largest length", bytes: record([1, 255, 255, 255]),
            step: .refused(.clientHelloTooLarge), decidedAt: 8),
        Case(
            description: "record headers above the limit", bytes: pieces(message(5_000), of: 1),
            step: .refused(.clientHelloTooLarge), decidedAt: ClientHelloReader.limit),
        // Other bytes.
        Case(
            description: "a letter", bytes: Array("GET / HTTP/1.1\r\n".utf8), step: .refused(.plainHTTP), decidedAt: 1),
        Case(description: "an alert", bytes: [21, 3, 3, 0, 2, 2, 40], step: .refused(.noClientHello), decidedAt: 1),
        Case(
            description: "application data", bytes: [23, 3, 3, 0, 1, 0], step: .refused(.noClientHello), decidedAt: 1),
        Case(description: "SSL 2.0", bytes: [128, 9, 1, 0, 2, 0], step: .refused(.noClientHello), decidedAt: 1),
        Case(description: "another version", bytes: [22, 2, 0, 0, 4], step: .refused(.noClientHello), decidedAt: 2),
        Case(description: "an empty record", bytes: record([]), step: .refused(.noClientHello)),
        Case(
            description: "a record above 16 KiB", bytes: record([], length: 16_385), step: .refused(.noClientHello)),
        Case(
            description: "another message", bytes: record(message(0, type: 16)), step: .refused(.noClientHello),
            decidedAt: 6),
        Case(
            description: "a second message in the record", bytes: record(message(20) + message(20)),
            step: .refused(.noClientHello), decidedAt: 29),
        Case(
            description: "an alert within the hello", bytes: Array(pieces(message(20), of: 12).prefix(17)) + [21],
            step: .refused(.noClientHello)),
        Case(description: "change_cipher_spec first", bytes: secret, step: .refused(.noClientHello), decidedAt: 1),
        // RFC 8446 appendix D.4.
        Case(
            description: "change_cipher_spec before a second hello", bytes: secret + record(message(400)),
            step: .complete, isRetry: true),
        Case(
            description: "an announcement after change_cipher_spec", bytes: secret + record([1, 2, 0, 0]),
            step: .refused(.clientHelloTooLarge), isRetry: true),
        Case(
            description: "a letter after a HelloRetryRequest", bytes: [0x47], step: .refused(.noClientHello),
            isRetry: true),
    ]

    @Test("Each input has the same result whole and byte by byte, decided at the first possible byte", arguments: cases)
    func step(_ one: Case) {
        var whole = ClientHelloReader(isRetry: one.isRetry)
        one.bytes.withUnsafeBytes { whole.append($0) }
        let atOnce = whole.next()
        #expect(atOnce == one.step)
        var reader = ClientHelloReader(isRetry: one.isRetry)
        var (step, count) = (reader.next(), 0)
        while step == .needMore, count < one.bytes.count {
            [one.bytes[count]].withUnsafeBytes { reader.append($0) }
            count += 1
            step = reader.next()
        }
        #expect(step == one.step && count == one.decidedAt ?? one.bytes.count)
    }

    @Test("A first byte that is an ASCII letter means HTTP; only 22 starts a record of a handshake (RFC 8446 §5.1)")
    func firstByte() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8
        for byte in UInt8.min ... .max {
            var reader = ClientHelloReader()
            [byte].withUnsafeBytes { reader.append($0) }
            let other = byte == 22 ? ClientHelloReader.Step.needMore : .refused(.noClientHello)
            let step = reader.next()
            #expect(step == (letters.contains(byte) ? .refused(.plainHTTP) : other), "\(byte)")
        }
    }

    @Test("The bytes after a complete hello are kept apart")
    func rest() {
        let (hello, data) = (Self.record(Self.message(30)), Self.record([7, 7], type: 23))
        var reader = ClientHelloReader()
        (hello + data).withUnsafeBytes { reader.append($0) }
        let steps = [reader.next(), reader.next()]
        #expect(steps == [.complete, .complete])
        #expect(Array(reader.parts.hello) == hello && Array(reader.parts.rest) == data)
    }
}

@Suite("Sessions and the ClientHello") struct ClientHelloSessionTests {
    private static let nine: [UInt8] = [22, 3, 1, 0, 4, 1, 2, 0, 0]
    private let context: TLSContext

    init() throws {
        context = try TLSContext(identity: identity("a.test"), tickets: TicketKeys())
    }

    private func session(_ client: Client) throws -> TLSSession {
        try TLSSession(context: context, descriptor: client.serverDescriptor)
    }

    @Test("A session refuses the announcement of a large ClientHello")
    func announcement() throws {
        let client = try Client()
        let server = try session(client)
        client.sendRaw(Self.nine)
        #expect(server.handshake() == .failed(.clientHelloTooLarge))
    }

    @Test("A large second ClientHello is refused too, alone or together with the first one", arguments: [true, false])
    func second(_ isTogether: Bool) throws {
        // The client guesses a group that the server does not support, so the server sends a HelloRetryRequest.
        let client = try Client(.init(groups: "P-384:P-256"))
        let server = try session(client)
        SSL_do_handshake(client.ssl)
        if isTogether {
            client.sendRaw(Self.nine)
        } else {
            #expect(server.handshake() == .wantsRead)
            client.sendRaw([20, 3, 3, 0, 1, 1] + Self.nine)
        }
        #expect(server.handshake() == .failed(.clientHelloTooLarge))
    }

    @Test("A handshake succeeds when its bytes arrive one by one", arguments: [nil, "P-384:P-256"])
    func bytewise(_ groups: String?) throws {
        let client = try Client(.init(groups: groups))
        let server = try session(client)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<3 where !server.isEstablished {
            SSL_do_handshake(client.ssl)
            // Only the server's end of the socket pair can take back what the client has sent.
            let count = recv(client.serverDescriptor, &bytes, bytes.count, 0)
            for byte in bytes.prefix(max(count, 0)) {
                client.sendRaw([byte])
                if case .failed(let failure) = server.handshake() { Issue.record("\(failure)") }
            }
        }
        #expect(server.isEstablished)
    }

    @Test("A part of a record after the handshake counts as memory until the record is complete")
    func memory() throws {
        let client = try Client()
        let server = try session(client)
        #expect(server.bufferedMemory == TLSSession.handshakeMemory)
        #expect(client.handshake(server) == .done(0))
        #expect(server.readText().0 == .wantsRead && server.bufferedMemory == 0)
        #expect(client.write("hello") == 5)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(client.serverDescriptor, &bytes, bytes.count, 0)
        // The header alone, and one more byte.
        for end in [5, 6] {
            client.sendRaw(Array(bytes[(end == 5 ? 0 : 5)..<end]))
            #expect(server.readText().0 == .wantsRead)
            #expect(server.bufferedMemory == 17 << 10, "after \(end) bytes")
        }
        client.sendRaw(Array(bytes[6..<count]))
        #expect(server.readText().1 == "hello" && server.readText().0 == .wantsRead)
        #expect(server.bufferedMemory == 0)
    }
}
