import MotivatorPlatform

/// Reads tokens from JSON text and counts lines and columns.
///
/// A recovering scanner records each error and continues. A strict scanner throws the first error.
struct JSONScanner {
    /// A position in the text.
    struct Cursor {
        var offset = 0
        var line = 1
        var lineStart = 0
        /// The number of bytes in this line that do not begin a scalar. Columns count scalars.
        var continuationBytes = 0
    }

    private(set) var bytes: [UInt8]
    let isRecovering: Bool
    var errors: [JSONError] = []
    /// Whether errors are counted but not recorded: while looking ahead, and after the text is cut off.
    var isMuted = false
    private var errorCount = 0
    private var quoteCount = 0
    var cursor = Cursor()
    private var offsetAfterSpace = 0
    /// Whether an unclosed comment was found. Later comments cannot be closed either.
    private var lacksCommentEnd = false
    /// The location after the last token, before any white space.
    private(set) var tokenEnd = SourceLocation.start
    /// The last typographic quote in the last string. If an error follows that string, the quote should have closed it.
    var typographicQuote: (location: SourceLocation, scalar: Unicode.Scalar)?
    /// The last string, if it has a closing quote.
    var lastString: StringMark?

    init(_ bytes: [UInt8], isRecovering: Bool) {
        (self.bytes, self.isRecovering) = (bytes, isRecovering)
    }

    var offset: Int { cursor.offset }

    var location: SourceLocation {
        SourceLocation(
            line: cursor.line, column: offset - cursor.lineStart - cursor.continuationBytes + 1, offset: offset)
    }

    /// The next byte, or nil at the end.
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Records an error if the scanner recovers.
    /// - Throws: The error if the scanner is strict or has found too many errors.
    mutating func report(_ error: JSONError) throws(JSONError) {
        // An editor makes the same mistake with every quote, so each one does not count.
        if isRecovering, case .typographicQuote = error, quoteCount < RecoveringJSONDocument.maximumQuotes {
            quoteCount += 1
        } else {
            guard isRecovering, errorCount < RecoveringJSONDocument.maximumErrors else { throw error }
            errorCount += 1
        }
        if !isMuted { errors.append(error) }
        // Do not report each incomplete enclosing value as another error.
        if case .cutOff = error { isMuted = true }
    }

    mutating func refuse(_ error: JSONError) throws(JSONError) -> Never {
        try report(error)
        throw error
    }

    /// Consumes ASCII bytes that do not end a line.
    mutating func take(_ count: Int = 1) { cursor.offset += count }

    /// Consumes a scalar that does not end a line.
    mutating func take(_ scalar: Unicode.Scalar) {
        let length = UTF8.width(scalar)
        cursor.offset += length
        cursor.continuationBytes += length - 1
    }

    mutating func takeAny() {
        guard let byte else { return }
        if byte == .lineFeed || byte == .carriageReturn { return takeLineEnd() }
        do throws(JSONError) { take(try scalar()) } catch { takeUncounted(1) }
    }

    /// Consumes bytes that do not count as a column.
    mutating func takeUncounted(_ count: Int) {
        cursor.offset += count
        cursor.continuationBytes += count
    }

    mutating func takeInvalid() {
        while let byte, byte >= 0x80 {
            do throws(JSONError) {
                _ = try scalar()
                return
            } catch {
                takeUncounted(1)
            }
        }
    }

    mutating func takeLineEnd() {
        let isPair = byte == .carriageReturn && offset + 1 < bytes.count && bytes[offset + 1] == .lineFeed
        cursor = Cursor(offset: offset + (isPair ? 2 : 1), line: cursor.line + 1)
        cursor.lineStart = offset
    }

    mutating func goBack(to cursor: Cursor) {
        self.cursor = cursor
        offsetAfterSpace = -1
    }

