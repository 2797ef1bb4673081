/// A JSON text that was parsed strictly, with the location of every value and key (RFC 8259).
///
/// The parser accepts only the grammar: no comments, no trailing commas, no byte order mark, no encoding except UTF-8.
/// It also rejects a lone surrogate in an escape, which section 8.2 calls unpredictable. The time is linear in the text.
public struct JSONDocument: Sendable {
    /// The maximum nesting of arrays and objects (RFC 8259, section 9).
    ///
    /// No association file needs more, and a text of brackets alone takes little memory.
    public static let maximumDepth = 512

    /// A key that occurs twice in one object: valid by the grammar, but parsers differ in which value they use.
    public struct DuplicateKey: Hashable, Sendable {
        /// The key.
        public let key: String
        /// The location of the first occurrence.
        public let first: SourceLocation
        /// The location of the later occurrence.
        public let second: SourceLocation
    }

    /// The text.
    public let bytes: [UInt8]
    /// The value of the text.
    public let root: JSONValue
    /// The keys that occur twice in one object, in the order in which their objects end.
    public let duplicateKeys: [DuplicateKey]

    /// Parses a text.
    ///
    /// - Parameter bytes: The whole text in UTF-8. The caller limits its size.
    /// - Throws: The first error.
    public init(_ bytes: [UInt8]) throws(JSONFault) {
        var parser = JSONParser(bytes, isForgiving: false)
        try parser.parse()
        guard let root = parser.root else { throw .empty(SourceLocation(line: 1, column: 1, offset: 0)) }
        self.root = root
        duplicateKeys = parser.duplicateKeys
        self.bytes = bytes
    }
}

/// A text that may contain JSON errors: every error, and as much of the value as is certain.
///
/// After an error, the parser continues at the next `,`, `}` or `]`. It leaves a value out rather than invent it: a key
/// without a value has no member. It repairs only the mistakes that are common in real files: a wrong or missing comma,
/// typographic or single quotes, a missing quote at the end of a line, keys and words without quotes, and comments. A
/// word takes its probable meaning (`True`, `None`), otherwise it is a string. A malformed number stays as written. The
/// time is linear in the text, because looking ahead costs an error and their number is limited.
public struct ForgivingJSON: Sendable {
    /// The maximum number of errors that are listed.
    public static let maximumFaults = 50

    /// The value, or nil if the text has none (HTML, RTF, only white space, …).
    public let root: JSONValue?
    /// The errors in the order of the text, except that the error of `JSONDocument` is always the first.
    ///
    /// It is empty exactly if `JSONDocument` accepts the text.
    public let faults: [JSONFault]
    /// The keys that occur twice in one object, in the order in which their objects end.
    public let duplicateKeys: [JSONDocument.DuplicateKey]
    /// The locations of the objects and arrays from which something is missing, because of an error or the end of the text.
    public let incomplete: Set<SourceLocation>
    /// Whether the whole text was read. HTML, RTF, extra content, deep nesting and `maximumFaults` stop the parser.
    public let isComplete: Bool
    /// The text that all locations refer to: the input, or its UTF-8 form if it was in UTF-16 or UTF-32.
    public let text: [UInt8]

    /// Parses a text and continues after each error.
    ///
    /// - Parameter bytes: The whole text. The caller limits its size.
    public init(_ bytes: [UInt8]) {
        var parser = JSONParser(bytes, isForgiving: true)
        do throws(JSONFault) {
            try parser.parse()
            isComplete = true
        } catch {
            parser.closeAll()
            isComplete = false
        }
        root = parser.root
        duplicateKeys = parser.duplicateKeys
        incomplete = parser.incomplete
        text = parser.scanner.bytes
        // The end of a line shows an error at the beginning of a string.
        faults =
            parser.scanner.faults.prefix(1) + parser.scanner.faults.dropFirst().sorted { $0.location < $1.location }
    }
}
