/// Reads tokens from a text and counts lines and columns on the way, each byte once.
struct JSONScanner {
    let bytes: [UInt8]
    private(set) var offset = 0
    private var line = 1
    private var lineStart = 0
    /// Bytes of this line that belong to the scalar before them, so that a column counts scalars.
    private var continuationBytes = 0
    private var offsetAfterSpace = 0
    /// The place right after the last token, before any white space.
    private(set) var tokenEnd = TextPlace(line: 1, column: 1, offset: 0)
    /// The last typographic quote in the string that was read last: if something is missing after that string,
    /// the quote was meant to close it.
    var typographicQuote: (place: TextPlace, scalar: Unicode.Scalar)?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Where the next byte stands.
    var place: TextPlace {
        TextPlace(line: line, column: offset - lineStart - continuationBytes + 1, offset: offset)
    }

    /// The next byte, or nil at the end.
    var byte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Takes bytes of ASCII that end no line.
    mutating func take(_ count: Int = 1) {
        offset += count
    }

    /// Takes one scalar of any length that ends no line.
    mutating func take(_ scalar: Unicode.Scalar) {
        let length = UTF8.width(scalar)
        offset += length
        continuationBytes += length - 1
    }

    /// Takes white space (RFC 8259, section 2) and stops before anything else.
    ///
    /// - Throws: the fault of a comment or of a character that only looks like white space: neither can begin a token.
    mutating func takeSpace() throws(JSONFault) {
        if offset != offsetAfterSpace { tokenEnd = place }
        defer { offsetAfterSpace = offset }
        while let byte {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"): offset += 1
            case .lineFeed: startLine(after: 1)
            case .carriageReturn:
                let isPair = offset + 1 < bytes.count && bytes[offset + 1] == .lineFeed
                startLine(after: isPair ? 2 : 1)
            case UInt8(ascii: "#"): throw .comment(place)
            case UInt8(ascii: "/"):
                guard offset + 1 < bytes.count, bytes[offset + 1] == byte || bytes[offset + 1] == UInt8(ascii: "*")
                else { return }
                throw .comment(place)
            case 0x80...:
                let scalar = try scalar()
                guard scalar.isInvisible else { return }
                throw .invisibleCharacter(place, scalar)
            default: return
            }
        }
    }

    private mutating func startLine(after count: Int) {
        offset += count
        line += 1
        lineStart = offset
        continuationBytes = 0
    }

    /// The next scalar, which is not taken.
    ///
    /// - Throws: `invalidUTF8` with the byte that begins no scalar (RFC 3629, section 4), or `cutOff` when the
    ///   text ends within the scalar.
    func scalar() throws(JSONFault) -> Unicode.Scalar {
        let first = bytes[offset]
        if first < 0x80 { return Unicode.Scalar(first) }
        // The second byte's range keeps out overlong forms, surrogates and what lies above U+10FFFF.
        let (length, second): (Int, ClosedRange<UInt8>)
        switch first {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw .invalidUTF8(place, byte: first)
        }
        var value = UInt32(first) & (0x7F >> UInt32(length))
        for index in 1..<length {
            guard offset + index < bytes.count else { throw .cutOff(place, inside: .character, opened: place) }
            let next = bytes[offset + index]
            guard (index == 1 ? second : 0x80...0xBF).contains(next) else { throw .invalidUTF8(place, byte: first) }
            value = value << 6 | UInt32(next & 0x3F)
        }
        guard let scalar = Unicode.Scalar(value) else { throw .invalidUTF8(place, byte: first) }
        return scalar
    }

    /// Refuses a text that is no JSON by its first bytes, with the name of what it is.
    func checkBeginning() throws(JSONFault) {
        let start = place
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw .byteOrderMark(start) }
        if let name = otherEncoding { throw .otherEncoding(start, name: name) }
        if bytes.starts(with: Array("{\\rtf".utf8)) { throw .richText(start) }
    }

    /// The encoding by its byte order mark, or by the zero bytes around a first character of ASCII (RFC 4627, section 3).
    private var otherEncoding: String? {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
        guard bytes.count >= 4 else { return nil }
        switch (bytes[0] == 0, bytes[1] == 0, bytes[2] == 0, bytes[3] == 0) {
        case (true, true, true, false), (false, true, true, true): return "UTF-32"
        case (true, false, true, false), (false, true, false, true): return "UTF-16"
        default: return nil
        }
    }
}

extension Unicode.Scalar {
    /// Spaces and marks that an editor or a web page leaves behind and that JSON does not take as white space.
    var isInvisible: Bool {
        switch properties.generalCategory {
        case .spaceSeparator, .format, .lineSeparator, .paragraphSeparator: true
        default: value == 0x85
        }
    }

    /// A curved or angled double quote that an editor puts in the place of a straight one.
    var isTypographicQuote: Bool {
        switch value {
        case 0x201C...0x201F, 0xAB, 0xBB, 0xFF02, 0x300C...0x300F: true
        default: false
        }
    }

    /// A single typographic quote: wrong where a string has to begin, but common inside of one, as an apostrophe.
    var isTypographicSingleQuote: Bool {
        (0x2018...0x201B).contains(value) || value == 0x2039 || value == 0x203A
    }
}
