import MotivatorPlatform

/// A JSON value with its location (RFC 8259, section 3).
public struct JSONValue: Sendable {
    /// The content of a value.
    public enum Content: Sendable {
        case object(JSONObject)
        case array([JSONValue])
        case string(String)
        /// A number as written, with full precision.
        case number(String)
        case boolean(Bool)
        case null
    }

    /// The kind of a value, as worded in messages.
    public enum Kind: String, Sendable {
        case object = "an object"
        case array = "an array"
        case string = "a string"
        case number = "a number"
        case boolean = "a boolean"
        case null = "null"
    }

    /// The location of the first character.
    public let location: SourceLocation
    /// The content.
    public let content: Content

    /// The kind of the value.
    public var kind: Kind {
        switch content {
        case .object: .object
        case .array: .array
        case .string: .string
        case .number: .number
        case .boolean: .boolean
        case .null: .null
        }
    }

    /// The object, or nil for any other kind.
    public var object: JSONObject? { if case .object(let object) = content { object } else { nil } }

    /// The elements of the array, or nil for any other kind.
    public var array: [JSONValue]? { if case .array(let elements) = content { elements } else { nil } }

    /// The string with its escapes resolved, or nil for any other kind.
    public var string: String? { if case .string(let text) = content { text } else { nil } }

    /// The boolean, or nil for any other kind.
    public var boolean: Bool? { if case .boolean(let value) = content { value } else { nil } }
}

/// A JSON object (RFC 8259, section 4). Its members are in text order and include duplicate keys.
public struct JSONObject: Sendable {
    /// A key with its value.
    public struct Member: Sendable {
        /// The key with its escapes resolved.
        public let key: String
        /// The location of the opening quote.
        public let keyLocation: SourceLocation
        /// The value.
        public let value: JSONValue

        func hasKey(_ other: String) -> Bool {
            key.utf8.count == other.utf8.count && key.utf8.elementsEqual(other.utf8)
        }
    }

    /// The members in text order.
    public let members: [Member]

    /// Returns the value of the first member with the given key.
    ///
    /// Keys are compared scalar by scalar (RFC 8259, section 8.3): the two encodings of "é" are different keys.
    public subscript(key: String) -> JSONValue? { member(key)?.value }

    /// Returns the first member with the given key.
    package func member(_ key: String) -> Member? { members.first { $0.hasKey(key) } }
}

extension JSONValue {
    /// Returns the value on one line, with sorted keys and without the members with the given key.
    package func canonical(without omitted: String? = nil) -> String {
        switch content {
        case .object(let object):
            let members = object.members.filter { $0.key != omitted }.sorted { $0.key < $1.key }
            let texts = members.map { "\(JSONText.quote($0.key)):\($0.value.canonical(without: omitted))" }
            return "{" + texts.joined(separator: ",") + "}"
        case .array(let elements):
            return "[" + elements.map { $0.canonical(without: omitted) }.joined(separator: ",") + "]"
        case .string(let text): return JSONText.quote(text)
        case .number(let text): return text
        case .boolean(let truth): return truth ? "true" : "false"
        case .null: return "null"
        }
    }
}
