/// A strictly parsed JSON text, with the location of every value and key (RFC 8259).
///
/// The parser accepts only the JSON grammar in UTF-8: no comments, no trailing commas, no byte order mark. It also
/// rejects an escaped lone surrogate, because section 8.2 calls its handling unpredictable. Parsing takes linear time.
public struct JSONDocument: Sendable {
    /// The maximum nesting depth of arrays and objects (RFC 8259, section 9).
    ///
    /// No association file needs a greater depth. The limit bounds the memory for deeply nested brackets.
    public static let maximumDepth = 512

    /// A key that occurs twice in one object. The grammar allows it, but parsers choose different values.
    public struct DuplicateKey: Hashable, Sendable {
        /// The key.
        public let key: String
        /// The location of the first occurrence.
        public let first: SourceLocation
        /// The location of the later occurrence.
        public let second: SourceLocation
    }

    /// The bytes of the text.
    public let bytes: [UInt8]
    /// The value of the text.
    public let root: JSONValue
    /// The keys that occur more than once in an object. The keys of an object that ends earlier come first.
    public let duplicateKeys: [DuplicateKey]

    /// Parses a JSON text.
    /// - Parameter bytes: The whole text in UTF-8. The caller limits its size.
    /// - Throws: The first error.
    public init(_ bytes: [UInt8]) throws(JSONError) {
        var parser = JSONParser(bytes, isRecovering: false)
        try parser.parse()
        guard let root = parser.root else { throw .empty(.start) }
        self.root = root
        duplicateKeys = parser.duplicateKeys
        self.bytes = bytes
    }
}

/// A JSON text parsed with error recovery: its errors, and the part of its value that is certain.
///
/// After an error, the parser continues at the next `,`, `}` or `]`. It never invents a value: a key without a value
/// produces no member. It repairs only these common errors:
/// - A wrong or missing comma.
/// - Typographic or single quotes, or a missing quote at the end of a line.
/// - Unquoted keys and words. A word gets its probable meaning (`True`, `None`) or becomes a string.
/// - A malformed number, which keeps its text.
/// - Comments.
///
/// Parsing takes linear time: each lookahead follows an error, and the number of errors is limited.
public struct RecoveringJSONDocument: Sendable {
    /// The maximum number of recorded errors.
    public static let maximumErrors = 50
    /// The maximum number of typographic quotes that do not count as errors. It bounds the memory for a malicious file.
    static let maximumQuotes = 1_000

    /// The value, or nil if the text has none (HTML, RTF, only white space, …).
    public let root: JSONValue?
    /// The errors in text order, after the error that `JSONDocument` throws.
    ///
    /// The array is empty if and only if `JSONDocument` accepts the text.
    public let errors: [JSONError]
    /// The keys that occur more than once in an object. The keys of an object that ends earlier come first.
    public let duplicateKeys: [JSONDocument.DuplicateKey]
    /// The locations of the objects and arrays that are incomplete because of an error or the end of the text.
    public let incomplete: Set<SourceLocation>
    /// Whether the whole text was read. HTML, RTF, extra content, deep nesting and `maximumErrors` stop the parser.
    public let isComplete: Bool
    /// The text that all locations refer to: the input, or its UTF-8 form if the input was in UTF-16.
    public let text: [UInt8]

    /// Parses a JSON text and continues after each error.
    /// - Parameter bytes: The whole text. The caller limits its size.
    public init(_ bytes: [UInt8]) {
        var parser = JSONParser(bytes, isRecovering: true)
        do throws(JSONError) {
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
        // The parser finds an unclosed string at the end of its line, but reports the beginning of the string.
        errors =
            parser.scanner.errors.prefix(1) + parser.scanner.errors.dropFirst().sorted { $0.location < $1.location }
    }
}
