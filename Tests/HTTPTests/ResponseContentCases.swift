import MotivatorHTTP

/// The end of the content (RFC 9112 §6.3 and §7.1).
enum ResponseContentCases {
    private static func ok(_ lines: String..., content: String) -> String {
        "HTTP/1.1 200 OK\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n" + content
    }

    private static func refused(_ rule: String, _ source: String, _ lines: String, _ fault: ResponseError)
        -> ResponseCase
    {
        ResponseCase(rule, source, "HTTP/1.1 200 OK\r\n\(lines)\r\n\r\nhello", .inHead(fault))
    }

    private static let hello = ResponseReading.message(
        fields: ["Content-Length: 5"], framing: .length(5), content: "hello")

    static let lengths: [ResponseCase] = [
        ResponseCase(
            "content has as many bytes as Content-Length", "9112 §6.3", ok("Content-Length: 5", content: "hello"), hello
        ),
        ResponseCase(
            "content that is not there yet is waited for", "9112 §6.3",
            ok("Content-Length: 5", content: "hell"),
            .message(fields: ["Content-Length: 5"], framing: .length(5), content: "hell").but(.unfinished)),
        ResponseCase(
            "truncated content is reported with both lengths", "9112 §8",
            ok("Content-Length: 5", content: "hell"),
            .message(fields: ["Content-Length: 5"], framing: .length(5), content: "hell")
                .but(.failure(.cutShort(got: 4, of: 5))), then: .clean),
        ResponseCase(
            "a length is enough without close_notify", "9112 §9.8",
            ok("Content-Length: 5", content: "hello"), hello, then: .ragged),
        ResponseCase(
            "the same length twice is one", "9112 §6.3",
            ok("Content-Length: 5", "Content-Length: 5", content: "hello"),
            .message(fields: ["Content-Length: 5", "Content-Length: 5"], framing: .length(5), content: "hello")),
        ResponseCase(
            "the same length in a list is one", "9112 §6.3", ok("Content-Length: 5, 05", content: "hello"),
            .message(fields: ["Content-Length: 5, 05"], framing: .length(5), content: "hello")),
        refused(
            "two lengths conflict", "9112 §6.3", "Content-Length: 5\r\nContent-Length: 6",
            .conflictingContentLengths(5, 6)),
        refused(
            "two lengths in a list conflict", "9112 §6.3", "Content-Length: 5, 6", .conflictingContentLengths(5, 6)),
        refused("an empty length is none", "9110 §8.6", "Content-Length:", .shared(.malformedContentLength)),
        refused("a comma is no length", "9110 §8.6", "Content-Length: ,", .shared(.malformedContentLength)),
        refused("a length has no sign", "9110 §8.6", "Content-Length: +5", .shared(.malformedContentLength)),
        refused("a length is not negative", "9110 §8.6", "Content-Length: -1", .shared(.malformedContentLength)),
        refused("a length is decimal", "9110 §8.6", "Content-Length: 0x5", .shared(.malformedContentLength)),
        refused(
            "a length fits into 63 bits", "9110 §8.6", "Content-Length: 9223372036854775808",
            .shared(.malformedContentLength)),
        ResponseCase(
            "the largest length is a number", "9110 §8.6",
            ok("Content-Length: 9223372036854775807", content: "hello"),
            .message(fields: ["Content-Length: 9223372036854775807"], framing: .length(.max), content: "hello")
                .but(.failure(.cutShort(got: 5, of: .max))), then: .clean),
    ]

    static let none: [ResponseCase] = [
        ResponseCase(
            "the response to HEAD has no content", "9112 §6.3", ok("Content-Length: 5", content: ""),
            .message(fields: ["Content-Length: 5"]), isHead: true),
        ResponseCase(
            "the response to HEAD has no chunks", "9112 §6.3", ok("Transfer-Encoding: chunked", content: ""),
            .message(fields: ["Transfer-Encoding: chunked"]), isHead: true),
        ResponseCase(
            "204 has no content", "9112 §6.3", "HTTP/1.1 204 \r\nContent-Length: 5\r\n\r\n",
            .message(204, reason: "", fields: ["Content-Length: 5"])),
        ResponseCase(
            "304 has no content", "9112 §6.3", "HTTP/1.1 304 \r\nContent-Length: 5\r\n\r\n",
            .message(304, reason: "", fields: ["Content-Length: 5"])),
    ]

    private static func untilClose(_ content: String) -> ResponseReading {
        .message(fields: [], framing: .untilClose, content: content)
    }

    static let untilClose: [ResponseCase] = [
        ResponseCase(
            "without a length the end of the connection ends the content", "9112 §6.3",
            ok(content: "hello"), untilClose("hello"), then: .clean),
        ResponseCase("the content may be empty", "9112 §6.3", ok(content: ""), untilClose(""), then: .clean),
        ResponseCase(
            "before the end it is not complete", "9112 §6.3", ok(content: "hello"),
            untilClose("hello").but(.unfinished)),
        ResponseCase(
            "without close_notify it may be cut short", "9112 §9.8", ok(content: "hello"),
            untilClose("hello").but(.failure(.cutShort(got: 5, of: nil))), then: .ragged),
        ResponseCase(
            "1.0 usually frames so", "9112 §6.3", "HTTP/1.0 200 OK\r\n\r\nhello", untilClose("hello"),
            then: .clean),
    ]

