import SourceJSON

/// A value of a property list, as far as entitlements need it.
struct PropertyListValue {
    /// What a value is, as a message names it.
    package enum Kind: String {
        case string = "a string"
        case array = "an array"
        case dictionary = "a dictionary"
        case number = "a number"
        case boolean = "a Boolean"
        case data = "data"
        case date = "a date"
        case other = "a value that no XML list can have"
    }

    package struct Member {
        package let key: String
        /// Where the content of the `<key>` begins; nil in a binary list.
        package let place: SourceLocation?
        package let value: PropertyListValue
    }

    package enum Content {
        case string(String)
        case array([PropertyListValue])
        case dictionary([Member])
        /// Something whose inside nobody asks for.
        case opaque(Kind)
    }

    /// Where its content begins in an XML list, right after the tag; nil in a binary one.
    package let place: SourceLocation?
    package let content: Content

    package var kind: Kind {
        switch content {
        case .string: .string
        case .array: .array
        case .dictionary: .dictionary
        case .opaque(let kind): kind
        }
    }

    /// The first member with a key, when it is a dictionary.
    package func member(_ key: String) -> Member? {
        guard case .dictionary(let members) = content else { return nil }
        return members.first { $0.key == key }
    }

    package var string: String? {
        guard case .string(let text) = content else { return nil }
        return text
    }
}
