/// A JSON value with the location where it begins (RFC 8259, section 3).
public struct JSONValue: Sendable {
    /// What a value holds.
    public enum Content: Sendable {
        case object(JSONObject)
        case array([JSONValue])
        case string(String)
        /// A number as it is written: no precision is lost, and a number too large for the machine is still a number.
        case number(String)
        case boolean(Bool)
        case null
    }

    /// The kinds of values, in the words of an error.
    public enum Kind: String, Sendable {
        case object = "an object"
        case array = "an array"
        case string = "a string"
        case number = "a number"
        case boolean = "a boolean"
        case null = "null"
    }

    /// Where the first character of the value stands.
    public let location: SourceLocation
    /// The value itself.
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

    /// The object, or nil for another kind.
    public var object: JSONObject? {
        guard case .object(let object) = content else { return nil }
        return object
    }

    /// The elements of the array, or nil for another kind.
    public var array: [JSONValue]? {
        guard case .array(let elements) = content else { return nil }
        return elements
    }

    /// The text of the string with its escapes resolved, or nil for another kind.
    public var string: String? {
        guard case .string(let text) = content else { return nil }
        return text
    }

    /// The truth value, or nil for another kind.
    public var boolean: Bool? {
        guard case .boolean(let truth) = content else { return nil }
        return truth
    }
}
