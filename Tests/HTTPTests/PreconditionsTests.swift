import MotivatorHTTP
import Testing

@Suite("Preconditions")
struct PreconditionsTests {
    /// The conditional fields of a request. Each entry is a field line.
    struct Fields: Sendable {
        var match: [String] = []
        var noneMatch: [String] = []
        var modified: [String] = []
        var unmodified: [String] = []
        var range: [String] = []

        var lines: [String] {
            match.map { "If-Match: \($0)" } + noneMatch.map { "If-None-Match: \($0)" }
                + modified.map { "If-Modified-Since: \($0)" } + unmodified.map { "If-Unmodified-Since: \($0)" }
                + range.map { "If-Range: \($0)" }
        }
    }

    typealias Judging = Row<Fields, Validators.Verdict>
    typealias Allowing = Row<[String], Bool>

    /// The representation changed at 1994-11-06T08:49:37Z and has the entity tag `"now"`.
    static let time: Int64 = 784_111_777
    static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

    static let current = Validators(entityTag: "now", lastModified: time)

    private func allowsRange(_ values: [String], now: Int64 = Self.time + 1000) throws -> Bool {
        let head = try #require(requestHead(Fields(range: values).lines))
        return head.withFields { Self.current.allowRange($0, now: now) }
    }

    static let matches: [Judging] = [
        Judging("no condition", "§13.2.2", Fields(), .proceed),
        Judging("the tag", "§13.1.1", Fields(match: ["\"now\""]), .proceed),
        Judging("any", "§13.1.1", Fields(match: ["*"]), .proceed),
        Judging("one of several lines", "§5.3", Fields(match: ["\"a\"", "\"now\""]), .proceed),
        Judging("another tag", "§13.1.1", Fields(match: ["\"old\""]), .failed),
        Judging("strong comparison", "§13.1.1", Fields(match: ["W/\"now\""]), .failed),
        Judging("an empty list", "§13.1.1", Fields(match: [""]), .failed),
        Judging("a malformed list", "§13.1.1", Fields(match: ["\"now\", x"]), .failed),
    ]

    static let noneMatches: [Judging] = [
        Judging("the tag", "§13.1.2", Fields(noneMatch: ["\"now\""]), .notModified),
        Judging("weak comparison", "§13.1.2", Fields(noneMatch: ["W/\"now\""]), .notModified),
        Judging("any", "§13.1.2", Fields(noneMatch: ["*"]), .notModified),
        Judging("a second line", "§5.3", Fields(noneMatch: ["\"a\"", "\"now\""]), .notModified),
        Judging("another tag", "§13.1.2", Fields(noneMatch: ["\"old\""]), .proceed),
        Judging("an empty list", "§13.1.2", Fields(noneMatch: [""]), .proceed),
        Judging("a malformed list", "§13.1.2", Fields(noneMatch: ["\"now\", x"]), .proceed),
        Judging("any beside a tag", "§13.1.2", Fields(noneMatch: ["*, \"a\""]), .proceed),
    ]

    static let dates: [Judging] = [
        Judging("modified since before", "§13.1.3", Fields(modified: [before]), .proceed),
        Judging("not modified since then", "§13.1.3", Fields(modified: [same]), .notModified),
        Judging("not modified since after", "§13.1.3", Fields(modified: [after]), .notModified),
        Judging(
            "the RFC 850 form", "§5.6.7", Fields(modified: ["Sunday, 06-Nov-94 08:49:37 GMT"]),
            .notModified),
        Judging("no date", "§13.1.3", Fields(modified: ["yesterday"]), .proceed),
        Judging("an empty value", "§13.1.3", Fields(modified: [""]), .proceed),
        Judging("two dates", "§13.1.3", Fields(modified: [same, same]), .proceed),
        Judging("two in a line", "§13.1.3", Fields(modified: ["\(same), \(same)"]), .proceed),
        Judging("modified after", "§13.1.4", Fields(unmodified: [before]), .failed),
        Judging("unmodified since then", "§13.1.4", Fields(unmodified: [same]), .proceed),
        Judging("unmodified since after", "§13.1.4", Fields(unmodified: [after]), .proceed),
        Judging("no date", "§13.1.4", Fields(unmodified: ["0"]), .proceed),
        Judging("two dates", "§13.1.4", Fields(unmodified: [before, before]), .proceed),
    ]

