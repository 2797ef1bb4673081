/// Finds the data in chunked content, one piece at a time (RFC 9112 §7.1).
struct ChunkedDecoder: Sendable {
    /// What the front of the bytes is.
    enum Piece: Sendable, Equatable {
        /// Nothing to decide before more bytes are there.
        case needMore
        /// `consumed` bytes of framing.
        case skip(consumed: Int)
        /// `count` bytes of data.
        case data(count: Int)
        /// The last chunk and its trailers ended; `consumed` bytes are done with.
        case end(consumed: Int)
    }

    private enum State: Sendable {
        case size
        case data(left: Int)
        case dataEnd
        case trailers
    }

    private var state = State.size
    /// Up to where the current line has no LF, so that a line that comes byte by byte is searched once.
    private var searched = 0
    private var extensionBytes = 0
    private var trailerBytes = 0
    private var trailerLines = 0

    /// Looks at the front of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: what is not consumed yet.
    ///   - limits: the bounds on extensions, size digits and trailers.
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

    /// `1*HEXDIG [chunk-ext] CRLF`.
    private mutating func nextSize(_ bytes: FieldBytes, _ limits: Limits) throws(Rejection) -> Piece {
        var digits = 0
        var size = 0
        while digits < bytes.count, ByteClass.has(bytes[digits], ByteClass.hex) {
            guard digits < limits.chunkSizeDigits, size <= Int.max >> 4 else { throw .malformedChunkSize }
            size = size << 4 | Self.value(bytes[digits])
            digits += 1
        }
        guard digits < bytes.count else { return .needMore }
        guard digits > 0, bytes[digits] == 0x0D || bytes[digits] == UInt8(ascii: ";") else { throw .malformedChunkSize }
        // Without extensions only LF may follow the CR, which is judged before the rest of the line is there.
        if bytes[digits] == 0x0D, bytes.count > digits + 1, bytes[digits + 1] != 0x0A { throw .malformedChunkSize }
        let end = bytes.lineFeed(from: max(searched, digits))
        // A CR at the end is taken for the line's, wherever the bytes are cut: it counts as no extension.
        var reached = end ?? bytes.count
        if bytes[reached - 1] == 0x0D { reached -= 1 }
        guard extensionBytes + reached - digits <= limits.chunkExtensions else { throw .chunkExtensionsTooLarge }
        guard let end else {
            searched = bytes.count
            return .needMore
        }
        guard bytes[end - 1] == 0x0D else { throw .malformedChunkSize }
        try ChunkExtension.check(bytes.part(digits..<end - 1))
        extensionBytes += end - 1 - digits
        searched = 0
        state = size == 0 ? .trailers : .data(left: size)
        return .skip(consumed: end + 1)
    }

    /// Trailers are checked like fields and dropped.
    private mutating func nextTrailer(_ bytes: FieldBytes, _ limits: Limits) throws(Rejection) -> Piece {
        let end = bytes.lineFeed(from: searched)
        guard trailerBytes + (end.map { $0 + 1 } ?? bytes.count) <= limits.fieldBytes + 2 else { throw .fieldsTooLarge }
        guard let end else {
            searched = bytes.count
            return .needMore
        }
        guard end > 0, bytes[end - 1] == 0x0D else { throw .bareLineFeed }
        searched = 0
        guard end > 1 else { return .end(consumed: 2) }
        guard trailerLines < limits.fieldLines else { throw .tooManyFieldLines }
        _ = try FieldLineSyntax.split(bytes, 0..<end - 1)
        trailerBytes += end + 1
        trailerLines += 1
        return .skip(consumed: end + 1)
    }

    private static func value(_ digit: UInt8) -> Int {
        Int(digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : (digit | 0x20) - UInt8(ascii: "a") + 10)
    }
}

/// The syntax of `*( ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )` (RFC 9112 §7.1.1).
///
/// White space between the size and the first semicolon is refused, although the RFC lets a reader skip it: it is a
/// known way of making two readers disagree about a size.
enum ChunkExtension {
    static func check(_ bytes: FieldBytes) throws(Rejection) {
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: ";") else { throw .malformedChunkExtension }
            index += 1
            skipSpace(bytes, &index)
            guard skipToken(bytes, &index) else { throw .malformedChunkExtension }
            skipSpace(bytes, &index)
            if index < bytes.count, bytes[index] == UInt8(ascii: "=") {
                index += 1
                skipSpace(bytes, &index)
                guard skipToken(bytes, &index) || skipQuoted(bytes, &index) else { throw .malformedChunkExtension }
                skipSpace(bytes, &index)
            }
            // The white space before a semicolon or an equals sign; at the end of the line there is none.
            guard index < bytes.count || !isSpace(bytes[index - 1]) else { throw .malformedChunkExtension }
        }
    }

    private static func skipSpace(_ bytes: FieldBytes, _ index: inout Int) {
        while index < bytes.count, isSpace(bytes[index]) { index += 1 }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func skipToken(_ bytes: FieldBytes, _ index: inout Int) -> Bool {
        let start = index
        while index < bytes.count, ByteClass.has(bytes[index], ByteClass.token) { index += 1 }
        return index > start
    }

    private static func skipQuoted(_ bytes: FieldBytes, _ index: inout Int) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return false }
        index += 1
        while index < bytes.count, ByteClass.has(bytes[index], ByteClass.value) {
            if bytes[index] == UInt8(ascii: "\"") {
                index += 1
                return true
            }
            if bytes[index] == UInt8(ascii: "\\") {
                // It takes the byte behind it along, which must be one that a value may have.
                index += 1
                guard index < bytes.count, ByteClass.has(bytes[index], ByteClass.value) else { return false }
            }
            index += 1
        }
        return false
    }
}
