// Parses the head line by line, and checks each line as soon as its LF arrives. Two checks do not wait for the LF:
// whether the start is HTTP, and whether a limit is exceeded.
extension ResponseParser {
    /// The number of received bytes after which the parser rejects a response that is not HTTP. The error shows these
    /// bytes.
    private static let foreignLength = 32

    mutating func parseHead() throws(ResponseError) -> Step {
        while true {
            guard let length = try parseLines() else { return .needMore }
            input.consume(length)
            lines = LineReader()
            if try finishHead() { return .head }
        }
    }

    /// Parses the complete lines.
    /// - Returns: the length of the head in bytes; nil if its end has not arrived.
    private mutating func parseLines() throws(ResponseError) -> Int? {
        // The closure changes the parser while it reads the bytes, so it reads a copy, which shares them with `input`.
        let held = input
        return try held.withBytes { bytes throws(ResponseError) in
            if state != .fields {
                let end = lines.lineFeed(in: bytes)
                try checkStart(bytes, lineEnd: end)
                guard let end else { return nil }
                let line = try mapped { parser throws(Rejection) in try parser.lines.take(upTo: end, in: bytes) }
                head = ResponseHead()
                framing = FramingFields()
                try parseStatusLine(bytes.part(line))
                lines.startFields()
                state = .fields
            }
            while true {
                let step = try mapped { parser throws(Rejection) in
                    try parser.lines.nextField(in: bytes, parser.limits)
                }
                switch step {
                case .needMore: return nil
                case .field(let name, let value):
                    let (name, value) = (bytes.part(name), bytes.part(value))
                    head.fields.append((name.latin1, value.latin1))
                    try apply(name, value)
                case .end(let end): return end
                }
            }
        }
    }

    private func checkStart(_ bytes: FieldBytes, lineEnd: Int?) throws(ResponseError) {
        let reached = lineEnd.map { $0 + 1 } ?? bytes.count
        if lineEnd != nil || reached >= Self.foreignLength, let fault = Self.foreignStart(bytes.part(0..<reached)) {
            throw fault
        }
        guard reached - 2 <= limits.startLine else { throw .statusLineTooLong(limit: limits.startLine) }
    }

    /// Returns an error if the received bytes cannot start an HTTP/1 response; otherwise nil.
    func foreignStart() -> ResponseError? {
        input.withBytes { $0.isEmpty ? nil : Self.foreignStart($0) }
    }

    private static func foreignStart(_ bytes: FieldBytes) -> ResponseError? {
        let name: StaticString = "HTTP/"
        let count = min(bytes.count, name.utf8CodeUnitCount)
        guard (0..<count).contains(where: { unsafe bytes[$0] != name.utf8Start[$0] }) else { return nil }
        // The first HTTP/2 frame of a server: SETTINGS, at most 255 bytes, no flags, stream 0 (RFC 9113 §3.4, §4.1).
        let frame: [UInt8?] = [0, 0, nil, 4, 0, 0, 0, 0, 0]
        if bytes.count >= frame.count, (0..<frame.count).allSatisfy({ frame[$0] ?? bytes[$0] == bytes[$0] }) {
            return .http2
        }
        let shown = bytes.part(0..<min(bytes.count, foreignLength))
        let start = shown.prefix { $0 != 0x0A }
        return .notHTTP(start: Array(start.last == 0x0D ? start.dropLast() : start))
    }

    /// Parses `HTTP-version SP status-code SP [ reason-phrase ]` (RFC 9112 §4).
    private mutating func parseStatusLine(_ line: FieldBytes) throws(ResponseError) {
        guard line.count >= 8, line[6] == UInt8(ascii: "."), ByteClass.has(line[5], ByteClass.digit),
            ByteClass.has(line[7], ByteClass.digit)
        else {
            // The form `HTTP/2 200`, which command-line tools print and some gateways send.
            let isShort = line.count >= 7 && ByteClass.has(line[5], ByteClass.digit) && line[6] == 0x20
            throw isShort ? .unsupportedVersion : .malformedStatusLine
        }
        guard line[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        head.isHTTP10 = line[7] == UInt8(ascii: "0")
        guard line.count >= 12, line[8] == 0x20, let status = line.part(9..<12).decimal, status >= 100 else {
            throw .malformedStatusLine
        }
        head.status = status
        guard line.count > 12 else { return }
        guard line[12] == 0x20, line.part(13..<line.count).all(ByteClass.value) else { throw .malformedStatusLine }
        head.reason = line.part(13..<line.count).latin1
    }
}
