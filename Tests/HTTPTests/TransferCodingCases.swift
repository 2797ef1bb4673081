import MotivatorHTTP

/// The only valid transfer coding is a single `chunked`, in HTTP/1.1 and without Content-Length (RFC 9112 §6.1).
enum TransferCodingCases {
    private static let empty = "0\r\n\r\n"

    private static func coding(_ rule: String, _ lines: [String], _ rejection: Rejection) -> ParserCase {
        let head = "POST / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
        return ParserCase(rule, "9112 §6.1", head + empty, .rejected(rejection))
    }

    private static func value(_ rule: String, _ value: String, _ rejection: Rejection) -> ParserCase {
        coding(rule, ["Transfer-Encoding: \(value)"], rejection)
    }

    private static func valid(_ rule: String, _ lines: String...) -> ParserCase {
        let head = "POST / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
        return ParserCase(
            rule, "9112 §6.1", head + "2\r\nhi\r\n" + empty, .accepted(.post, framing: .chunked, content: "hi"))
    }

    static let codings: [ParserCase] = [
        valid("chunked frames the content", "Transfer-Encoding: chunked"),
        valid("a coding has no case", "transfer-encoding: ChUnKeD"),
        valid("white space around the coding is none of it", "Transfer-Encoding: \t chunked \t"),
        valid("empty members are ignored", "Transfer-Encoding: , chunked,, "),
        ParserCase(
            "GET with chunked content is framed", "9112 §6.3",
            get("Transfer-Encoding: chunked") + "2\r\nhi\r\n" + empty,
            .accepted(framing: .chunked, content: "hi")),
        value("an unknown coding is not implemented", "gzip", .unknownTransferCoding),
        value("identity is not implemented", "identity", .unknownTransferCoding),
        value("another coding before chunked is not implemented", "gzip, chunked", .unknownTransferCoding),
        value("identity before chunked is not implemented", "identity, chunked", .unknownTransferCoding),
        value("a coding that begins with chunked is another", "chunkedx", .unknownTransferCoding),
        value("a coding that ends with chunked is another", "xchunked", .unknownTransferCoding),
        value("a coding that chunked abbreviates is another", "chunke", .unknownTransferCoding),
        value("chunked with a hyphen is another", "chunked-", .unknownTransferCoding),
        value("chunked before another coding is refused", "chunked, gzip", .malformedTransferEncoding),
        value("chunked before identity is refused", "chunked, identity", .malformedTransferEncoding),
        value("chunked twice is refused", "chunked, chunked", .malformedTransferEncoding),
        value("chunked twice without space is refused", "chunked,chunked", .malformedTransferEncoding),
        value("chunked with a parameter is refused", "chunked;q=1", .malformedTransferEncoding),
        value("chunked with an empty parameter is refused", "chunked;", .malformedTransferEncoding),
        value("chunked in quotes is refused", "\"chunked\"", .malformedTransferEncoding),
        value("chunked in single quotes is another coding", "'chunked'", .unknownTransferCoding),
        value("a comma in quotes is refused", "\"x, chunked", .malformedTransferEncoding),
        value("two words are refused", "chunked chunked", .malformedTransferEncoding),
        value("a word before chunked is refused", "x chunked", .malformedTransferEncoding),
        value("a slash is refused", "chunked/1", .malformedTransferEncoding),
        value("a second colon is refused", ": chunked", .malformedTransferEncoding),
        value("an empty value is refused", "", .malformedTransferEncoding),
        value("commas alone are refused", ",", .malformedTransferEncoding),
        value("0x85 is no white space", "\u{85}chunked", .malformedTransferEncoding),
        value("0xA0 is no white space", "chunked\u{A0}", .malformedTransferEncoding),
        value("0xFF is refused", "\u{FF}chunked", .malformedTransferEncoding),
        value("a Kelvin sign is no k", "chun\u{E2}\u{84}\u{AA}ed", .malformedTransferEncoding),
        value("a vertical tab before chunked is refused", "\u{B}chunked", .malformedFieldValue),
        value("a vertical tab after chunked is refused", "chunked\u{B}", .malformedFieldValue),
        value("a form feed before chunked is refused", "\u{C}chunked", .malformedFieldValue),
        value("a NUL after chunked is refused", "chunked\0", .malformedFieldValue),
        value("a bare CR before chunked is refused", "\rchunked", .malformedFieldValue),
        value("a bare LF before chunked is refused", "\nchunked", .bareLineFeed),
        value("a folded coding is refused", "\r\n chunked", .foldedFieldLine),
        coding("a space before the colon is refused", ["Transfer-Encoding : chunked"], .malformedFieldName),
        coding("a tab before the colon is refused", ["Transfer-Encoding\t: chunked"], .malformedFieldName),
        coding("a space before the name is refused", [" Transfer-Encoding: chunked"], .foldedFieldLine),
        coding("a vertical tab before the colon is refused", ["Transfer-Encoding\u{B}: chunked"], .malformedFieldName),
        coding(
            "chunked on two lines is refused", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
            .malformedTransferEncoding),
        coding(
            "another coding on a second line is refused", ["Transfer-Encoding: chunked", "transfer-encoding: x"],
            .malformedTransferEncoding),
        coding(
            "another coding on a first line is not implemented",
            ["Transfer-Encoding: x", "Transfer-Encoding: chunked"],
            .unknownTransferCoding),
    ]

    static let conflicts: [ParserCase] = [
        coding(
            "a length before a coding is refused", ["Content-Length: 5", "Transfer-Encoding: chunked"],
            .ambiguousFraming),
        coding(
            "a coding before a length is refused", ["Transfer-Encoding: chunked", "Content-Length: 5"],
            .ambiguousFraming),
        coding(
            "a length of zero before a coding is refused", ["Content-Length: 0", "Transfer-Encoding: chunked"],
            .ambiguousFraming),
        coding(
            "a coding before a length of zero is refused", ["Transfer-Encoding: chunked", "Content-Length: 0"],
            .ambiguousFraming),
        coding(
            "a length beside an unknown coding is refused", ["Content-Length: 5", "Transfer-Encoding: x"],
            .ambiguousFraming),
        coding(
            "a length after an empty coding is refused", ["Transfer-Encoding:", "Content-Length: 5"], .ambiguousFraming
        ),
        coding(
            "a length and a coding with fields between them are refused",
            ["content-length: 5", "Accept: */*", "transfer-encoding: chunked"], .ambiguousFraming),
        ParserCase(
            "a coding in 1.0 is refused", "9112 §6.1", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + empty,
            .rejected(.transferEncodingInOldVersion)),
        ParserCase(
            "a coding in 1.0 beside a length is refused", "9112 §6.1",
            "POST / HTTP/1.0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + empty,
            .rejected(.transferEncodingInOldVersion)),
        ParserCase(
            "a coding in 1.2 is as in 1.1", "9110 §2.5",
            "POST / HTTP/1.2\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + empty,
            .accepted(.post, framing: .chunked)),
        ParserCase("TE frames nothing", "9110 §10.1.4", post("TE: chunked"), .accepted(.post)),
        ParserCase("Content-Encoding frames nothing", "9110 §8.4", post("Content-Encoding: chunked"), .accepted(.post)),
        ParserCase(
            "Upgrade is ignored", "9110 §7.8", get("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c"), .accepted()),
    ]
}
