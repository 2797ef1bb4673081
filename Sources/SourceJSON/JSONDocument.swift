/// A JSON text that was read strictly, with the location of every value and key (RFC 8259).
///
/// Nothing beyond the grammar is accepted: no comments, no trailing commas, no byte order mark, no encoding but UTF-8,
/// and no lone surrogate in an escape, which section 8.2 calls unpredictable. The time is linear in the text.
public struct JSONDocument: Sendable {
    /// The most arrays and objects inside one another: far more than any association file has, and few enough that text
    /// made of brackets alone costs little memory (RFC 8259 §9 lets a reader set such a limit).
    public static let maximumDepth = 512

    /// A key that stands twice in one object: valid by the grammar, but readers differ in what they take.
    public struct DuplicateKey: Hashable, Sendable {
        /// The key.
        public let key: String
        /// Where it stands first.
        public let first: SourceLocation
        /// Where it stands again.
        public let second: SourceLocation
    }

    /// The text, byte for byte.
    public let bytes: [UInt8]
    /// The value that the text holds.
    public let root: JSONValue
    /// The keys that stand twice in one object, in the order in which their objects end.
    public let duplicateKeys: [DuplicateKey]

    /// Reads a text.
    ///
    /// - Parameter bytes: the whole text in UTF-8; the caller limits its size.
    /// - Throws: `JSONFault`, the first departure from the grammar.
    public init(_ bytes: [UInt8]) throws(JSONFault) {
        var parser = JSONParser(bytes, isForgiving: false)
        try parser.parse()
        guard let root = parser.root else { throw .empty(SourceLocation(line: 1, column: 1, offset: 0)) }
        self.root = root
        duplicateKeys = parser.duplicateKeys
        self.bytes = bytes
    }
}
