import Passkeys
import Testing

@Suite("Canonical CBOR (CTAP 2.1 §8)") struct CBORTests {
    @Test(
        "Canonical values decode and encode to the same bytes",
        arguments: [
            ([0x00], CBOR(0)), ([0x17], CBOR(23)), ([0x18, 0x18], CBOR(24)), ([0x19, 0x01, 0x00], CBOR(256)),
            ([0x1A, 0, 1, 0, 0], CBOR(65_536)), ([0x1B, 0, 0, 0, 1, 0, 0, 0, 0], CBOR(1 << 32)),
            ([0x1B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .unsigned(.max)),
            ([0x20], CBOR(-1)), ([0x39, 0x01, 0x00], CBOR(-257)),
            ([0x3B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .negative(.max)),
            ([0x42, 1, 2], .bytes([1, 2])), ([0x62, 0xC3, 0xA9], .text("é")), ([0x60], .text("")),
            ([0x82, 0x01, 0xF6], .array([CBOR(1), .null])), ([0xF4], .boolean(false)), ([0xF5], .boolean(true)),
            ([0xA2, 0x01, 0xF6, 0x20, 0xF6], .map([.init(CBOR(1), .null), .init(CBOR(-1), .null)])),
            ([0x81, 0x81, 0x81, 0x80], .array([.array([.array([.array([])])])])),
        ] as [([UInt8], CBOR)])
    func canonical(_ bytes: [UInt8], _ value: CBOR) throws {
        #expect(try CBOR(bytes) == value)
        #expect(value.encoded == bytes)
    }

    @Test(
        "Other bytes are refused with the rule and the offset",
        arguments: [
            ([], .truncated, 0), ([0x19, 0x01], .truncated, 0), ([0x43, 1, 2], .truncated, 0),
            ([0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .truncated, 0),
            ([0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .truncated, 0),
            ([0x82, 0x01], .truncated, 0), ([0xA1, 0x01], .truncated, 2), ([0x00, 0x00], .bytesLeft, 1),
            ([0x5F, 0xFF], .indefinite, 0), ([0x9F, 0xFF], .indefinite, 0), ([0x1C], .indefinite, 0),
            ([0x18, 0x17], .notShortest, 0), ([0x19, 0x00, 0xFF], .notShortest, 0),
            ([0x1A, 0, 0, 0xFF, 0xFF], .notShortest, 0), ([0x1B, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], .notShortest, 0),
            ([0x58, 0x01, 0x00], .notShortest, 0), ([0xA1, 0x41, 0x00, 0x00], .key, 1), ([0xA1, 0xF5, 0x00], .key, 1),
            ([0xA2, 0x02, 0x00, 0x01, 0x00], .order, 3), ([0xA2, 0x20, 0x00, 0x01, 0x00], .order, 3),
            ([0xA2, 0x62, 0x61, 0x61, 0x00, 0x61, 0x62, 0x00], .order, 5),
            ([0xA2, 0x01, 0x00, 0x01, 0x00], .duplicate, 3), ([0x61, 0xFF], .notUTF8, 0),
            ([0x63, 0xED, 0xA0, 0x80], .notUTF8, 0), ([0xC0, 0x00], .tag, 0), ([0xF9, 0x00, 0x00], .simple, 0),
            ([0xF7], .simple, 0), ([0xE0], .simple, 0), ([0xF8, 0x14], .simple, 0),
            ([0x81, 0x81, 0x81, 0x81, 0x80], .levels, 4),
            ([0xA1, 0, 0xA1, 0, 0xA1, 0, 0xA1, 0, 0xA0], .levels, 8), ([0xA1, 0, 0x81, 0x81, 0x81, 0x80], .levels, 5),
            ([0xA2, 0x61, 0x61, 0, 0x61, 0x61, 0], .duplicate, 4),
            ([0x98, 0x41] + [UInt8](repeating: 0, count: 65), .entries, 0),
        ] as [([UInt8], CBORError.Rule, Int)])
    func refused(_ bytes: [UInt8], _ rule: CBORError.Rule, _ offset: Int) {
        #expect(throws: CBORError(rule, at: offset)) { try CBOR(bytes) }
    }

    @Test("64 entries are accepted, and the encoder sorts keys")
    func limits() throws {
        let full = CBOR.array([CBOR](repeating: .null, count: CBOR.maximumEntries))
        #expect(try CBOR(full.encoded) == full)
        let keys = [CBOR(-1), .text("b"), CBOR(300), .text("aa"), CBOR(2)]
        let sorted = try CBOR(CBOR.map(keys.map { .init($0, .null) }).encoded)
        #expect(sorted.entries?.map(\.key) == [CBOR(2), CBOR(300), CBOR(-1), .text("b"), .text("aa")])
    }
}
