import MotivatorHTTP
import TestSupport
import Testing

@Suite("Hostile field values")
struct HostileFieldTests {
    /// Fragments of the grammars, so that random values get past the first byte.
    static let pieces: [[UInt8]] =
        [
            "\"", "\\", ",", ";", "=", "-", "*", "/", " ", "\t", "q", "Q=", "q=0.", "W/", "gzip", "identity", "bytes=",
            "0", "9", "99999999999999999999", "text/html", "\"now\"", "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 ", "Sun Nov  6 ", "08:49:37", "1994", "\u{85}", "\u{A0}", "\u{0}", "\u{7F}", "\u{FF}",
        ].map(latin1)

    @Test("No value crashes a parser, and every result is within its limits")
    func survives() {
        var generator = SeededGenerator(seed: 9110)
        let current = Validators(entityTag: "now", lastModified: 784_111_777)
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...12, using: &generator) {
                bytes += Self.pieces.randomElement(using: &generator) ?? []
            }
            // The value ends at the end of its memory, so that a read past the value traps.
            bytes.withFieldBytes { value in
                let lines = [value]
                let members = ListMembers(value).reduce(0) { $0 + $1.count }
                #expect(members <= value.count)
                _ = HTTPDate.parse(value, now: 0)
                _ = ContentCoding(lines, isGzipAvailable: true)
                _ = lines.haveMediaType("text/html")
                if case .part(let part) = ByteRanges(lines, of: 10) {
                    #expect(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= 10)
                }
            }
            // The parser rejects a value with a control character.
            let value = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
            let head = requestHead(["If-Match", "If-None-Match", "If-Range"].map { "\($0): \(value)" })
            head?.withFields { fields in
                _ = current.evaluate(fields, now: 784_112_000)
                _ = current.allowRange(fields, now: 784_112_000)
            }
        }
    }
}
