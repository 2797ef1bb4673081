// Parses the head line by line, and checks each line as soon as its LF arrives. Two checks do not wait for the LF:
// whether the first byte can start a method, and whether a limit is exceeded.
extension RequestParser {
    mutating func parseHead() throws(Rejection) -> Step {
        if case .start(let skippedLine) = state {
            guard try skipLeadingLine(alreadySkipped: skippedLine) else { return .needMore }
        }
        guard let length = try parseLines() else { return .needMore }
        input.consume(length)
        lines = LineReader()
        return .head
    }

    /// Parses the complete lines.
    /// - Returns: the length of the head in bytes; nil if its end has not arrived.
    private mutating func parseLines() throws(Rejection) -> Int? {
        // The closure changes the parser while it reads the bytes, so it reads a copy, which shares them with `input`.
        let held = input
        return try held.withBytes { bytes throws(Rejection) in
            if state != .fields {
                let end = lines.lineFeed(in: bytes)
                try Self.checkStart(limits, bytes, reached: end.map { $0 + 1 } ?? bytes.count)
                guard let end else { return nil }
                let line = try lines.take(upTo: end, in: bytes)
                startMessage()
                try parseRequestLine(bytes, line)
                lines.startFields()
                state = .fields
            }
            while true {
                switch try lines.nextField(in: bytes, limits) {
                case .needMore: return nil
                case .field(let name, let value): try addField(bytes, name, value)
                case .end(let end):
                    try finishHead(bytes.part(0..<end))
                    return end
                }
            }
        }
    }

    /// Skips one CRLF before a request line, because old clients send a CRLF after the content (RFC 9112 §2.2).
    /// - Returns: whether the first byte of a request line has arrived.
    @inline(__always)
    private mutating func skipLeadingLine(alreadySkipped: Bool) throws(Rejection) -> Bool {
        let (first, second) = input.withBytes { ($0.first, $0.count > 1 ? $0[1] : nil) }
        guard let first else { return false }
        guard first != 0x0A else { throw .bareLineFeed }
        guard first == 0x0D else { return true }
        guard !alreadySkipped else { throw .malformedMethod }
        guard let second else { return false }
        guard second == 0x0A else { throw .malformedMethod }
        input.consume(2)
        state = .start(skippedLine: true)
        return try skipLeadingLine(alreadySkipped: true)
    }

    /// Checks the start of a request line. The first `reached` bytes have arrived.
    ///
    /// Static, because an instance method would copy the parser while a closure holds it: 780 instructions (2%).
    @inline(__always)
    private static func checkStart(_ limits: Limits, _ bytes: FieldBytes, reached: Int) throws(Rejection) {
        let end = bytes.end(of: ByteClass.token, in: 0..<min(reached, limits.method + 1))
        guard end <= limits.method else { throw .methodTooLong }
        guard end == reached || end > 0 && bytes[end] == 0x20 else { throw .malformedMethod }
        guard reached <= limits.startLine + 2 else { throw .requestLineTooLong }
    }

    /// Parses `method SP request-target SP HTTP-version` (RFC 9112 §3).
    private mutating func parseRequestLine(_ bytes: FieldBytes, _ line: Range<Int>) throws(Rejection) {
        guard let first = bytes.first(0x20, in: line) else { throw .malformedRequestLine }
        guard let second = bytes.first(0x20, in: first + 1..<line.upperBound) else { throw .malformedRequestLine }
        let method = line.lowerBound..<first
        let target = first + 1..<second
        let version = second + 1..<line.upperBound
        guard !target.isEmpty, !version.isEmpty else { throw .malformedRequestLine }
        head.version = try Self.parseVersion(bytes.part(version))
        head.method = Method(bytes.part(method))
        head.methodRange = .init(method)
        head.targetRange = .init(target)
        head.versionRange = .init(version)
        try parseTarget(bytes, target)
    }

    /// Parses `HTTP/` DIGIT `.` DIGIT. Higher minor versions of HTTP/1 count as 1.1 (RFC 9110 §2.5).
    private static func parseVersion(_ version: FieldBytes) throws(Rejection) -> RequestHead.Version {
        guard version.count == 8, version.part(0..<5).isExactly("HTTP/"), version[6] == UInt8(ascii: "."),
            ByteClass.has(version[5], ByteClass.digit), ByteClass.has(version[7], ByteClass.digit)
        else { throw .malformedVersion }
        guard version[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        return version[7] == UInt8(ascii: "0") ? .http10 : .http11
    }

    @inline(__always)
    private mutating func addField(_ bytes: FieldBytes, _ name: Range<Int>, _ value: Range<Int>) throws(Rejection) {
        let known = KnownField.named(bytes.part(name))
        head.lines.append(.init(name: .init(name), value: .init(value), known: known))
        guard let known else { return }
        try apply(known, bytes, value)
        head.known.insert(KnownFields(known))
    }
}
