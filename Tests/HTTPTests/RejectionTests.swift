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
