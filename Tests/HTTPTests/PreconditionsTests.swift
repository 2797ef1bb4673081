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
    }

    /// The verdicts for GET and HEAD, and for all other methods.
    struct Verdicts: Sendable, Equatable {
        let retrieval: Preconditions.Verdict
        let other: Preconditions.Verdict

        init(_ retrieval: Preconditions.Verdict, _ other: Preconditions.Verdict) {
            self.retrieval = retrieval
            self.other = other
        }
    }

    typealias Judging = Row<Fields, Verdicts>
    typealias Allowing = Row<[String], Bool>

    /// The representation changed at 1994-11-06T08:49:37Z and has the entity tag `"now"`.
    static let time: Int64 = 784_111_777
    static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let after = "Sun, 06 Nov 1994 08:49:38 GMT"

    static func current(_ tag: String = "\"now\"") -> Validators {
        Validators(entityTag: withField(tag) { EntityTag($0) }, lastModified: time)
    }

    static func with<Result>(_ fields: Fields, _ body: (Preconditions) -> Result) -> Result {
        withLines(fields.match) { match in
            withLines(fields.noneMatch) { noneMatch in
                withLines(fields.modified) { modified in
                    withLines(fields.unmodified) { unmodified in
                        withLines(fields.range) { range in
                            var conditions = Preconditions()
                            conditions.ifMatch = match
                            conditions.ifNoneMatch = noneMatch
                            conditions.ifModifiedSince = modified
                            conditions.ifUnmodifiedSince = unmodified
                            conditions.ifRange = range
                            return body(conditions)
                        }
                    }
                }
            }
        }
    }

    static func check(_ fields: Fields, _ current: Validators?) -> Verdicts {
        with(fields) { conditions in
            Verdicts(
                conditions.evaluate(isRetrieval: true, current: current, now: time + 1000),
                conditions.evaluate(isRetrieval: false, current: current, now: time + 1000))
        }
    }

    static let matches: [Judging] = [
        Judging("no condition", "§13.2.2", Fields(), Verdicts(.proceed, .proceed)),
        Judging("the tag", "§13.1.1", Fields(match: ["\"now\""]), Verdicts(.proceed, .proceed)),
        Judging("any", "§13.1.1", Fields(match: ["*"]), Verdicts(.proceed, .proceed)),
        Judging("one of several lines", "§5.3", Fields(match: ["\"a\"", "\"now\""]), Verdicts(.proceed, .proceed)),
        Judging("another tag", "§13.1.1", Fields(match: ["\"old\""]), Verdicts(.failed, .failed)),
        Judging("strong comparison", "§13.1.1", Fields(match: ["W/\"now\""]), Verdicts(.failed, .failed)),
        Judging("an empty list", "§13.1.1", Fields(match: [""]), Verdicts(.failed, .failed)),
        Judging("a malformed list", "§13.1.1", Fields(match: ["\"now\", x"]), Verdicts(.failed, .failed)),
    ]

    static let noneMatches: [Judging] = [
        Judging("the tag", "§13.1.2", Fields(noneMatch: ["\"now\""]), Verdicts(.notModified, .failed)),
        Judging("weak comparison", "§13.1.2", Fields(noneMatch: ["W/\"now\""]), Verdicts(.notModified, .failed)),
        Judging("any", "§13.1.2", Fields(noneMatch: ["*"]), Verdicts(.notModified, .failed)),
        Judging("a second line", "§5.3", Fields(noneMatch: ["\"a\"", "\"now\""]), Verdicts(.notModified, .failed)),
        Judging("another tag", "§13.1.2", Fields(noneMatch: ["\"old\""]), Verdicts(.proceed, .proceed)),
        Judging("an empty list", "§13.1.2", Fields(noneMatch: [""]), Verdicts(.proceed, .proceed)),
        Judging("a malformed list", "§13.1.2", Fields(noneMatch: ["\"now\", x"]), Verdicts(.proceed, .failed)),
        Judging("any beside a tag", "§13.1.2", Fields(noneMatch: ["*, \"a\""]), Verdicts(.proceed, .failed)),
    ]

    static let dates: [Judging] = [
        Judging("modified since before", "§13.1.3", Fields(modified: [before]), Verdicts(.proceed, .proceed)),
        Judging("not modified since then", "§13.1.3", Fields(modified: [same]), Verdicts(.notModified, .proceed)),
        Judging("not modified since after", "§13.1.3", Fields(modified: [after]), Verdicts(.notModified, .proceed)),
        Judging(
            "the RFC 850 form", "§5.6.7", Fields(modified: ["Sunday, 06-Nov-94 08:49:37 GMT"]),
            Verdicts(.notModified, .proceed)),
        Judging("no date", "§13.1.3", Fields(modified: ["yesterday"]), Verdicts(.proceed, .proceed)),
        Judging("an empty value", "§13.1.3", Fields(modified: [""]), Verdicts(.proceed, .proceed)),
        Judging("two dates", "§13.1.3", Fields(modified: [same, same]), Verdicts(.proceed, .proceed)),
        Judging("two in a line", "§13.1.3", Fields(modified: ["\(same), \(same)"]), Verdicts(.proceed, .proceed)),
        Judging("modified after", "§13.1.4", Fields(unmodified: [before]), Verdicts(.failed, .failed)),
        Judging("unmodified since then", "§13.1.4", Fields(unmodified: [same]), Verdicts(.proceed, .proceed)),
        Judging("unmodified since after", "§13.1.4", Fields(unmodified: [after]), Verdicts(.proceed, .proceed)),
        Judging("no date", "§13.1.4", Fields(unmodified: ["0"]), Verdicts(.proceed, .proceed)),
        Judging("two dates", "§13.1.4", Fields(unmodified: [before, before]), Verdicts(.proceed, .proceed)),
    ]

    static let orders: [Judging] = [
        Judging(
            "If-Match hides If-Unmodified-Since", "§13.2.2 step 2",
            Fields(match: ["\"now\""], unmodified: [before]), Verdicts(.proceed, .proceed)),
        Judging(
            "If-Match fails although If-Unmodified-Since holds", "§13.2.2 step 1",
            Fields(match: ["\"old\""], unmodified: [after]), Verdicts(.failed, .failed)),
        Judging(
            "If-None-Match hides If-Modified-Since that says unmodified", "§13.2.2 step 4",
            Fields(noneMatch: ["\"old\""], modified: [after]), Verdicts(.proceed, .proceed)),
        Judging(
            "If-None-Match hides If-Modified-Since that says modified", "§13.2.2 step 3",
            Fields(noneMatch: ["\"now\""], modified: [before]), Verdicts(.notModified, .failed)),
        Judging(
            "a malformed If-None-Match hides If-Modified-Since too", "§13.1.3",
            Fields(noneMatch: ["now"], modified: [after]), Verdicts(.proceed, .failed)),
        Judging(
            "an empty If-None-Match hides If-Modified-Since too", "§13.1.3",
            Fields(noneMatch: [""], modified: [after]), Verdicts(.proceed, .proceed)),
        Judging(
            "412 comes before 304", "§13.2.2 step 1",
            Fields(match: ["\"old\""], noneMatch: ["\"now\""]), Verdicts(.failed, .failed)),
        Judging(
            "If-Match holds and If-None-Match is judged", "§13.2.2 step 3",
            Fields(match: ["*"], noneMatch: ["\"now\""]), Verdicts(.notModified, .failed)),
        Judging(
            "If-Unmodified-Since fails before If-None-Match", "§13.2.2 step 2",
            Fields(noneMatch: ["\"now\""], unmodified: [before]), Verdicts(.failed, .failed)),
        Judging(
            "If-Unmodified-Since holds and If-Modified-Since is judged", "§13.2.2 step 4",
            Fields(modified: [same], unmodified: [same]), Verdicts(.notModified, .proceed)),
        Judging(
            "If-Range decides nothing here", "§13.2.2 step 5",
            Fields(range: ["\"old\""]), Verdicts(.proceed, .proceed)),
    ]

    @Test("Conditions are evaluated in the order of the RFC", arguments: matches + noneMatches + dates + orders)
    func judges(_ row: Judging) {
        #expect(Self.check(row.input, Self.current()) == row.expected)
    }

    @Test(
        "Without a representation, nothing matches",
        arguments: [
            Judging("any", "§13.1.1", Fields(match: ["*"]), Verdicts(.failed, .failed)),
            Judging("a tag", "§13.1.1", Fields(match: ["\"now\""]), Verdicts(.failed, .failed)),
            Judging("create only", "§13.1.2", Fields(noneMatch: ["*"]), Verdicts(.proceed, .proceed)),
            Judging("no date to compare", "§13.1.3", Fields(modified: [after]), Verdicts(.proceed, .proceed)),
            Judging("no date to compare", "§13.1.4", Fields(unmodified: [before]), Verdicts(.proceed, .proceed)),
        ])
    func judgesAbsence(_ row: Judging) {
        #expect(Self.check(row.input, nil) == row.expected)
    }

    @Test(
        "A representation without validators exists, and that is all",
        arguments: [
            Judging("any", "§13.1.1", Fields(match: ["*"]), Verdicts(.proceed, .proceed)),
            Judging("a tag", "§13.1.1", Fields(match: ["\"now\""]), Verdicts(.failed, .failed)),
            Judging("any", "§13.1.2", Fields(noneMatch: ["*"]), Verdicts(.notModified, .failed)),
            Judging("a tag", "§13.1.2", Fields(noneMatch: ["\"now\""]), Verdicts(.proceed, .proceed)),
            Judging("no date to compare", "§13.1.3", Fields(modified: [after]), Verdicts(.proceed, .proceed)),
            Judging("no date to compare", "§13.1.4", Fields(unmodified: [before]), Verdicts(.proceed, .proceed)),
        ])
    func judgesWithoutValidators(_ row: Judging) {
        #expect(Self.check(row.input, Validators()) == row.expected)
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
    func allowsRanges(_ row: Allowing) {
        let isAllowed = Self.with(Fields(range: row.input)) {
            $0.allowRange(current: Self.current(), now: Self.time + 1000)
        }
        #expect(isAllowed == row.expected)
    }

    @Test("A weak tag of our own never allows a range")
    func refusesOwnWeakTags() {
        for value in ["\"now\"", "W/\"now\""] {
            let isAllowed = Self.with(Fields(range: [value])) {
                $0.allowRange(current: Self.current("W/\"now\""), now: Self.time + 1000)
            }
            #expect(!isAllowed)
        }
    }

    @Test("A date allows a range only once its second is over")
    func waitsForTheSecond() {
        Self.with(Fields(range: [Self.same])) { conditions in
            #expect(!conditions.allowRange(current: Self.current(), now: Self.time))
            #expect(conditions.allowRange(current: Self.current(), now: Self.time + 1))
        }
    }

    @Test("Without a representation or without validators no If-Range holds")
    func refusesRangesOfNothing() {
        for value in ["\"now\"", Self.same] {
            Self.with(Fields(range: [value])) { conditions in
                #expect(!conditions.allowRange(current: nil, now: Self.time + 1000))
                #expect(!conditions.allowRange(current: Validators(), now: Self.time + 1000))
            }
        }
    }
}
