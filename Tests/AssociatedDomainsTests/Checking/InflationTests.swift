import Testing

@testable import AssociationChecker
@testable import HTTPSClient

@Suite("Content codings without a request for them") struct InflationTests {
    /// A file that shares credentials, compressed with gzip -9.
    static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 42, 79, 77, 74, 46, 74, 77, 73, 205, 43, 201, 76, 204, 41,
        86, 178, 170, 86, 74, 44, 40, 0, 210, 209, 74, 46, 198, 222, 129, 17, 102, 70, 222, 134, 142, 122,
        201, 249, 185, 122, 169, 21, 137, 185, 5, 57, 169, 122, 46, 169, 185, 249, 142, 5, 5, 74, 177, 181,
        181, 0, 88, 111, 69, 166, 62, 0, 0, 0,
    ]

    /// 300,000 spaces, compressed with zlib.
    static let spaces: [UInt8] =
        [120, 218, 237, 193, 1, 13, 0, 0, 0, 194, 160, 42, 239, 159, 210, 30, 14, 40]
        + [UInt8](repeating: 0, count: 290) + [248, 49, 97, 124, 132, 143]

    @Test("The first issue of gzip without Content-Encoding names the field", arguments: [true, false])
    func undeclared(isFetched: Bool) throws {
        let checker = Checker(CheckRequest(), at: 1_700_000_000)
        let steps = [try SiteBuilder.step(SiteBuilder.wellKnown, [("Content-Type", "application/gzip")], Self.gzip)]
        let report =
            isFetched
            ? checker.check(
                fetches: [FileFetch(path: .wellKnown, steps: steps)], site: "example.com", host: "example.com")
            : checker.check(file: Self.gzip, name: "site.json")
        let issue = try #require(report.issues.first)
        #expect(issue.message.contains("is compressed with gzip"))
        #expect(issue.fix.contains("uncompressed file, or send Content-Encoding: gzip"))
    }

    @Test("gzip is undone, in any case of its names", arguments: ["gzip", "GZIP", "x-gzip"])
    func undone(coding: String) {
        let content = Inflation.undo(Self.gzip, coding: coding, limit: 1_000)
        #expect(content == Array(credentials(demoApp).utf8))
    }

    @Test("Decompression stops at the limit")
    func limit() {
        #expect(Inflation.undo(Self.spaces, coding: "deflate", limit: 131_073)?.count == 131_073)
        #expect(Inflation.undo(Self.spaces, coding: "deflate", limit: 300_000)?.count == 300_000)
    }

    @Test("Content that is truncated or in another coding is returned unchanged")
    func refused() {
        #expect(Inflation.undo(Array("{}".utf8), coding: "gzip", limit: 1_000) == nil)
        #expect(Inflation.undo(Self.gzip.dropLast(9), coding: "gzip", limit: 1_000) == nil)
        #expect(Inflation.undo([], coding: "gzip", limit: 1_000) == nil)
        #expect(Inflation.undo(Self.gzip, coding: "br", limit: 1_000) == nil)
    }
}
