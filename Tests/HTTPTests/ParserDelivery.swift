import MotivatorHTTP
import Testing

/// Feeds a parser, and returns its results.
func read(_ pieces: [ArraySlice<UInt8>], limits: Limits) -> Reading {
    var parser = RequestParser(limits: limits)
    var reading = Reading()
    for piece in pieces {
        // Each piece ends at the end of its memory, so that a read past the piece traps.
        Array(piece).withFieldBytes { parser.append($0) }
        if let rejection = advance(&parser, &reading) {
            reading.end = .rejected(rejection)
            return reading
        }
    }
    reading.end = parser.isBetweenMessages ? .betweenMessages : .insideMessage
    return reading
}

private func advance(_ parser: inout RequestParser, _ reading: inout Reading) -> Rejection? {
    while true {
        switch parser.next() {
        case .needMore: return nil
        case .head: break
        case .message: reading.messages.append(Message(parser.head, content: parser.takeContent()))
        case .failure(let rejection):
            // The rest of the head is readable, regardless of the reason for the rejection.
            _ = Message(parser.head, content: [])
            _ = parser.head.withFields { Validators(entityTag: "a", lastModified: 0).evaluate($0, now: 0) }
            #expect(parser.next() == .failure(rejection), "A failure must persist")
            return rejection
        }
    }
}

enum Delivery {
    static func whole(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] { [bytes[...]] }

    static func bytewise(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] { bytes.indices.map { bytes[$0...$0] } }

    static func split(_ bytes: [UInt8], at offset: Int) -> [ArraySlice<UInt8>] { [bytes[..<offset], bytes[offset...]] }

    /// Returns every offset of a short input. For a long input, returns every 97th offset and those around line ends.
    static func offsets(_ bytes: [UInt8]) -> [Int] {
        guard bytes.count > 600 else { return Array(0...bytes.count) }
        let ends = bytes.indices.filter { bytes[$0] == 0x0A }
        var near = Set(stride(from: 0, through: bytes.count, by: max(97, bytes.count / 100)))
        for end in ends.prefix(40) + ends.suffix(40) { near.formUnion(end - 2...end + 2) }
        near.formUnion(bytes.count - 4...bytes.count)
        return near.filter { (0...bytes.count).contains($0) }.sorted()
    }
}

/// Checks a case that is delivered whole, byte by byte, split at every offset, and with more bytes after it.
func check(_ table: ParserCase) {
    let bytes = table.bytes
    let whole = read(Delivery.whole(bytes), limits: table.limits)
    #expect(table.expected.matches(whole), "whole: \(whole)")
    let bytewise = read(Delivery.bytewise(bytes), limits: table.limits)
    #expect(bytewise == whole, "byte by byte: \(bytewise.end), whole: \(whole.end)")
    for offset in Delivery.offsets(bytes) {
        let parts = read(Delivery.split(bytes, at: offset), limits: table.limits)
        #expect(parts == whole, "cut at \(offset): \(parts.end), whole: \(whole.end)")
    }
    judgeTail(table, whole)
}

private func judgeTail(_ table: ParserCase, _ whole: Reading) {
    switch table.expected.end {
    case .rejected:
        for tail in ["\u{0}\u{FF} :garbage\r\n\r\n", "GET / HTTP/1.1\r\nHost: tail\r\n\r\n"] {
            let reading = read(Delivery.whole(table.bytes + latin1(tail)), limits: table.limits)
            #expect(reading == whole, "with a tail: \(reading.end), without: \(whole.end)")
        }
    case .betweenMessages:
        let tail = latin1("GET /tail HTTP/1.1\r\nHost: b\r\n\r\n")
        var expected = whole
        expected.messages.append(Message(target: "/tail", path: "/tail", host: "b", fields: ["Host: b"]))
        let reading = read(Delivery.whole(table.bytes + tail), limits: table.limits)
        #expect(reading == expected, "with a tail: \(reading)")
    case .insideMessage: break
    }
}

/// Returns a GET request with these field lines after a valid Host.
func get(_ lines: String...) -> String {
    "GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
}

/// Returns a POST request with these field lines after a valid Host. The caller appends the content.
func post(_ lines: String...) -> String {
    "POST / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
}

/// Returns a chunked POST request with this content.
func chunked(_ content: String) -> String { post("Transfer-Encoding: chunked") + content }

extension String {
    static func repeating(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
}
