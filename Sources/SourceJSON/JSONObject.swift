/// A JSON object: its members in the order of the text, a key that stands twice kept twice (RFC 8259, section 4).
public struct JSONObject: Sendable {
    /// A key with its value.
    public struct Member: Sendable {
        /// The key with its escapes resolved.
        public let key: String
        /// Where the opening quote of the key stands.
        public let keyLocation: SourceLocation
        /// The value of the key.
        public let value: JSONValue
    }

    /// The members in the order of the text.
    public let members: [Member]

    /// The value of the first member with a key, or nil when there is none.
    ///
    /// Keys are compared scalar by scalar (RFC 8259, section 8.3): two spellings of "é" are two keys.
    public subscript(key: String) -> JSONValue? {
        members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }
}
