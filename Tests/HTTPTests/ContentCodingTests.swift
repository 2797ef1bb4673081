import MotivatorHTTP
import Testing

@Suite("Accepted codings")
struct ContentCodingTests {
    /// The choices with and without an available gzip representation.
    struct Choices: Sendable, Equatable {
        let gzip: ContentCoding
        let plain: ContentCoding

        init(_ gzip: ContentCoding, _ plain: ContentCoding) {
            self.gzip = gzip
            self.plain = plain
        }
    }

    typealias Choosing = Row<[String], Choices>

    static let weights: [Choosing] = [
        Choosing("no field", "§12.5.3", [], Choices(.identity, .identity)),
        Choosing("an empty field", "§12.5.3", [""], Choices(.identity, .identity)),
        Choosing("only commas", "§5.6.1.2", [" ,, "], Choices(.identity, .identity)),
        Choosing("gzip", "§12.5.3", ["gzip"], Choices(.gzip, .identity)),
        Choosing("in capitals", "§8.4.1", ["GZIP"], Choices(.gzip, .identity)),
        Choosing("its old name", "§8.4.1.3", ["X-Gzip"], Choices(.gzip, .identity)),
        Choosing("among others, as browsers send", "§12.5.3", ["gzip, deflate, br, zstd"], Choices(.gzip, .identity)),
        Choosing("on a second line", "§5.3", ["br", "gzip"], Choices(.gzip, .identity)),
        Choosing("only others", "§12.5.3", ["br, deflate"], Choices(.identity, .identity)),
        Choosing("a name that contains it", "§12.5.3", ["gzipped, xgzip"], Choices(.identity, .identity)),
        Choosing("gzip refused", "§12.4.2", ["gzip;q=0"], Choices(.identity, .identity)),
        Choosing("gzip refused with decimals", "§12.4.2", ["gzip;q=0.000"], Choices(.identity, .identity)),
        Choosing("the smallest weight", "§12.4.2", ["gzip;q=0.001"], Choices(.gzip, .identity)),
        Choosing("white space around the weight", "§12.4.2", ["gzip \t;\t q=1.000"], Choices(.gzip, .identity)),
        Choosing("a capital Q", "§12.4.2", ["gzip;Q=0"], Choices(.identity, .identity)),
        Choosing("a point without decimals", "§12.4.2", ["gzip;q=0."], Choices(.identity, .identity)),
        Choosing("identity preferred", "§12.5.3", ["gzip;q=0.5, identity"], Choices(.identity, .identity)),
        Choosing("by a thousandth", "§12.4.2", ["gzip;q=0.998,identity;q=0.999"], Choices(.identity, .identity)),
        Choosing("places count", "§12.4.2", ["gzip;q=0.1,identity;q=0.09"], Choices(.gzip, .identity)),
        Choosing("equal weights", "§12.5.3", ["identity;q=0.5, gzip;q=0.5"], Choices(.gzip, .identity)),
        Choosing("named twice", "§12.5.3", ["gzip;q=0, x-gzip"], Choices(.gzip, .identity)),
    ]

    static let wildcards: [Choosing] = [
        Choosing("anything", "§12.5.3", ["*"], Choices(.gzip, .identity)),
        Choosing("anything but gzip", "§12.5.3", ["*, gzip;q=0"], Choices(.identity, .identity)),
        Choosing("anything rather than gzip", "§12.5.3", ["*;q=0.5, gzip;q=0.3"], Choices(.identity, .identity)),
        Choosing("identity least", "§12.5.3", ["identity;q=0.5, *;q=0.7"], Choices(.gzip, .identity)),
        Choosing("nothing", "§12.5.3", ["*;q=0"], Choices(.none, .none)),
        Choosing("nothing but gzip", "§12.5.3", ["gzip, *;q=0"], Choices(.gzip, .none)),
        Choosing("nothing but identity", "§12.5.3", ["*;q=0, identity;q=0.1"], Choices(.identity, .identity)),
        Choosing("anything but identity", "§12.5.3", ["*, identity;q=0"], Choices(.gzip, .none)),
        Choosing("gzip but not identity", "§12.5.3", ["gzip, identity;q=0"], Choices(.gzip, .none)),
        Choosing("neither", "§12.5.3", ["gzip;q=0, identity;q=0"], Choices(.none, .none)),
        Choosing("not identity, and gzip unheard of", "§12.5.3", ["identity;q=0"], Choices(.none, .none)),
        Choosing("no identity on a second line", "§5.3", ["gzip", "identity;q=0.0"], Choices(.gzip, .none)),
    ]

    @Test("The coding with the higher weight is chosen", arguments: weights + wildcards)
    func chooses(_ row: Choosing) {
        let choices = withLines(row.input) { lines in
            Choices(ContentCoding(lines, isGzipAvailable: true), ContentCoding(lines, isGzipAvailable: false))
        }
        #expect(choices == row.expected)
    }

    @Test(
        "A malformed member is ignored and the others count",
        arguments: [
            "gzip;", "gzip;q", "gzip;q=", "gzip;q=2", "gzip;q=1.001", "gzip;q=1.0000", "gzip;q=0.1234", "gzip;q=.5",
            "gzip;q=-1", "gzip;q=+1", "gzip;q=01", "gzip;q=1e0", "gzip;q=\"1\"", "gzip;q =1",
            "gzip;q= 1",
            "gzip;q=1;q=1", "gzip;level=9", "gzip;q=1;level=9", "gzip;;q=1", ";q=1", "gzip q=1", "gzip/1", "\"gzip\"",
            "gzip\u{A0}", "\u{85}gzip", "gzip\u{B}", "gzip;q=1\u{B9}", "gzip;q=" + String(repeating: "9", count: 5000),
            "gzip;q=0." + String(repeating: "1", count: 5000), "*gzip", "gzip\\",
        ])
    func ignoresMalformedMembers(_ member: String) {
        #expect(withLines([member]) { ContentCoding($0, isGzipAvailable: true) } == .identity)
        #expect(withLines(["identity;q=0", member]) { ContentCoding($0, isGzipAvailable: true) } == .none)
        #expect(withLines([member, "gzip"]) { ContentCoding($0, isGzipAvailable: true) } == .gzip)
    }

    @Test("Ten thousand codings are read to the last")
    func readsLongLists() {
        let others = String(repeating: "br;q=0.5,", count: 10_000)
        #expect(withLines([others + "gzip"]) { ContentCoding($0, isGzipAvailable: true) } == .gzip)
    }
}
