import MotivatorHTTP
import MotivatorPlatform

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import HTTPSClient

/// The possible behavior of a server after it receives the request.
enum AnswerCases {
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunks = ok + "Transfer-Encoding: chunked\r\n\r\n"

    static let complete: [FetchCase] = [
        FetchCase(
            "a length frames the content", "RFC 9112 6.3", answer: ok + "Content-Length: 5\r\n\r\nhello",
            status: 200, content: "hello"),
        FetchCase(
            "chunks are joined", "RFC 9112 7.1", answer: chunks + "5\r\nhello\r\n0\r\n\r\n", status: 200,
            content: "hello"),
        FetchCase(
            "close_notify frames the content", "RFC 9112 9.8", answer: ok + "\r\nhello", status: 200,
            content: "hello"),
        FetchCase(
            "an answer to HEAD has no content", "RFC 9110 9.3.2", answer: ok + "Content-Length: 5\r\n\r\n",
            status: 200, content: "", method: "HEAD"),
        FetchCase(
            "a redirect is reported and not followed", "associated-domains.md: redirects reported",
            answer: "HTTP/1.1 302 Found\r\nLocation: https://a.test/\r\nContent-Length: 0\r\n\r\n", status: 302,
            content: ""),
        FetchCase(
            "the content of a redirect is not read", "associated-domains.md: as soon as the head arrives", status: 301,
            content: ""
        ) { connection in
            connection.request()
            connection.send("HTTP/1.1 301 Moved Permanently\r\nLocation: https://a.test/\r\n\r\n")
            connection.waitForClose()
        },
        FetchCase(
            "the content of a 3xx answer without Location is read", "RFC 9110 15.4.1",
            answer: "HTTP/1.1 300 Multiple Choices\r\nContent-Length: 5\r\n\r\nhello", status: 300, content: "hello"),
        FetchCase(
            "the content of another answer with Location is read", "RFC 9110 10.2.2",
            answer: "HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 5\r\n\r\nhello", status: 201,
            content: "hello"),
        FetchCase(
            "interim answers are passed over", "RFC 8297",
            answer: "HTTP/1.1 103 \r\nLink: </a>\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nhi", status: 200,
            content: "hi"),
        FetchCase(
            "the answer is complete while the connection stays open", "RFC 9112 6.3", status: 200,
            content: "hello"
        ) { connection in
            connection.request()
            connection.send(ok + "Content-Length: 5\r\n\r\nhello")
            connection.waitForClose()
        },
        FetchCase(
            "as much content as the bound is complete", "associated-domains.md: exactly 131,072 passes",
            answer: ok + "Content-Length: 5\r\n\r\nhello", status: 200, content: "hello",
            { $0.options.maximumContent = 5 }),
        FetchCase(
            "TLS 1.2 is spoken", "http.md: TLS", answer: ok + "Content-Length: 0\r\n\r\n", status: 200, content: "",
            { $0.wishes.most = $0.wishes.least }),
    ]

