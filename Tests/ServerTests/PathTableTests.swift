import MotivatorHTTP
import Testing

@testable import MotivatorServer

@Suite("Tables by path") struct PathTableTests {
    @Test("A table that grew finds every value, and nothing else")
    func growth() {
        var table = PathTable<Int>()
        for number in 0..<1_000 { table[Self.key(number)] = number }
        #expect(table.count == 1_000)
        for number in 0..<1_000 { #expect(table[Self.key(number)] == number) }
        for number in 1_000..<2_000 { #expect(table[Self.key(number)] == nil) }
    }

    @Test("A value is replaced and removed, and counted once")
    func replacement() {
        var table = PathTable<String>()
        table[Self.key(1)] = "one"
        table[Self.key(1)] = "uno"
        #expect(table.count == 1)
        #expect(table[Self.key(1)] == "uno")
        table[Self.key(1)] = nil
        #expect(table.count == 0)
        #expect(table[Self.key(1)] == nil)
    }

    @Test("Keys differ by every byte, also by their length")
    func keys() {
        var table = PathTable<Int>()
        let keys: [[UInt8]] = [[], [0], [0, 0], [0x2F], [0x2F, 0x41], [0x2F, 0x61], [0x2F, 0x61, 0], [0xFF]]
        for (number, key) in keys.enumerated() { table[key] = number }
        for (number, key) in keys.enumerated() { #expect(table[key] == number) }
        #expect(table.count == keys.count)
    }

    private static func key(_ number: Int) -> [UInt8] { Array("/path/\(number)".utf8) }
}

@Suite("Percent-encoding") struct PercentCodingTests {
    static let right: [(String, String)] = [
        ("", ""), ("plain", "plain"), ("%41", "A"), ("a%2Fb", "a/b"), ("%2f%2F", "//"), ("%2541", "%41"), ("+", "+"),
    ]

    @Test("Escapes are decoded once", arguments: right)
    func decoded(_ encoded: String, _ text: String) {
        #expect(Self.decode(encoded) == Array(text.utf8))
    }

    @Test("A broken escape is refused", arguments: ["%", "%4", "a%", "a%4", "%zz", "%4g", "%G4", "%%41", "% 1"])
    func refused(_ encoded: String) {
        #expect(Self.decode(encoded) == nil)
    }

    @Test("Every byte has an escape")
    func everyByte() {
        let digits = Array("0123456789ABCDEF")
        for byte in UInt8.min...UInt8.max {
            #expect(Self.decode("%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])") == [byte])
        }
    }

    @Test("Every byte except the unreserved ones is encoded with two digits (RFC 3986 §2.3)")
    func encoded() {
        #expect(PercentCoding.encode("Az09-._~") == "Az09-._~")
        #expect(PercentCoding.encode("a b+c&d=e%f;g/h?i#j\u{E9}") == "a%20b%2Bc%26d%3De%25f%3Bg%2Fh%3Fi%23j%C3%A9")
        for value in UInt8.min...0x7F {
            let text = String(UnicodeScalar(value))
            #expect(Self.decode(PercentCoding.encode(text)) == [value])
        }
    }

    @Test("The items of a form are separated by &, and their names end at the first =")
    func items() {
        func items(_ text: String, plusIsSpace: Bool = true) -> [String] {
            PercentCoding.items(Array(text.utf8), plusIsSpace: plusIsSpace).map { "\($0.name)|\($0.value)" }
        }
        #expect(items("a=1&b=2&a=3") == ["a|1", "b|2", "a|3"])
        #expect(items("&a=b=c&&d&=e&") == ["a|b=c", "d|", "|e"])
        #expect(items("a+b=c+d%2B%20") == ["a b|c d+ "])
        #expect(items("a+b=c+d%2B", plusIsSpace: false) == ["a+b|c+d+"])
        #expect(items("a%3Db=%26%C3%A9") == ["a=b|&é"])
        #expect(items("a=%zz+1") == ["a|%zz 1"], "a malformed escape must not change")
        #expect(items("").isEmpty)
    }

    private static func decode(_ text: String) -> [UInt8]? {
        Array(text.utf8).withFieldBytes { PercentCoding.decode($0) }
    }
}
