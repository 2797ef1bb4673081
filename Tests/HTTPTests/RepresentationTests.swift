import HTTPTypes
import MotivatorHTTP
import Testing

@Suite("Representations: what a GET or HEAD gets")
struct RepresentationTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let modified: Int64 = 784_111_777
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let earlier = "Sun, 06 Nov 1994 08:49:36 GMT"
    static let content = Array("0123456789".utf8)
    static let squeezed = Array("gz".utf8)

    static let varying = Representation(
        content: content, gzip: squeezed, contentType: "text/plain", entityTag: "v", lastModified: modified,
        cacheControl: "no-cache")
    static let single = Representation(
        content: content, contentType: "image/png", entityTag: "v", lastModified: modified, cacheControl: "no-cache")

    static func select(
        _ lines: [String], method: String = "GET", from representation: Representation = varying
    ) throws -> Representation.Selection {
        let head = try #require(requestHead(lines, method: method))
        return representation.select(for: head, now: modified + 1000)
    }

    struct Outcome: Equatable, Sendable {
        var status: Int
        var content: String
        /// Whether the server selects the compressed form.
        var isGzip = false
    }

    typealias Choice = Row<[String], Outcome>

    private static let whole = Outcome(status: 200, content: "0123456789")
    private static let gzip = Outcome(status: 200, content: "gz", isGzip: true)
    private static let part = Outcome(status: 206, content: "123")
    private static let notModified = Outcome(status: 304, content: "")
    private static let failed = Outcome(
        status: 412, content: "The content has changed. Request it again without the condition.\n")
    private static let unsatisfiable = Outcome(
        status: 416, content: "The content is 10 bytes long. Request a range within this length.\n")
    private static let notAcceptable = Outcome(
        status: 406, content: "Accept-Encoding excludes every available coding. Allow identity or gzip.\n")

    static let choices: [Choice] = [
        Choice("without conditions everything is sent", "9110 §15.3.1", [], whole),
        Choice("gzip is sent when it is accepted", "9110 §12.5.3", ["Accept-Encoding: br, gzip"], gzip),
        Choice("gzip is not sent when it is refused", "9110 §12.5.3", ["Accept-Encoding: gzip;q=0"], whole),
        Choice(
            "gzip is not sent when identity is wanted more", "9110 §12.5.3", ["Accept-Encoding: gzip;q=0.5, identity"],
            whole),
        Choice("gzip is not sent unasked", "9110 §12.5.3", ["Accept-Encoding:"], whole),
        Choice("gzip is sent where identity is refused", "9110 §12.5.3", ["Accept-Encoding: gzip, identity;q=0"], gzip),
        Choice(
            "no coding at all is not acceptable", "9110 §12.5.3", ["Accept-Encoding: identity;q=0, br"], notAcceptable),
        Choice("nothing at all is not acceptable", "9110 §12.5.3", ["Accept-Encoding: *;q=0"], notAcceptable),
        Choice("the own tag saves the content", "9110 §13.1.2", ["If-None-Match: \"v\""], notModified),
        Choice("any tag saves the content", "9110 §13.1.2", ["If-None-Match: *"], notModified),
        Choice("another tag does not", "9110 §13.1.2", ["If-None-Match: \"w\""], whole),
        Choice("the other form's tag does not", "9110 §8.8.3.3", ["If-None-Match: \"v-gzip\""], whole),
        Choice(
            "the compressed form has a tag of its own", "9110 §8.8.3.3",
            ["If-None-Match: \"v\"", "Accept-Encoding: gzip"], gzip),
        Choice(
            "the compressed form's tag saves it", "9110 §13.1.2",
            ["If-None-Match: \"v-gzip\"", "Accept-Encoding: gzip"],
            notModified),
        Choice("its date saves the content", "9110 §13.1.3", ["If-Modified-Since: \(date)"], notModified),
        Choice("an earlier date does not", "9110 §13.1.3", ["If-Modified-Since: \(earlier)"], whole),
        Choice(
            "a tag counts before a date", "9110 §13.2.2", ["If-None-Match: \"w\"", "If-Modified-Since: \(date)"], whole),
        Choice("another tag fails", "9110 §13.1.1", ["If-Match: \"w\""], failed),
        Choice("the own tag proceeds", "9110 §13.1.1", ["If-Match: \"v\""], whole),
        Choice("an earlier date fails", "9110 §13.1.4", ["If-Unmodified-Since: \(earlier)"], failed),
        Choice("its date proceeds", "9110 §13.1.4", ["If-Unmodified-Since: \(date)"], whole),
        Choice(
            "If-Match counts before If-Unmodified-Since", "9110 §13.2.2",
            ["If-Match: \"v\"", "If-Unmodified-Since: \(earlier)"], whole),
        Choice(
            "If-Match counts before If-None-Match", "9110 §13.2.2", ["If-None-Match: \"v\"", "If-Match: \"w\""], failed),
        Choice(
            "If-Unmodified-Since counts before If-None-Match", "9110 §13.2.2",
            ["If-None-Match: \"v\"", "If-Unmodified-Since: \(earlier)"], failed),
        Choice(
            "both conditions are judged", "9110 §13.2.2", ["If-Match: \"v\"", "If-None-Match: \"v\""], notModified),
        Choice("a range is sent", "9110 §15.3.7", ["Range: bytes=1-3"], part),
        Choice(
            "a range is always of the plain form", "9110 §14.2", ["Range: bytes=1-3", "Accept-Encoding: gzip"], part),
        Choice(
            "a client that excludes the plain form gets no range of it", "9110 §12.5.3",
            ["Range: bytes=1-3", "Accept-Encoding: gzip, identity;q=0"], gzip),
        Choice("a range beyond the end is told the length", "9110 §15.5.17", ["Range: bytes=10-"], unsatisfiable),
        Choice("an invalid range is ignored", "9110 §14.2", ["Range: bytes=3-1"], whole),
        Choice(
            "an ignored range leaves gzip", "9110 §14.2", ["Range: lines=1", "Accept-Encoding: gzip"], gzip),
        Choice(
            "conditions count before a range", "9110 §13.2.2", ["Range: bytes=1-3", "If-None-Match: \"v\""], notModified
        ),
        Choice(
            "a failed condition counts before a range", "9110 §13.2.2", ["Range: bytes=10-", "If-Match: \"w\""], failed),
        Choice(
            "If-Range with the own tag lets the range count", "9110 §13.1.5", ["Range: bytes=1-3", "If-Range: \"v\""],
            part),
        Choice(
            "If-Range with another tag sends everything", "9110 §13.1.5", ["Range: bytes=1-3", "If-Range: \"w\""], whole
        ),
        Choice(
            "If-Range with a weak tag sends everything", "9110 §13.1.5", ["Range: bytes=1-3", "If-Range: W/\"v\""],
            whole),
        Choice(
            "If-Range with another tag hides a range beyond the end", "9110 §13.1.5",
            ["Range: bytes=10-", "If-Range: \"w\""], whole),
        Choice(
            "If-Range with another tag leaves gzip", "9110 §13.1.5",
            ["Range: bytes=1-3", "If-Range: \"w\"", "Accept-Encoding: gzip"], gzip),
        Choice(
            "If-Range with its date lets the range count", "9110 §13.1.5", ["Range: bytes=1-3", "If-Range: \(date)"],
            part),
        Choice("If-Range alone says nothing", "9110 §13.1.5", ["If-Range: \"w\""], whole),
    ]

    private static func outcome(_ selection: Representation.Selection) -> Outcome {
        Outcome(
            status: selection.status, content: text(selection.content[selection.range]),
            isGzip: text(selection.fields).contains("Content-Encoding: gzip\r\n"))
    }

    @Test("GET", arguments: choices)
    func get(_ row: Choice) throws {
        let selection = try Self.select(row.input)
        #expect(Self.outcome(selection) == row.expected)
        #expect(text(selection.statusLine).hasPrefix("HTTP/1.1 \(row.expected.status) "))
    }

    @Test("HEAD gets GET's fields and no content, and knows no range", arguments: choices)
    func head(_ row: Choice) throws {
        let withoutRange = row.input.filter { !$0.hasPrefix("Range:") }
        let get = try Self.select(withoutRange)
        let head = try Self.select(row.input, method: "HEAD")
        #expect(head.status == get.status)
        #expect(head.fields == get.fields)
        #expect(head.statusLine == get.statusLine)
        #expect(head.range.isEmpty)
    }

    @Test("Without a compressed form a refused identity is still not acceptable, with and without conditions")
    func refusedIdentity() throws {
        #expect(try Self.select(["Accept-Encoding: identity;q=0"], from: Self.single).status == 406)
        #expect(try Self.select(["Accept-Encoding: identity;q=0", "If-Match: *"], from: Self.single).status == 406)
        #expect(try Self.select(["Accept-Encoding: gzip"], from: Self.single).status == 200)
    }

    static let validators = "ETag: \"v\"\r\nLast-Modified: \(date)\r\nCache-Control: no-cache\r\n"
    static let vary = "Vary: Accept-Encoding\r\n"

    @Test("200 carries type, length and validators")
    func wholeFields() throws {
        #expect(
            text(try Self.select([]).fields)
                == "Content-Type: text/plain\r\nContent-Length: 10\r\nAccept-Ranges: bytes\r\n" + Self.validators
                + Self.vary)
        #expect(
            text(try Self.select([], from: Self.single).fields)
                == "Content-Type: image/png\r\nContent-Length: 10\r\nAccept-Ranges: bytes\r\n" + Self.validators)
    }

    @Test("200 in gzip has another strong tag and Vary")
    func gzipFields() throws {
        #expect(
            text(try Self.select(["Accept-Encoding: gzip"]).fields)
                == "Content-Type: text/plain\r\nContent-Length: 2\r\nContent-Encoding: gzip\r\nETag: \"v-gzip\"\r\n"
                + "Last-Modified: \(Self.date)\r\nCache-Control: no-cache\r\n" + Self.vary)
    }

    @Test("304 repeats Cache-Control, ETag and Vary, and describes no content")
    func notModifiedFields() throws {
        #expect(text(try Self.select(["If-None-Match: *"]).fields) == Self.validators + Self.vary)
        #expect(text(try Self.select(["If-None-Match: *"], from: Self.single).fields) == Self.validators)
        let gzip = text(try Self.select(["If-None-Match: *", "Accept-Encoding: gzip"]).fields)
        #expect(gzip.hasPrefix("ETag: \"v-gzip\"\r\n") && gzip.hasSuffix(Self.vary))
    }

    @Test("206 has the range, its length and the validators of the whole")
    func partFields() throws {
        #expect(
            text(try Self.select(["Range: bytes=-3"]).fields)
                == "Content-Type: text/plain\r\nContent-Length: 3\r\nContent-Range: bytes 7-9/10\r\n" + Self.validators
                + Self.vary)
    }

    @Test("416 has the length of the whole")
    func unsatisfiableFields() throws {
        let fields = text(try Self.select(["Range: bytes=10-"]).fields)
        #expect(
            fields
                == "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 66\r\nCache-Control: no-store\r\n"
                + "Content-Range: bytes */10\r\n")
    }

    @Test(
        "The text of an error has the declared length",
        arguments: ["If-Match: \"w\"", "Range: bytes=10-", "Accept-Encoding: *;q=0"])
    func errorLength(_ line: String) throws {
        let selection = try Self.select([line])
        #expect(text(selection.fields).contains("Content-Length: \(selection.range.count)\r\n"))
    }

    @Test("406 has Vary")
    func notAcceptableFields() throws {
        #expect(text(try Self.select(["Accept-Encoding: *;q=0"]).fields).contains(Self.vary))
    }

    @Test("The fields of a representation are in the responses 200, 206 and 304")
    func additionalFields() throws {
        let shared = Representation(
            content: Self.content, contentType: "text/plain", entityTag: "v", lastModified: Self.modified,
            cacheControl: "no-cache", fields: [.accessControlAllowOrigin: "*"])
        for (line, status) in [("X: y", 200), ("Range: bytes=1-3", 206), ("If-None-Match: *", 304)] {
            let selection = try Self.select([line], from: shared)
            #expect(selection.status == status)
            #expect(text(selection.fields).hasSuffix("\r\nAccess-Control-Allow-Origin: *\r\n"), "\(status)")
        }
    }

    @Test("A representation is a page if browsers open it as a document and it has no content policy of its own")
    func pages() {
        func isPage(_ type: String, _ fields: HTTPFields = [:]) -> Bool {
            Representation(
                content: [], contentType: type, entityTag: "e", lastModified: 0, cacheControl: "no-store",
                fields: fields
            ).isPage
        }
        #expect(isPage("text/html; charset=utf-8") && isPage("image/svg+xml") && !isPage("text/plain"))
        #expect(!isPage("text/html; charset=utf-8", [.contentSecurityPolicy: "sandbox"]))
    }

    @Test("Empty content has no range to send")
    func emptyContent() throws {
        let empty = Representation(
            content: [], contentType: "text/plain", entityTag: "e", lastModified: 0, cacheControl: "no-store")
        #expect(try Self.select([], from: empty).range.isEmpty)
        #expect(try Self.select(["Range: bytes=0-"], from: empty).status == 416)
    }
}
