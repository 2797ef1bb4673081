/// An incremental decoder that finds the data in chunked content (RFC 9112 §7.1).
struct ChunkedDecoder: Sendable {
    enum Piece: Sendable, Equatable {
        case needMore
        case skip(consumed: Int)
        case data(count: Int)
        case end(consumed: Int)
    }

    private enum State: Sendable {
        case size
        case data(left: Int)
        case dataEnd
        case trailers
    }

    private var state = State.size
    private var lines = LineReader()
    private var extensionBytes = 0

    mutating func next(_ bytes: FieldBytes, _ limits: Limits) throws(Rejection) -> Piece {
        switch state {
        case .size: return try nextSize(bytes, limits)
        case .data(let left): return nextData(bytes, left: left)
        case .dataEnd: return try nextDataEnd(bytes)
        case .trailers: return try nextTrailer(bytes, limits)
        }
    }

    private mutating func nextData(_ bytes: FieldBytes, left: Int) -> Piece {
        guard !bytes.isEmpty else { return .needMore }
        let count = min(left, bytes.count)
        state = count == left ? .dataEnd : .data(left: left - count)
        return .data(count: count)
    }

    private mutating func nextDataEnd(_ bytes: FieldBytes) throws(Rejection) -> Piece {
        guard let first = bytes.first else { return .needMore }
        guard first == 0x0D else { throw .malformedChunkEnd }
        guard bytes.count > 1 else { return .needMore }
        guard bytes[1] == 0x0A else { throw .malformedChunkEnd }
        state = .size
        return .skip(consumed: 2)
    }

    /// Parses `1*HEXDIG [chunk-ext] CRLF`.
    private mutating func nextSize(_ bytes: FieldBytes, _ limits: Limits) throws(Rejection) -> Piece {
        var digits = 0
        var size = 0
        while digits < bytes.count, ByteClass.has(bytes[digits], ByteClass.hex) {
            guard digits < limits.chunkSizeDigits, size <= Int.max >> 4 else { throw .malformedChunkSize }
            size = size << 4 | Self.value(bytes[digits])
            digits += 1
        }
        guard digits < bytes.count else { return .needMore }
        let follows = bytes[digits]
        guard digits > 0, follows == 0x0D || follows == UInt8(ascii: ";") || ByteClass.isWhitespace(follows) else {
            throw .malformedChunkSize
        }
        // Without extensions, only LF may follow the CR. This check does not wait for the rest of the line.
        if bytes[digits] == 0x0D, bytes.count > digits + 1, bytes[digits + 1] != 0x0A { throw .malformedChunkSize }
        let end = lines.lineFeed(in: bytes)
        // A final CR may be part of the line end. It does not count, so packet boundaries do not affect the limit.
        var reached = end ?? bytes.count
        if bytes[reached - 1] == 0x0D { reached -= 1 }
        guard extensionBytes + reached - digits <= limits.chunkExtensions else { throw .chunkExtensionsTooLarge }
        guard let end else { return .needMore }
        guard bytes[end - 1] == 0x0D else { throw .malformedChunkSize }
        let line = try lines.take(upTo: end, in: bytes)
        try Self.checkExtensions(bytes.part(digits..<line.upperBound))
        extensionBytes += line.upperBound - digits
        state = size == 0 ? .trailers : .data(left: size)
        lines.startFields()
        return .skip(consumed: lines.consumeLines())
    }

    /// Checks the syntax of the next trailer field and discards the field.
    private mutating func nextTrailer(_ bytes: FieldBytes, _ limits: Limits) throws(Rejection) -> Piece {
        switch try lines.nextField(in: bytes, limits) {
        case .needMore: .needMore
        case .field: .skip(consumed: lines.consumeLines())
        case .end(let count): .end(consumed: count)
        }
    }

    private static func value(_ digit: UInt8) -> Int {
        Int(digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : (digit | 0x20) - UInt8(ascii: "a") + 10)
    }

    /// Checks `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )` (RFC 9112 §7.1.1).
    private static func checkExtensions(_ bytes: FieldBytes) throws(Rejection) {
        var cursor = FieldCursor(bytes)
        while !cursor.isAtEnd {
            cursor.skipOptionalWhitespace()
            guard cursor.take(";") else { throw .malformedChunkExtension }
            cursor.skipOptionalWhitespace()
            guard !cursor.take(while: .token).isEmpty else { throw .malformedChunkExtension }
            cursor.skipOptionalWhitespace()
            if cursor.take("=") {
                cursor.skipOptionalWhitespace()
                guard !cursor.take(while: .token).isEmpty || cursor.takeQuotedString() != nil else {
                    throw .malformedChunkExtension
                }
                cursor.skipOptionalWhitespace()
            }
            // White space is allowed before ";" and "=", but not at the end of the line.
            guard !cursor.isAtEnd || !ByteClass.isWhitespace(bytes[bytes.count - 1]) else {
                throw .malformedChunkExtension
            }
        }
    }
}
