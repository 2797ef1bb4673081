import MotivatorHTTP
import Testing

@Suite("Response parser: every rule, for any split of the bytes")
struct ResponseParserTests {
    @Test("Status lines", arguments: ResponseHeadCases.statusLines)
    func statusLines(_ table: ResponseCase) { check(table) }

    @Test("Bytes other than HTTP/1", arguments: ResponseHeadCases.foreign)
    func foreign(_ table: ResponseCase) { check(table) }

    @Test("Field lines", arguments: ResponseHeadCases.fields)
    func fields(_ table: ResponseCase) { check(table) }

    @Test("Interim responses", arguments: ResponseHeadCases.interim)
    func interim(_ table: ResponseCase) { check(table) }

    @Test("Content-Length", arguments: ResponseContentCases.lengths)
    func lengths(_ table: ResponseCase) { check(table) }

    @Test("No content", arguments: ResponseContentCases.none)
    func none(_ table: ResponseCase) { check(table) }

    @Test("Content until the end of the connection", arguments: ResponseContentCases.untilClose)
    func untilClose(_ table: ResponseCase) { check(table) }

    @Test("Chunks", arguments: ResponseContentCases.chunked)
    func chunked(_ table: ResponseCase) { check(table) }

    @Test("Limits", arguments: ResponseHeadCases.limits + ResponseContentCases.limits)
    func limits(_ table: ResponseCase) { check(table) }

    @Test("A fault's sentence shows foreign bytes without letting them command a terminal")
    func sentence() {
        let fault = ResponseError.notHTTP(start: latin1("a\"\u{1B}[31m\u{E9}"))
        #expect(fault.sentence == #"starts with "a\x22\x1B[31m\xE9" instead of HTTP/1.1"#)
        #expect(ResponseError.notHTTP(start: []).sentence.hasPrefix("starts with an empty line "))
    }
}
