import MotivatorHTTP
import Testing

/// Returns the bytes of a test value. `\u{85}` stands for the byte 0x85, because a field consists of bytes, not UTF-8.
func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}

func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
}

func withField<Result>(_ value: String, _ body: (FieldBytes) throws -> Result) rethrows -> Result {
    try latin1(value).withFieldBytes(body)
}

/// Stores the values in a single buffer, like the lines of a head in the receive buffer.
func withLines<Result>(_ values: [String], _ body: (FieldLines) throws -> Result) rethrows -> Result {
    let parts = values.map(latin1)
    return try Array(parts.joined()).withFieldBytes { buffer in
        var lines = FieldLines()
        var start = 0
        for part in parts {
            lines.append(buffer.part(start..<start + part.count))
            start += part.count
        }
        return try body(lines)
    }
}

/// Parses the head of a request with these field lines; nil if the parser rejects it.
func requestHead(_ lines: [String], method: String = "GET") -> RequestHead? {
    var limits = Limits()
    limits.fieldBytes = 1 << 20
    var parser = RequestParser(limits: limits)
    let request = "\(method) / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    latin1(request).withFieldBytes { parser.append($0) }
    return parser.next() == .head ? parser.head : nil
}

/// A row of a table. A failure prints the rule and its source.
struct Row<Input: Sendable, Expected: Sendable>: Sendable, CustomTestStringConvertible {
    let rule: String
    let source: String
    let input: Input
    let expected: Expected

    init(_ rule: String, _ source: String, _ input: Input, _ expected: Expected) {
        self.rule = rule
        self.source = source
        self.input = input
        self.expected = expected
    }

    var testDescription: String { "\(rule) (\(source)): \(input) → \(expected)" }
}
