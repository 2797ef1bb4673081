// The head, line by line. A line is judged when its LF is there; only what needs no line end, a first byte that starts
// no method or a limit that is passed, is judged before, and then judged the same way when the whole line is there.
extension RequestParser {
    mutating func nextOfHead() throws(Rejection) -> Step {
        if case .start(let skippedLine) = state {
            guard try skipLeadingLine(alreadySkipped: skippedLine) else { return .needMore }
        }
        guard let length = try parseLines() else {
            searched = input.count
            return .needMore
        }
        input.consume(length)
        lineStart = 0
        searched = 0
        return .head
    }

    /// Parses the lines that are complete.
    ///
    /// - Returns: the length of the whole head, or nil when its end has not arrived.
    private mutating func parseLines() throws(Rejection) -> Int? {
        // A second reference to the same bytes, so that the parser can write down what it finds while it reads them.
        let held = input
        return try held.withBytes { bytes throws(Rejection) in
            while true {
                let end = bytes.lineFeed(from: searched)
                try Self.checkLimits(
                    limits, bytes, reached: end.map { $0 + 1 } ?? bytes.count,
                    fieldsStart: state == .fields ? fieldsStart : nil)
                guard let end else { return nil }
                guard end > lineStart, bytes[end - 1] == 0x0D else { throw .bareLineFeed }
                let line = lineStart..<end - 1
                if state != .fields {
                    startMessage()
                    try parseRequestLine(bytes, line)
                    fieldsStart = end + 1
                    state = .fields
                } else if line.isEmpty {
                    try finishHead(bytes.part(0..<end + 1))
                    return end + 1
                } else {
                    try parseFieldLine(bytes, line)
                }
                lineStart = end + 1
                searched = lineStart
            }
        }
    }

    /// One CRLF before a request line is skipped: old clients send it after content (RFC 9112 §2.2).
    ///
    /// - Returns: whether the first byte of a request line is there.
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

    /// Static, like `parseVersion`: a method would copy the parser while a closure holds it.
    @inline(__always)
    private static func checkLimits(
        _ limits: Limits, _ bytes: FieldBytes, reached: Int, fieldsStart: Int?
    ) throws(Rejection) {
        if let fieldsStart {
            guard reached - fieldsStart <= limits.fieldBytes + 2 else { throw .fieldsTooLarge }
            return
        }
        let end = bytes.end(of: ByteClass.token, in: 0..<min(reached, limits.method + 1))
        guard end <= limits.method else { throw .methodTooLong }
        guard end == reached || end > 0 && bytes[end] == 0x20 else { throw .malformedMethod }
        guard reached <= limits.requestLine + 2 else { throw .requestLineTooLong }
    }

    /// `method SP request-target SP HTTP-version` (RFC 9112 §3).
    private mutating func parseRequestLine(_ bytes: FieldBytes, _ line: Range<Int>) throws(Rejection) {
        guard let first = bytes.first(0x20, in: line) else { throw .malformedRequestLine }
        guard let second = bytes.first(0x20, in: first + 1..<line.upperBound) else { throw .malformedRequestLine }
        let method = line.lowerBound..<first
        let target = first + 1..<second
        let version = second + 1..<line.upperBound
        guard !target.isEmpty, !version.isEmpty else { throw .malformedRequestLine }
        head.version = try Self.parseVersion(bytes.part(version))
        head.method = Method(bytes.part(method))
        head.methodPlace = .init(method)
        head.targetPlace = .init(target)
        head.versionPlace = .init(version)
        try parseTarget(bytes, target)
    }

    /// `HTTP/` DIGIT `.` DIGIT; a later minor version of 1 is served as 1.1 (RFC 9110 §2.5).
    private static func parseVersion(_ version: FieldBytes) throws(Rejection) -> RequestHead.Version {
        guard version.count == 8, version.part(0..<5).isExactly("HTTP/"), version[6] == UInt8(ascii: "."),
            ByteClass.has(version[5], ByteClass.digit), ByteClass.has(version[7], ByteClass.digit)
        else { throw .malformedVersion }
        guard version[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        return version[7] == UInt8(ascii: "0") ? .http10 : .http11
    }

    /// `field-name ":" OWS field-value OWS` (RFC 9112 §5).
    private mutating func parseFieldLine(_ bytes: FieldBytes, _ line: Range<Int>) throws(Rejection) {
        guard head.lines.count < limits.fieldLines else { throw .tooManyFieldLines }
        let (name, value) = try FieldLineSyntax.split(bytes, line)
        let known = KnownField.named(bytes.part(name))
        head.lines.append(.init(name: .init(name), value: .init(value), known: known))
        guard let known else { return }
        try noteField(known, bytes, value)
        head.known.insert(KnownFields(known))
    }
}