    /// Consumes white space (RFC 8259, section 2) and stops before anything else.
    ///
    /// Comments and invisible characters are errors. Several errors of one kind in one run of white space count as one.
    mutating func takeSpace() throws(JSONError) {
        if offset != offsetAfterSpace { tokenEnd = location }
        defer { offsetAfterSpace = offset }
        var (hasComment, hasInvisible) = (false, false)
        while let byte {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): take()
            case .lineFeed, .carriageReturn: takeLineEnd()
            case UInt8(ascii: "#"), UInt8(ascii: "/"):
                guard beginsComment(at: offset) else { return }
                if !hasComment { try report(.comment(location)) }
                hasComment = true
                takeComment()
            case 0x80...:
                guard let scalar = try validScalar() else {
                    takeInvalid()
                    continue
                }
                guard scalar.isInvisible else { return }
                if !hasInvisible { try report(.invisibleCharacter(location, scalar)) }
                hasInvisible = true
                take(scalar)
            default: return
            }
        }
    }

    /// Returns the next scalar without consuming it. For invalid UTF-8, reports the error and returns nil.
    mutating func validScalar(inStringAt opened: SourceLocation? = nil) throws(JSONError) -> Unicode.Scalar? {
        do throws(JSONError) { return try scalar() } catch {
            if let opened, case .cutOff(let location, _, _) = error {
                try report(.cutOff(location, inside: .string, opened: opened))
            } else {
                try report(error)
            }
            return nil
        }
    }

    func beginsComment(at index: Int) -> Bool {
        guard index < bytes.count else { return false }
        if bytes[index] == UInt8(ascii: "#") { return true }
        guard bytes[index] == UInt8(ascii: "/"), index + 1 < bytes.count else { return false }
        return bytes[index + 1] == UInt8(ascii: "/") || bytes[index + 1] == UInt8(ascii: "*")
    }

    /// Consumes a comment. An unclosed comment ends with its line.
    private mutating func takeComment() {
        let star = UInt8(ascii: "*")
        if byte == UInt8(ascii: "/"), bytes[offset + 1] == star, !lacksCommentEnd {
            var end = offset + 2
            while end + 1 < bytes.count, bytes[end] != star || bytes[end + 1] != UInt8(ascii: "/") { end += 1 }
            lacksCommentEnd = end + 1 >= bytes.count
            while !lacksCommentEnd, offset < end + 2 { takeAny() }
            if !lacksCommentEnd { return }
        }
        while let byte, byte != .lineFeed, byte != .carriageReturn { takeAny() }
    }

    /// Returns the next scalar without consuming it.
    /// - Throws: `invalidUTF8` with the first invalid byte (RFC 3629, section 4), or `cutOff` if the text ends within
    ///   the scalar.
    func scalar() throws(JSONError) -> Unicode.Scalar {
        let first = bytes[offset]
        if first < 0x80 { return Unicode.Scalar(first) }
        var iterator = bytes[offset...].makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        switch parser.parseScalar(from: &iterator) {
        case .valid(let encoded): return Unicode.UTF8.decode(encoded)
        case .error(let length) where length == bytes.count - offset && (0xC2...0xF4).contains(first):
            throw .cutOff(location, inside: .character, opened: location)
        case .error, .emptyInput: throw .invalidUTF8(location, byte: first)
        }
    }

    /// Detects a byte order mark, another encoding or rich text from the first bytes.
    mutating func checkBeginning() throws(JSONError) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            try report(.byteOrderMark(location))
            takeUncounted(3)
        } else if let text = Self.utf8(fromUTF16: bytes) {
            try report(.otherEncoding(location))
            bytes = text
        }
        if bytes[offset...].starts(with: Array("{\\rtf".utf8)) { try refuse(.richText(location)) }
    }

    /// Returns UTF-16 text in UTF-8 without its byte order mark, or nil for text in another encoding.
    ///
    /// The mark, or the zero bytes of two ASCII characters (RFC 4627, section 3), show the encoding. Invalid units
    /// become U+FFFD.
    private static func utf8(fromUTF16 bytes: [UInt8]) -> [UInt8]? {
        let isLittleEndian: Bool
        switch bytes.prefix(4).map({ $0 == 0 }) {
        case [false, true, false, true]: isLittleEndian = true
        case [true, false, true, false]: isLittleEndian = false
        case _:
            guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) else { return nil }
            isLittleEndian = bytes[0] == 0xFF
        }
        let units = stride(from: 0, to: bytes.count, by: 2).map { index -> UInt16 in
            guard index + 1 < bytes.count else { return 0xFFFD }
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittleEndian ? second << 8 | first : first << 8 | second
        }
        return Array(String(decoding: units.drop { $0 == 0xFEFF }, as: UTF16.self).utf8)
    }
}

extension Unicode.Scalar {
    /// Whether this is a space or mark that editors and web pages insert but JSON does not allow.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .spaceSeparator, .format, .lineSeparator, .paragraphSeparator: true
        default: value == 0x85
        }
    }

    /// Whether this is a curved or angled double quote, which some editors substitute for a straight quote.
    package var isTypographicQuote: Bool {
        switch value {
        case 0x201C...0x201F, 0xAB, 0xBB, 0xFF02, 0x300C...0x300F: true
        default: false
        }
    }

    /// Whether this is a typographic single quote. It cannot begin a string, but is a common apostrophe inside strings.
    package var isTypographicSingleQuote: Bool {
        (0x2018...0x201B).contains(value) || value == 0x2039 || value == 0x203A
    }
}
