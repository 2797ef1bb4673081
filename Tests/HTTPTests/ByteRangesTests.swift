import MotivatorHTTP
import Testing

@Suite("Byte ranges")
struct ByteRangesTests {
    typealias Reading = Row<String, ByteRanges>

    static func read(_ value: String, of length: Int) -> ByteRanges {
        withLines([value]) { ByteRanges($0, of: length) }
    }

    static let maximum = String(Int.max)
    static let huge = "9223372036854775808"
    static let vast = String(repeating: "9", count: 4000)

    static let single: [Reading] = [
        Reading("first and last", "§14.1.2", "bytes=0-499", .part(0..<500)),
        Reading("the middle", "§14.1.2", "bytes=500-999", .part(500..<1000)),
        Reading("one byte", "§14.1.2", "bytes=0-0", .part(0..<1)),
        Reading("the last byte", "§14.1.2", "bytes=9999-9999", .part(9999..<10_000)),
        Reading("to the end", "§14.1.2", "bytes=9500-", .part(9500..<10_000)),
        Reading("everything, still as a part", "§14.1.2", "bytes=0-", .part(0..<10_000)),
        Reading("a suffix", "§14.1.2", "bytes=-500", .part(9500..<10_000)),
        Reading("a suffix of everything", "§14.1.2", "bytes=-10000", .part(0..<10_000)),
        Reading("a suffix longer than everything", "§14.1.2", "bytes=-10001", .part(0..<10_000)),
        Reading("last beyond the end", "§14.1.2", "bytes=9000-10000", .part(9000..<10_000)),
        Reading("leading zeros", "§14.1.2", "bytes=000-00000000000000000000000001", .part(0..<2)),
        Reading("the unit in capitals", "§14.1", "BYTES=0-0", .part(0..<1)),
        Reading("white space around a member", "§5.6.1", "bytes= \t0-0 \t", .part(0..<1)),
        Reading("empty members", "§5.6.1.2", "bytes=,, 0-0 ,,", .part(0..<1)),
        Reading("first at the end", "§14.1.2", "bytes=10000-", .unsatisfiable),
        Reading("first beyond the end", "§14.1.2", "bytes=10001-20000", .unsatisfiable),
        Reading("a suffix of nothing", "§14.1.2", "bytes=-0", .unsatisfiable),
        Reading("a suffix of nothing, in many zeros", "§14.1.2", "bytes=-0000000000000000000000", .unsatisfiable),
    ]

    static let overflowing: [Reading] = [
        Reading("last is Int.max", "§14.1.2", "bytes=1-\(maximum)", .part(1..<10_000)),
        Reading("last is Int.max + 1", "§14.1.2", "bytes=1-\(huge)", .part(1..<10_000)),
        Reading("last has 4000 digits", "§14.1.2", "bytes=1-\(vast)", .part(1..<10_000)),
        Reading("first is Int.max", "§14.1.2", "bytes=\(maximum)-", .unsatisfiable),
        Reading("first is Int.max + 1", "§14.1.2", "bytes=\(huge)-", .unsatisfiable),
        Reading("both are beyond Int.max", "§14.1.2", "bytes=\(huge)-\(vast)", .unsatisfiable),
        Reading("last is Int.max, first is one more", "§14.1.2", "bytes=\(huge)-\(maximum)", .unsatisfiable),
        Reading("only first is beyond Int.max", "§14.1.2", "bytes=\(huge)-5", .whole),
        Reading("suffix of 4000 digits", "§14.1.2", "bytes=-\(vast)", .part(0..<10_000)),
        Reading("2^64 wraps to nothing", "§14.1.2", "bytes=18446744073709551616-", .unsatisfiable),
        Reading("2^64 + 1 wraps to one", "§14.1.2", "bytes=-18446744073709551617", .part(0..<10_000)),
    ]

