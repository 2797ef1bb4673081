// The head, line by line. A line is judged when its LF is there; only a limit that is passed, or a beginning that is not
// HTTP, is judged before, and then judged the same way when the whole line is there.
extension ResponseParser {
    /// Bytes after which an answer that does not begin as HTTP does is given up: enough to show what it is.
    private static let foreignLength = 32

    mutating func nextOfHead() throws(ResponseFault) -> Step {
        while true {
            guard let length = try parseLines() else {
                searched = input.count
                return .needMore
            }
            input.consume(length)
            lineStart = 0
            searched = 0
            if try finishHead() { return .head }
        }
    }

    /// Parses the lines that are complete.
    ///
    /// - Returns: the length of the whole head, or nil when its end has not arrived.
    private mutating func parseLines() throws(ResponseFault) -> Int? {
        // A second reference to the same bytes, so that the parser can write down what it finds while it reads them.
        let held = input
        return try held.withBytes { bytes throws(ResponseFault) in
            while true {
                let end = bytes.lineFeed(from: searched)
                try checkLimits(bytes, lineEnd: end)
                guard let end else { return nil }
                guard end > lineStart, bytes[end - 1] == 0x0D else { throw .bareLineFeed }
                let line = lineStart..<end - 1
                if state != .fields {
                    startHead()
                    try parseStatusLine(bytes.part(line))
                    fieldsStart = end + 1
                    state = .fields
                } else if line.isEmpty {
                    return end + 1
                } else {
                    try parseFieldLine(bytes, line)
                }
                lineStart = end + 1
                searched = lineStart
            }
        }
    }

    private mutating func startHead() {
        head = ResponseHead()
        contentLength = nil
        transferEncodingSeen = false
        isChunked = false
    }

    private func checkLimits(_ bytes: FieldBytes, lineEnd: Int?) throws(ResponseFault) {
        let reached = lineEnd.map { $0 + 1 } ?? bytes.count
        if state == .fields {
            guard reached - fieldsStart <= limits.fieldBytes + 2 else {
                throw .fieldsTooLarge(limit: limits.fieldBytes)
            }
            return
        }
        if lineEnd != nil || reached >= Self.foreignLength, let fault = Self.foreignStart(bytes.part(0..<reached)) {
            throw fault
        }
        guard reached <= limits.statusLine + 2 else { throw .statusLineTooLong(limit: limits.statusLine) }
    }

    /// What the bytes so far are instead of HTTP/1; nil when they may still become it, or there are none.
    func foreignStart() -> ResponseFault? {
        input.withBytes { $0.isEmpty ? nil : Self.foreignStart($0) }
    }

    private static func foreignStart(_ bytes: FieldBytes) -> ResponseFault? {
        let name: StaticString = "HTTP/"
        let count = min(bytes.count, name.utf8CodeUnitCount)
        guard (0..<count).contains(where: { unsafe bytes[$0] != name.utf8Start[$0] }) else { return nil }
        // A server's first frame: SETTINGS, at most 255 bytes, no flags, stream 0 (RFC 9113 §3.4, §4.1).
        let frame: [UInt8?] = [0, 0, nil, 4, 0, 0, 0, 0, 0]
        if bytes.count >= frame.count, (0..<frame.count).allSatisfy({ frame[$0] ?? bytes[$0] == bytes[$0] }) {
            return .http2
        }
        let shown = bytes.part(0..<min(bytes.count, foreignLength))
        let start = shown.prefix { $0 != 0x0A }
        return .notHTTP(start: Array(start.last == 0x0D ? start.dropLast() : start))
    }

    /// `HTTP-version SP status-code SP [ reason-phrase ]` (RFC 9112 §4).
    private mutating func parseStatusLine(_ line: FieldBytes) throws(ResponseFault) {
        guard line.count >= 8, line[6] == UInt8(ascii: "."), ByteClass.has(line[5], ByteClass.digit),
            ByteClass.has(line[7], ByteClass.digit)
        else {
            // `HTTP/2 200`, as command-line tools print it and some gateways send it.
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
        head.reason = line.part(13..<line.count).byteText
    }

    /// `field-name ":" OWS field-value OWS` (RFC 9112 §5).
    private mutating func parseFieldLine(_ bytes: FieldBytes, _ line: Range<Int>) throws(ResponseFault) {
        guard head.fields.count < limits.fieldLines else { throw .tooManyFieldLines(limit: limits.fieldLines) }
        let name: FieldBytes
        let value: FieldBytes
        do throws(Rejection) {
            let places = try FieldLineSyntax.split(bytes, line)
            (name, value) = (bytes.part(places.name), bytes.part(places.value))
        } catch {
            throw ResponseFault(error, limits)
        }
        head.fields.append((name.byteText, value.byteText))
        if name.equalsIgnoringCase("content-length") { try noteContentLength(value) }
        if name.equalsIgnoringCase("transfer-encoding") { try noteTransferEncoding(value) }
    }
}
