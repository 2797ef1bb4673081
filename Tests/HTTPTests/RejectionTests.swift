import HTTPTypes
import MotivatorHTTP
import Testing

@Suite("Rejections")
struct RejectionTests {
    static let statuses: [Rejection: Int] = [
        .methodTooLong: 501, .unknownTransferCoding: 501, .requestLineTooLong: 414, .unsupportedVersion: 505,
        .fieldsTooLarge: 431, .tooManyFieldLines: 431, .unknownExpectation: 417, .contentTooLarge: 413,
        .headTooSlow: 408,
        .contentTooSlow: 408,
        .tooMuchUnhandledContent: 503,
    ]

    @Test("Each rejection has its status, 400 where no other fits", arguments: Rejection.allCases)
    func status(_ rejection: Rejection) {
        #expect(rejection.status == Self.statuses[rejection] ?? 400)
    }

    @Test("Each rejection has its own sentence with what to do", arguments: Rejection.allCases)
    func sentence(_ rejection: Rejection) {
        let sentence = String(describing: rejection.sentence)
        #expect(sentence.hasSuffix(".") && sentence.count > 20)
        #expect(Rejection.allCases.filter { String(describing: $0.sentence) == sentence } == [rejection])
    }

    static let phrases: [(Int, String)] = [
        (200, "OK"), (201, "Created"), (204, "No Content"), (206, "Partial Content"), (303, "See Other"),
        (304, "Not Modified"), (307, "Temporary Redirect"), (308, "Permanent Redirect"), (400, "Bad Request"),
        (401, "Unauthorized"), (403, "Forbidden"), (404, "Not Found"), (405, "Method Not Allowed"),
        (406, "Not Acceptable"), (408, "Request Timeout"), (409, "Conflict"), (412, "Precondition Failed"),
        (413, "Content Too Large"),
        (414, "URI Too Long"), (415, "Unsupported Media Type"), (416, "Range Not Satisfiable"),
        (417, "Expectation Failed"), (421, "Misdirected Request"), (422, "Unprocessable Content"),
        (429, "Too Many Requests"), (431, "Request Header Fields Too Large"), (500, "Internal Server Error"),
        (501, "Not Implemented"), (503, "Service Unavailable"), (505, "HTTP Version Not Supported"),
    ]

    @Test("Each status that the server uses has its registered reason phrase (RFC 9110 §15)", arguments: phrases)
    func phrase(_ code: Int, _ phrase: String) {
        let status = HTTPResponse.Status.registered(code)
        #expect(status.code == code && status.reasonPhrase == phrase)
    }

    @Test("Every limit has the value that is written down")
    func limits() {
        let limits = Limits()
        #expect(limits.startLine == 8 << 10)
        #expect(limits.method == 32)
        #expect(limits.fieldBytes == 16 << 10)
        #expect(limits.fieldLines == 100)
        #expect(limits.content == 1 << 20)
        #expect(limits.chunkExtensions == 4 << 10)
        #expect(limits.chunkSizeDigits == 16)
        #expect(limits.requestsPerConnection == 10_000)
        #expect(limits.discardedContent == 256 << 10)
        #expect(limits.lingering == 64 << 10)
    }
}
