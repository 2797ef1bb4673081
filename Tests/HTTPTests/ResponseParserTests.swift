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

    static let sentences: [(ResponseError, String)] = [
        (.statusLineTooLong(limit: 80), "has a status line longer than 80 bytes"),
        (.tooManyInterimResponses(limit: 16), "follows more than 16 interim responses"),
        (.conflictingContentLengths(5, 6), "has two different Content-Length values, 5 and 6 (RFC 9112 section 6.3)"),
        (.cutShortInHead(got: 23), "ends after 23 bytes of its head"),
        (.cutShort(got: 4, of: 5), "ends after 4 of 5 bytes"),
        (.cutShort(got: 4, of: nil), "ends after 4 bytes without close_notify or a last chunk"),
        (.contentTooLarge(limit: 4), "has more than 4 bytes of content"),
        (.shared(.fieldsTooLarge), "has more than 65536 bytes of field lines"),
        (.shared(.tooManyFieldLines), "has more than 200 field lines"),
        (.shared(.chunkExtensionsTooLarge), "has more than 4096 bytes of chunk extensions"),
        (.shared(.malformedFieldLine), "has a field line without a colon (RFC 9112 section 5)"),
    ]

    @Test("A fault's sentence has its values", arguments: sentences)
    func values(_ fault: ResponseError, _ sentence: String) {
        #expect(fault.sentence == sentence)
    }

    @Test("Each fault that requests can have too has its own sentence")
    func sharedSentences() {
        let faults: [Rejection] = [
            .bareLineFeed, .malformedFieldLine, .malformedFieldName, .malformedFieldValue, .foldedFieldLine,
            .fieldsTooLarge, .tooManyFieldLines, .malformedContentLength, .ambiguousFraming,
            .transferEncodingInOldVersion, .malformedTransferEncoding, .unknownTransferCoding, .malformedChunkSize,
            .malformedChunkExtension, .chunkExtensionsTooLarge, .malformedChunkEnd,
        ]
        let sentences = Set(faults.map { ResponseError.shared($0).sentence })
        #expect(sentences.count == faults.count)
    }
}