    private static func chunks(_ content: String) -> String { ok("Transfer-Encoding: chunked", content: content) }

    private static func chunked(_ content: String) -> ResponseReading {
        .message(fields: ["Transfer-Encoding: chunked"], framing: .chunked, content: content)
    }

    private static func broken(_ rule: String, _ content: String, _ got: String, _ fault: ResponseError) -> ResponseCase
    {
        ResponseCase(rule, "9112 §7.1", chunks(content), chunked(got).but(.failure(fault)))
    }

    static let chunked: [ResponseCase] = [
        ResponseCase("chunks are joined", "9112 §7.1", chunks("5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"), chunked("hello!")),
        ResponseCase(
            "extensions and trailers are skipped", "9112 §7.1.1",
            chunks("5;a=b;c\r\nhello\r\n0\r\nX: y\r\n\r\n"), chunked("hello")),
        ResponseCase(
            "chunked has no case", "9112 §7", ok("transfer-encoding: Chunked", content: "0\r\n\r\n"),
            .message(fields: ["transfer-encoding: Chunked"], framing: .chunked)),
        ResponseCase(
            "chunks that end early are cut short", "9112 §8", chunks("5\r\nhel"),
            chunked("hel").but(.failure(.cutShort(got: 3, of: nil))), then: .clean),
        ResponseCase(
            "the last chunk must come", "9112 §8", chunks("5\r\nhello\r\n"),
            chunked("hello").but(.failure(.cutShort(got: 5, of: nil))), then: .clean),
        broken("a size is hexadecimal", "g\r\n", "", .shared(.malformedChunkSize)),
        broken("a size is not negative", "-1\r\n", "", .shared(.malformedChunkSize)),
        broken("a size fits into 63 bits", "8000000000000000\r\n", "", .shared(.malformedChunkSize)),
        broken("a size has an end", "5\nhello", "", .shared(.malformedChunkSize)),
        broken("a chunk is followed by a line end", "5\r\nhelloX", "hello", .shared(.malformedChunkEnd)),
        broken("an extension has a name", "5;=\r\nhello", "", .shared(.malformedChunkExtension)),
        broken("a trailer is a field", "0\r\nX\r\n\r\n", "", .shared(.malformedFieldLine)),
        ResponseCase(
            "a long extension is refused", "limit", chunks("5;" + .repeating("x", 60) + "\r\n"),
            chunked("").but(.failure(.shared(.chunkExtensionsTooLarge)))
        ) { $0.chunkExtensions = 50 },
        ResponseCase(
            "endless trailers are refused", "limit", chunks("0\r\n" + .repeating("A: b\r\n", 50)),
            chunked("").but(.failure(.shared(.fieldsTooLarge)))
        ) { $0.fieldBytes = 100 },
        refused(
            "chunks and a length are ambiguous", "9112 §6.1", "Content-Length: 5\r\nTransfer-Encoding: chunked",
            .shared(.ambiguousFraming)),
        refused(
            "in the other order, too", "9112 §6.1", "Transfer-Encoding: chunked\r\nContent-Length: 5",
            .shared(.ambiguousFraming)),
        refused(
            "a compressed transfer was not requested", "9112 §7", "Transfer-Encoding: gzip, chunked",
            .shared(.unknownTransferCoding)),
        refused(
            "chunked twice is refused", "9112 §6.1", "Transfer-Encoding: chunked, chunked",
            .shared(.malformedTransferEncoding)),
        refused("a coding is named", "9112 §6.1", "Transfer-Encoding:", .shared(.malformedTransferEncoding)),
        ResponseCase(
            "1.0 has no chunks", "9112 §6.1", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            .inHead(.shared(.transferEncodingInOldVersion))),
    ]

    private static func tooLarge(_ reading: ResponseReading) -> ResponseReading {
        reading.but(.failure(.contentTooLarge(limit: 4)))
    }

    static let limits: [ResponseCase] = [
        ResponseCase(
            "as much content as allowed is complete", "limit", ok("Content-Length: 4", content: "hell"),
            .message(fields: ["Content-Length: 4"], framing: .length(4), content: "hell")
        ) { $0.content = 4 },
        ResponseCase(
            "of more content the beginning is kept", "limit", ok("Content-Length: 5", content: "hello"),
            tooLarge(.message(fields: ["Content-Length: 5"], framing: .length(5), content: "hell"))
        ) { $0.content = 4 },
        ResponseCase(
            "a length alone is not believed", "limit", ok("Content-Length: 5", content: "hell"),
            .message(fields: ["Content-Length: 5"], framing: .length(5), content: "hell").but(.unfinished)
        ) {
            $0.content = 4
        },
        ResponseCase("content until the end is bounded", "limit", ok(content: "hello"), tooLarge(untilClose("hell"))) {
            $0.content = 4
        },
        ResponseCase(
            "chunks of one byte are bounded", "limit", chunks(.repeating("1\r\nx\r\n", 9)),
            tooLarge(chunked("xxxx"))
        ) { $0.content = 4 },
        ResponseCase(
            "no content at all may be allowed", "limit", ok(content: "h"),
            untilClose("").but(.failure(.contentTooLarge(limit: 0)))
        ) { $0.content = 0 },
    ]
}