    static let ignored: [Reading] = [
        Reading("another unit", "§14.2", "lines=0-5", .whole),
        Reading("a unit that begins alike", "§14.2", "bytesx=0-5", .whole),
        Reading("no unit", "§14.2", "0-5", .whole),
        Reading("an empty unit", "§14.2", "=0-5", .whole),
        Reading("an empty value", "§14.2", "", .whole),
        Reading("no ranges", "§14.2", "bytes=", .whole),
        Reading("only commas", "§14.2", "bytes= ,, ,", .whole),
        Reading("space before the sign", "§14.2", "bytes =0-5", .whole),
        Reading("last before first", "§14.1.2", "bytes=5-4", .whole),
        Reading("last before first beside a good one", "§14.1.2", "bytes=0-1,5-4", .whole),
        Reading("no number", "§14.1.2", "bytes=-", .whole),
        Reading("no dash", "§14.1.2", "bytes=5", .whole),
        Reading("two dashes", "§14.1.2", "bytes=0--5", .whole),
        Reading("three numbers", "§14.1.2", "bytes=0-1-2", .whole),
        Reading("a sign", "§14.1.2", "bytes=+0-5", .whole),
        Reading("space inside", "§14.1.2", "bytes=0 -5", .whole),
        Reading("space after the dash", "§14.1.2", "bytes=0- 5", .whole),
        Reading("hexadecimal", "§14.1.2", "bytes=0x0-5", .whole),
        Reading("a decimal", "§14.1.2", "bytes=0.0-5", .whole),
        Reading("an underscore", "§14.1.2", "bytes=0-1_0", .whole),
        Reading("0xA0 is not white space", "§5.6.3", "bytes=\u{A0}0-5", .whole),
        Reading("0x85 is not white space", "§5.6.3", "bytes=0-5\u{85}", .whole),
        Reading("0xB2 is no digit", "§14.1.2", "bytes=0-\u{B2}", .whole),
        Reading("a quoted range", "§14.1.2", "bytes=\"0-5\"", .whole),
        Reading("the unit twice", "§14.1.2", "bytes=0-5,bytes=6-9", .whole),
    ]

    static let several: [Reading] = [
        Reading("overlapping", "§14.2", "bytes=0-5,3-9", .whole),
        Reading("the same twice", "§14.2", "bytes=3-4,3-4", .whole),
        Reading("one of two exists", "§14.1.2", "bytes=20000-,0-4", .whole),
        Reading("none of two exists", "§14.1.2", "bytes=20000-,-0", .whole),
        Reading("ten thousand", "§17.15", "bytes=" + String(repeating: "0-,", count: 10_000), .whole),
    ]

    @Test("A Range field requests bytes of 10,000", arguments: single + overflowing + ignored + several)
    func reads(_ row: Reading) {
        #expect(Self.read(row.input, of: 10_000) == row.expected)
    }

    @Test(
        "An empty representation has no range",
        arguments: [
            Reading("from the start", "§14.1.2", "bytes=0-", .unsatisfiable),
            Reading("the first byte", "§14.1.2", "bytes=0-0", .unsatisfiable),
            Reading("a suffix cannot be expressed", "§14.1.2", "bytes=-5", .whole),
            Reading("a suffix of nothing", "§14.1.2", "bytes=-0", .unsatisfiable),
            Reading("a suffix beside another", "§14.1.2", "bytes=0-,-5", .whole),
        ])
    func readsOfNothing(_ row: Reading) {
        #expect(Self.read(row.input, of: 0) == row.expected)
    }

    @Test("The longest representation there can be does not overflow")
    func readsOfEverything() {
        #expect(Self.read("bytes=0-\(Self.vast)", of: .max) == .part(0..<Int.max))
        #expect(Self.read("bytes=-\(Self.vast)", of: .max) == .part(0..<Int.max))
        #expect(Self.read("bytes=\(Self.maximum)-", of: .max) == .unsatisfiable)
    }

    @Test("No field and two fields select the whole")
    func needsOneLine() {
        #expect(withLines([]) { ByteRanges($0, of: 100) } == .whole)
        #expect(withLines(["bytes=0-4", "bytes=5-9"]) { ByteRanges($0, of: 100) } == .whole)
    }

    @Test("Content-Range has the bytes and the total, or no bytes")
    func writesContentRange() {
        #expect(ByteRanges.part(0..<500).contentRange(of: 1234).map { text($0) } == "bytes 0-499/1234")
        #expect(ByteRanges.part(9..<10).contentRange(of: 10).map { text($0) } == "bytes 9-9/10")
        #expect(
            ByteRanges.part(0..<Int.max).contentRange(of: .max).map { text($0) }
                == "bytes 0-9223372036854775806/9223372036854775807")
        #expect(ByteRanges.unsatisfiable.contentRange(of: 47_022).map { text($0) } == "bytes */47022")
        #expect(ByteRanges.unsatisfiable.contentRange(of: 0).map { text($0) } == "bytes */0")
        #expect(ByteRanges.whole.contentRange(of: 10) == nil)
    }
}
