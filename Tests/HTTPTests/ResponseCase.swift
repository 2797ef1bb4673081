import MotivatorHTTP
import Testing

/// A rule of the response parser: bytes, and the expected result for every split.
struct ResponseCase: Sendable, CustomTestStringConvertible {
    /// The state of the connection after the bytes.
    enum Ending: Sendable {
        case open
        case clean
        case ragged
    }

    let rule: String
    let source: String
    let bytes: [UInt8]
    let expected: ResponseReading
    var ending = Ending.open
    var isHead = false
    var limits = Limits.ofResponse(content: 1_000)

    /// - Parameter input: One byte per scalar. `\u{85}` stands for the byte 0x85.
    init(
        _ rule: String, _ source: String, _ input: String, _ expected: ResponseReading, then ending: Ending = .open,
        isHead: Bool = false, _ change: (inout Limits) -> Void = { _ in }
    ) {
        self.rule = rule
        self.source = source
        bytes = latin1(input)
        self.expected = expected
        self.ending = ending
        self.isHead = isHead
        change(&limits)
    }

    var testDescription: String { "\(rule) (\(source))" }
}

/// The result of parsing a stream of bytes.
struct ResponseReading: Equatable, Sendable {
    enum End: Equatable, Sendable {
        case message
        case unfinished
        case failure(ResponseError)
    }

    /// The status of the final head, if the head is complete.
    var status: Int?
    var reason: String?
    var fields: [String]?
    var framing: Framing?
    var content: [UInt8] = []
    var interimResponses = 0
    var end: End

    static func message(
        _ status: Int = 200, reason: String = "OK", fields: [String], framing: Framing = .none,
        content: String = "", interimResponses: Int = 0
    ) -> ResponseReading {
        ResponseReading(
            status: status, reason: reason, fields: fields, framing: framing, content: latin1(content),
            interimResponses: interimResponses, end: .message)
    }

    /// Returns a result that failed before the final head was complete.
    static func inHead(_ fault: ResponseError, interimResponses: Int = 0) -> ResponseReading {
        ResponseReading(interimResponses: interimResponses, end: .failure(fault))
    }

    /// Returns the same head and content with another end.
    func but(_ end: End) -> ResponseReading {
        var other = self
        other.end = end
        return other
    }

    static let unfinishedHead = ResponseReading(end: .unfinished)
}

/// Feeds a parser, and returns its results.
private func read(_ pieces: [ArraySlice<UInt8>], _ table: ResponseCase) -> ResponseReading {
    var parser = ResponseParser(limits: table.limits, isHead: table.isHead)
    var end = ResponseReading.End.unfinished
    var heads = 0
    for piece in pieces {
        // Each piece ends at the end of its memory, so that a read past the piece traps.
        Array(piece).withFieldBytes { parser.append($0) }
        steps: while true {
            switch parser.next() {
            case .needMore: break steps
            case .head: heads += 1
            case .message:
                #expect(parser.next() == .message, "A complete message must persist")
                end = .message
                break steps
            case .failure(let fault):
                #expect(parser.next() == .failure(fault), "A failure must persist")
                end = .failure(fault)
                break steps
            }
        }
    }
    switch table.ending {
    case .open: break
    case .clean, .ragged:
        switch parser.end(isClean: table.ending == .clean) {
        case .message: end = .message
        case .failure(let fault): end = .failure(fault)
        case .needMore, .head: Issue.record("The end of the connection must end the message")
        }
    }
    #expect(heads == (parser.hasHead ? 1 : 0))
    guard parser.hasHead else { return ResponseReading(interimResponses: parser.interimResponses, end: end) }
    let head = parser.head
    return ResponseReading(
        status: head.status, reason: head.reason, fields: head.fields.map { "\($0.name): \($0.value)" },
        framing: head.framing, content: parser.content, interimResponses: parser.interimResponses, end: end)
}

/// Checks a case that is delivered whole, byte by byte, split at every offset, and with more bytes after it.
func check(_ table: ResponseCase) {
    let bytes = table.bytes
    let whole = read(Delivery.whole(bytes), table)
    #expect(whole == table.expected, "whole")
    #expect(read(Delivery.bytewise(bytes), table) == whole, "byte by byte")
    for offset in Delivery.offsets(bytes) {
        #expect(read(Delivery.split(bytes, at: offset), table) == whole, "cut at \(offset)")
    }
    if whole.end != .unfinished, table.ending == .open {
        let tail = latin1("HTTP/1.1 500 tail\r\nContent-Length: 5\r\n\r\nhello")
        #expect(read([bytes[...], tail[...]], table) == whole, "with a tail")
    }
}
