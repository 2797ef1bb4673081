import AssociationDiagnostics
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

    static let undecodable: [(coding: String, content: [UInt8])] = [
        ("gzip", Array(gzip.dropLast(6))), ("gzip", Array(credentials(demoApp).utf8)), ("deflate", gzip),
        ("br", Array(credentials(demoApp).utf8)), ("zstd", [0x28, 0xB5, 0x2F, 0xFD]),
    ]

    @Test(
        "Content that does not have its coding, or has an unknown one, is one issue (RFC 9110, 8.4)",
        arguments: undecodable)
    func undecoded(_ coding: String, _ content: [UInt8]) throws {
        let fields: [(name: String, value: String)] = SiteBuilder.json + [("Content-Encoding", coding)]
        let fetch = FileFetch(
            path: .wellKnown, steps: [try SiteBuilder.step(SiteBuilder.wellKnown, fields, content)])
        let report = Checker(CheckRequest(), at: 0).check(fetches: [fetch], site: "example.com", host: "example.com")
        #expect(report.issues.map(\.code) == ["file-neither-json-nor-cms"])
        #expect(report.issues.first?.message.contains("Content-Encoding: \"\(coding)\"") == true)
        #expect(report.verdict(.device) == .denied && report.isUnproven(.device))
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