    static let orders: [Judging] = [
        Judging(
            "If-Match hides If-Unmodified-Since", "§13.2.2 step 2",
            Fields(match: ["\"now\""], unmodified: [before]), .proceed),
        Judging(
            "If-Match fails although If-Unmodified-Since holds", "§13.2.2 step 1",
            Fields(match: ["\"old\""], unmodified: [after]), .failed),
        Judging(
            "If-None-Match hides If-Modified-Since that says unmodified", "§13.2.2 step 4",
            Fields(noneMatch: ["\"old\""], modified: [after]), .proceed),
        Judging(
            "If-None-Match hides If-Modified-Since that says modified", "§13.2.2 step 3",
            Fields(noneMatch: ["\"now\""], modified: [before]), .notModified),
        Judging(
            "a malformed If-None-Match hides If-Modified-Since too", "§13.1.3",
            Fields(noneMatch: ["now"], modified: [after]), .proceed),
        Judging(
            "an empty If-None-Match hides If-Modified-Since too", "§13.1.3",
            Fields(noneMatch: [""], modified: [after]), .proceed),
        Judging(
            "412 comes before 304", "§13.2.2 step 1",
            Fields(match: ["\"old\""], noneMatch: ["\"now\""]), .failed),
        Judging(
            "If-Match holds and If-None-Match is judged", "§13.2.2 step 3",
            Fields(match: ["*"], noneMatch: ["\"now\""]), .notModified),
        Judging(
            "If-Unmodified-Since fails before If-None-Match", "§13.2.2 step 2",
            Fields(noneMatch: ["\"now\""], unmodified: [before]), .failed),
        Judging(
            "If-Unmodified-Since holds and If-Modified-Since is judged", "§13.2.2 step 4",
            Fields(modified: [same], unmodified: [same]), .notModified),
        Judging(
            "If-Range decides nothing here", "§13.2.2 step 5",
            Fields(range: ["\"old\""]), .proceed),
    ]

    @Test("Conditions are evaluated in the order of the RFC", arguments: matches + noneMatches + dates + orders)
    func judges(_ row: Judging) throws {
        let head = try #require(requestHead(row.input.lines))
        #expect(head.withFields { Self.current.evaluate($0, now: Self.time + 1000) } == row.expected)
    }

    @Test(
        "A range counts if If-Range names the representation exactly",
        arguments: [
            Allowing("no If-Range", "§13.1.5", [], true),
            Allowing("the tag", "§13.1.5", ["\"now\""], true),
            Allowing("another tag", "§13.1.5", ["\"old\""], false),
            Allowing("a weak tag", "§13.1.5", ["W/\"now\""], false),
            Allowing("a list of tags", "§13.1.5", ["\"now\", \"old\""], false),
            Allowing("a star", "§13.1.5", ["*"], false),
            Allowing("the date", "§13.1.5", [same], true),
            Allowing("the date in an older form", "§13.1.5", ["Sun Nov  6 08:49:37 1994"], true),
            Allowing("an earlier date", "§13.1.5", [before], false),
            Allowing("a later date", "§13.1.5", [after], false),
            Allowing("garbage", "§13.1.5", ["now"], false),
            Allowing("an empty value", "§13.1.5", [""], false),
            Allowing("two lines, even equal", "§13.1.5", ["\"now\"", "\"now\""], false),
        ])
    func allowsRanges(_ row: Allowing) throws {
        #expect(try allowsRange(row.input) == row.expected)
    }

    @Test("A date allows a range only once its second is over")
    func waitsForTheSecond() throws {
        #expect(try !allowsRange([Self.same], now: Self.time))
        #expect(try allowsRange([Self.same], now: Self.time + 1))
    }
}
