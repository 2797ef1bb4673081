import MotivatorPlatform
import Testing

@Suite("Base64url of ceremonies") struct Base64Tests {
    @Test(
        "Only canonical base64url without padding decodes (RFC 4648 §3.5 and §5)",
        arguments: [
            ("", []), ("_w", [0xFF]), ("-_8", [0xFB, 0xFF]), ("AAAA", [0, 0, 0]),
            ("_w==", nil), ("/w", nil), ("+_8", nil), ("_x", nil), ("_", nil), (" _w", nil), ("_w\n", nil),
        ] as [(String, [UInt8]?)])
    func decode(_ text: String, _ bytes: [UInt8]?) {
        #expect(Base64.decode(Array(text.utf8), .urlSafe) == bytes)
        if let bytes { #expect(Base64.encode(bytes, .urlSafe) == text) }
    }
}
