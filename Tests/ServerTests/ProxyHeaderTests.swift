import MotivatorPlatform
import Testing

@testable import MotivatorServer

/// Bytes at the start of a connection from a proxy, and the expected result.
struct ProxyHeaderCase: Sendable, CustomTestStringConvertible {
    /// The rule, with its section in proxy-protocol.txt.
    let rule: String
    let bytes: [UInt8]
    let expected: ProxyHeader.Step
    /// The number of bytes that determine the result.
    let decided: Int

    var testDescription: String { rule }

    private init(_ rule: String, _ bytes: [UInt8], _ expected: ProxyHeader.Step, decided: Int) {
        self.rule = rule
        self.bytes = bytes
        self.expected = expected
        self.decided = decided
    }

    static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10] + Array("QUIT\n".utf8)
    static let four: [UInt8] = [192, 0, 2, 7, 198, 51, 100, 9, 0x1F, 0x90, 0x20, 0xFB]
    static let six: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        + [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [2] + [0xFF, 0xFE, 0x01, 0xBB]
    static let mapped: [UInt8] =
        [UInt8](repeating: 0, count: 10) + [255, 255, 192, 0, 2, 7] + [UInt8](repeating: 1, count: 16) + [0, 80, 0, 81]

    /// Creates a header with the actual length of its content, or with `length` in the length field.
    static func header(_ command: UInt8, _ family: UInt8, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? content.count
        return signature + [command, family, UInt8(length >> 8), UInt8(length & 255)] + content
    }

    private static func accepted(_ rule: String, _ bytes: [UInt8], _ text: String?, port: UInt16 = 0) -> Self {
        let source = text.flatMap { SocketAddress($0, port: port) }
        return Self(rule, bytes, .header(source: source, length: bytes.count), decided: bytes.count)
    }

    private static func refused(_ rule: String, _ bytes: [UInt8], _ fault: ProxyHeader.Failure, at decided: Int) -> Self
    {
        Self(rule, bytes, .malformed(fault), decided: decided)
    }

    static let all: [Self] = [
        accepted("PROXY, TCP over IPv4 (§2.2)", header(0x21, 0x11, four), "192.0.2.7", port: 8080),
        accepted("PROXY, TCP over IPv6 (§2.2)", header(0x21, 0x21, six), "2001:db8::1", port: 65_534),
        accepted(
            "An IPv4-mapped source is an IPv4 client (RFC 4291 §2.5.5.2)", header(0x21, 0x21, mapped), "192.0.2.7",
            port: 80),
        accepted(
            "Extensions are skipped (§2.2)", header(0x21, 0x11, four + [0x04, 0, 2, 0, 0]), "192.0.2.7", port: 8080),
        accepted(
            "An extension that does not fit is skipped as well (§2.2)", header(0x21, 0x21, six + [1, 255, 255]),
            "2001:db8::1", port: 65_534),
        accepted(
            "The longest header", header(0x21, 0x11, four + [UInt8](repeating: 0, count: 4096 - 28)), "192.0.2.7",
            port: 8080),
        accepted("LOCAL keeps the peer (§2.2)", header(0x20, 0x00, []), nil),
        accepted("LOCAL with an address keeps the peer (§2.2)", header(0x20, 0x11, four), nil),
        accepted("LOCAL with any family and any content keeps the peer (§2.2)", header(0x20, 0xFF, [1, 2, 3]), nil),
        accepted("PROXY with UNSPEC keeps the peer (§2.2)", header(0x21, 0x00, []), nil),
        accepted("PROXY with UNSPEC and content keeps the peer (§2.2)", header(0x21, 0x00, four), nil),
        refused("A TLS record is no header", [0x16, 3, 1, 0, 5], .noSignature, at: 1),
        refused("An HTTP request is no header", Array("GET / HTTP/1.1\r\n\r\n".utf8), .noSignature, at: 1),
        refused(
            "The text version is refused", Array("PROXY TCP4 192.0.2.7 192.0.2.8 1 2\r\n".utf8), .noSignature, at: 1),
        refused(
            "The last byte of the signature counts", Array(signature.dropLast()) + [11, 0x21], .noSignature, at: 12),
        refused("Version 1 in the binary form (§2.2)", header(0x11, 0x11, four), .version(1), at: 13),
        refused("Version 3 (§2.2)", header(0x31, 0x11, four), .version(3), at: 13),
        refused("Command 2 (§2.2)", header(0x22, 0x11, four), .command(2), at: 13),
        refused("Command 15 (§2.2)", header(0x2F, 0x00, []), .command(15), at: 13),
        refused("UDP over IPv4", header(0x21, 0x12, four), .family(0x12), at: 14),
        refused("UDP over IPv6", header(0x21, 0x22, six), .family(0x22), at: 14),
        refused("A UNIX socket", header(0x21, 0x31, [UInt8](repeating: 1, count: 216)), .family(0x31), at: 14),
        refused("IPv4 without a transport", header(0x21, 0x10, four), .family(0x10), at: 14),
        refused("An unknown family (§2.2)", header(0x21, 0x41, six), .family(0x41), at: 14),
        refused("An unknown transport (§2.2)", header(0x21, 0x13, four), .family(0x13), at: 14),
        refused("No room for IPv4 addresses", header(0x21, 0x11, Array(four.dropLast())), .tooShort(27), at: 16),
        refused("No room for IPv6 addresses", header(0x21, 0x21, Array(six.dropLast())), .tooShort(51), at: 16),
        refused("IPv4 addresses declared as IPv6", header(0x21, 0x21, four), .tooShort(28), at: 16),
        refused("One byte above the limit", header(0x21, 0x11, four, length: 4081), .tooLong(4097), at: 16),
        refused("The limit holds for LOCAL", header(0x20, 0x00, [], length: 4081), .tooLong(4097), at: 16),
        refused("The greatest length", header(0x21, 0x21, six, length: 65_535), .tooLong(65_551), at: 16),
    ]
}

@Suite("The header of the PROXY protocol") struct ProxyHeaderTests {
    @Test("Whole, with and without bytes that follow", arguments: ProxyHeaderCase.all)
    func whole(_ header: ProxyHeaderCase) {
        #expect(ProxyHeader.parse(header.bytes) == header.expected)
        #expect(ProxyHeader.parse(header.bytes + [0x16, 3, 1]) == header.expected)
    }

    @Test("Byte by byte, the result comes with the byte that settles it", arguments: ProxyHeaderCase.all)
    func bytewise(_ header: ProxyHeaderCase) {
        for count in 0...header.bytes.count {
            let step = ProxyHeader.parse(Array(header.bytes.prefix(count)))
            guard count < header.decided else {
                #expect(step == header.expected, "\(count) bytes")
                continue
            }
            guard case .needMore(let more) = step else {
                Issue.record("\(count) bytes: \(step)")
                continue
            }
            #expect(more > 0)
        }
    }

    @Test("Reading as many bytes as needed takes none that follow, at every split", arguments: ProxyHeaderCase.all)
    func splits(_ header: ProxyHeaderCase) {
        let stream = header.bytes + [UInt8](repeating: 0x16, count: 8)
        for split in 0...header.bytes.count {
            // The parser first receives only the bytes before the split, and then all bytes.
            var taken = 0
            var available = split
            var step = ProxyHeader.parse([])
            while case .needMore(let more) = step {
                if taken == available { available = stream.count }
                taken = min(taken + more, available)
                step = ProxyHeader.parse(Array(stream.prefix(taken)))
            }
            #expect(step == header.expected, "split at \(split)")
            if case .header(_, let length) = step { #expect(taken == length, "split at \(split)") }
        }
    }
}