    static let cut: [FetchCase] = [
        FetchCase(
            "content until the end without close_notify is cut short", "RFC 9112 9.8",
            { _ in .cutShort(got: 5, of: nil) }, status: 200, content: "hello"
        ) { connection in
            connection.request()
            connection.send(ok + "\r\nhello")
            connection.endWriting()
        },
        FetchCase(
            "content shorter than its length is cut short", "associated-domains.md: content cut short",
            { _ in .cutShort(got: 5, of: 10) }, answer: ok + "Content-Length: 10\r\n\r\nhello", status: 200,
            content: "hello"),
        FetchCase(
            "chunks without the last are cut short", "RFC 9112 8", { _ in .cutShort(got: 5, of: nil) },
            answer: chunks + "5\r\nhello\r\n", status: 200, content: "hello"),
        FetchCase("a close without an answer is told", "RFC 9112 8", { .closedBeforeHead($0) }, answer: ""),
        FetchCase("a close inside the head is told", "RFC 9112 8", { .closedBeforeHead($0) }, answer: ok + "X: y\r\n"),
        FetchCase("a close without close_notify and answer is told", "RFC 9112 9.8", { .closedBeforeHead($0) }) {
            connection in
            connection.request()
            connection.endWriting()
        },
        FetchCase("a reset instead of an answer is told", "associated-domains.md: connection reset", { .reset($0) }) {
            connection in
            connection.request()
            connection.reset()
        },
        FetchCase(
            "bytes that are no record break the session", "RFC 8446 5.1",
            { .sessionBroken($0, reason: "wrong version number") }
        ) { connection in
            connection.request()
            connection.sendRaw(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
            connection.endWriting()
        },
    ]

    static let malformed: [FetchCase] = [
        FetchCase(
            "another protocol inside TLS is told", "RFC 9112 4",
            { _ in .malformed(.notHTTP(start: Array("SSH-2.0-x".utf8))) }, answer: "SSH-2.0-x\r\n"),
        FetchCase(
            "a short greeting is told though the server then waits", "RFC 9112 4",
            { _ in .malformed(.notHTTP(start: Array("+OK".utf8))) }
        ) { connection in
            connection.request()
            connection.send("+OK")
            connection.stall()
            connection.waitForClose()
        },
        FetchCase(
            "HTTP/2 is told", "RFC 9113 3.4", { _ in .malformed(.http2) },
            answer: "\0\0\u{6}\u{4}\0\0\0\0\0\0\u{3}\0\0\0\u{64}\0\0\u{8}\u{7}\0\0\0\0\0\0\0\0\0\0\0\0\u{1}"),
        FetchCase(
            "a length that is no number is told", "RFC 9110 8.6", { _ in .malformed(.shared(.malformedContentLength)) },
            answer: ok + "Content-Length: five\r\n\r\nhello"),
        FetchCase(
            "two framings are told", "RFC 9112 6.1", { _ in .malformed(.shared(.ambiguousFraming)) },
            answer: ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello"),
        FetchCase(
            "LF alone is told", "RFC 9112 2.2", { _ in .malformed(.shared(.bareLineFeed)) },
            answer: "HTTP/1.1 200 OK\n\n"),
        FetchCase(
            "a broken chunk is told, with what came before", "RFC 9112 7.1",
            { _ in .malformed(.shared(.malformedChunkSize)) }, answer: chunks + "5\r\nhello\r\nx\r\n", status: 200,
            content: "hello"),
    ]

    private static func endless(
        _ rule: String, _ failure: FetchFailure, _ start: String, then more: String, status: Int? = nil,
        content: String? = nil, _ change: (inout FetchCase) -> Void = { _ in }
    ) -> FetchCase {
        FetchCase(
            rule, "hostile server: a finding within its deadline, memory flat", { _ in failure }, status: status,
            content: content, change
        ) { connection in
            connection.request()
            connection.send(start)
            connection.sendForever(more)
        }
    }

    private static let kept = 1_000
    private static let full = String(repeating: "x", count: kept)

    static let endless: [FetchCase] = [
        endless(
            "endless content is stopped", .tooLarge(limit: kept), ok + "\r\n", then: "x", status: 200, content: full
        ) {
            $0.options.maximumContent = kept
        },
        endless(
            "10 GB are stopped", .tooLarge(limit: kept), ok + "Content-Length: 10000000000\r\n\r\n", then: "x",
            status: 200, content: full
        ) { $0.options.maximumContent = kept },
        endless(
            "endless chunks of one byte are stopped", .tooLarge(limit: kept), chunks, then: "1\r\nx\r\n", status: 200,
            content: full
        ) { $0.options.maximumContent = kept },
        endless(
            "one endless chunk is stopped", .tooLarge(limit: kept), chunks + "7FFFFFFFFFFFFFFF\r\n", then: "x",
            status: 200, content: full
        ) { $0.options.maximumContent = kept },
        endless(
            "by default one byte more than the bound is stopped",
            .tooLarge(limit: AssociationFile.maximumSize + 1), ok + "\r\n", then: "x", status: 200),
        endless("endless fields are stopped", .malformed(.shared(.tooManyFieldLines)), ok, then: "X: y\r\n"),
        endless("an endless field is stopped", .malformed(.shared(.fieldsTooLarge)), ok + "X: ", then: "y"),
        endless(
            "an endless status line is stopped", .malformed(.statusLineTooLong(limit: 8_192)), "HTTP/1.1 200 ",
            then: "y"),
        endless(
            "endless interim answers are stopped", .malformed(.tooManyInterimResponses(limit: 16)), "",
            then: "HTTP/1.1 103 \r\n\r\n"),
        endless(
            "endless trailers are stopped", .malformed(.shared(.tooManyFieldLines)), chunks + "0\r\n",
            then: "X: y\r\n", status: 200, content: ""),
        endless(
            "an endless chunk extension is stopped", .malformed(.shared(.chunkExtensionsTooLarge)),
            chunks + "1;a=", then: "y", status: 200, content: ""),
        endless(
            "endless text that is no HTTP is stopped",
            .malformed(.notHTTP(start: Array(repeating: UInt8(ascii: "y"), count: 32))), "", then: "y"),
    ]

    static let slow: [FetchCase] = [
        FetchCase(
            "silence instead of a head ends with the deadline", "associated-domains.md: slow head",
            { .headTimedOut($0, seconds: 1) }
        ) { connection in
            connection.request()
            connection.stall()
            connection.waitForClose()
        },
        FetchCase(
            "a head byte by byte does not prolong the deadline", "hostile server: the deadline is total",
            { .headTimedOut($0, seconds: 1) }
        ) { connection in
            connection.request()
            connection.send(ok + "X: ")
            connection.stall()
            connection.drip(UInt8(ascii: "y"))
        },
        FetchCase(
            "silence inside the content ends with the deadline", "associated-domains.md: slow content",
            { .contentTimedOut($0, seconds: 1, got: 5) }, status: 200, content: "hello"
        ) {
            connection in
            connection.request()
            connection.send(ok + "Content-Length: 10\r\n\r\nhello")
            connection.stall()
            connection.waitForClose()
        },
        FetchCase(
            "chunk extensions byte by byte do not prolong the deadline", "hostile server: the deadline is total",
            { .contentTimedOut($0, seconds: 1, got: 0) }, status: 200, content: ""
        ) {
            connection in
            connection.request()
            connection.send(chunks + "1;a=")
            connection.stall()
            connection.drip(UInt8(ascii: "y"))
        },
    ]
}
