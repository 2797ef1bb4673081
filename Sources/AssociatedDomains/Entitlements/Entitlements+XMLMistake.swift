import Platform

extension Entitlements {
    /// What is wrong with the XML of a property list.
    public enum XMLMistake: Hashable, Sendable {
        /// The list ends inside of an element, a comment or a tag.
        case cutOff(inside: String)
        case malformedTag
        case unknownElement(String)
        /// An end tag that closes what another element opened; nil where nothing is open.
        case wrongEnd(found: String, expected: String?)
        /// Text where only elements may be.
        case text(inside: String)
        /// A tag inside of an element that holds text.
        case elementInside(String)
        /// A value in a dictionary without a key in front.
        case missingKey
        case missingValue(key: String)
        case keyOutsideDictionary
        /// Something after the one value of the list.
        case secondValue
        case noValue
        case tooDeep(limit: Int)
        case unknownEntity(String)
        /// A bare `&`.
        case ampersand
        /// A character that XML does not have, written as itself or as a reference.
        case forbiddenCharacter(UInt32)
        case invalidUTF8(byte: UInt8)
        /// Declarations inside of the DOCTYPE, which could define entities.
        case declarations
        case encoding(String)
        /// A typographic quote inside of a tag.
        case typographicQuote

        /// The sentence without its place.
        package var problem: String {
            switch self {
            case .cutOff(let construct): "the file ends before \(construct) is complete"
            case .malformedTag: "this is no tag of XML"
            case .unknownElement(let name): "<\(name.cut)> is no element of a property list"
            case .wrongEnd(let found, .some(let expected)):
                "</\(found.cut)> stands where </\(expected.cut)> has to be"
            case .wrongEnd(let found, .none): "</\(found.cut)> closes nothing"
            case .text(let name): "text stands in <\(name.cut)>, where only elements may be"
            case .elementInside(let name): "a tag stands inside of <\(name.cut)>, where only text may be"
            case .missingKey: "a value stands in a dictionary without a <key> in front"
            case .missingValue(let key): "the key \(key.excerpt) has no value"
            case .keyOutsideDictionary: "a <key> stands outside of a <dict>"
            case .secondValue: "something follows after the one value of the list"
            case .noValue: "the list has no value"
            case .tooDeep(let limit): "more than \(limit) elements are inside one another"
            case .unknownEntity(let name): "&\(name.cut); is no entity of XML"
            case .ampersand: "a bare & stands in a text"
            case .forbiddenCharacter(let value): "the character U+\(value.fourDigits) may not stand in XML"
            case .invalidUTF8(let byte): "the byte 0x\(byte.hexadecimal) is no UTF-8"
            case .declarations: "the DOCTYPE holds declarations of its own"
            case .encoding(let name): "the file says that it is in \(name.excerpt), not in UTF-8"
            case .typographicQuote: "a typographic quote stands in a tag"
            }
        }

        package var remedy: String {
            switch self {
            case .cutOff: "Take the whole file from its source again, or close what is open"
            case .malformedTag: "Correct the tag, or write a bare < as &lt;"
            case .unknownElement:
                "Use <dict>, <array>, <key>, <string> and the other elements of property lists, in lower case"
            case .wrongEnd(_, .some(let expected)): "Close <\(expected.cut)> first"
            case .wrongEnd(_, .none), .secondValue, .forbiddenCharacter: "Remove it"
            case .text: "Put the text into a <string>, or remove it"
            case .elementInside(let name): "Close <\(name.cut)> first"
            case .missingKey: "Put a <key> in front of the value"
            case .missingValue: "Put a value after the key, or remove the key"
            case .keyOutsideDictionary: "Put the key and its value into a <dict>"
            case .noValue: "Put a <dict> with the key \"\(Entitlements.key)\" into it"
            case .tooDeep: "Remove the needless elements"
            case .unknownEntity: "Use only &amp; &lt; &gt; &quot; &apos; and references such as &#x2013;"
            case .ampersand: "Write it as &amp;"
            case .invalidUTF8, .encoding: "Save the file as UTF-8"
            case .declarations: "Remove what stands in its brackets"
            case .typographicQuote:
                "Replace it with a straight quote (\"), and switch typographic quotes off in the editor"
            }
        }
    }
}

extension String {
    /// The first 40 scalars on one line, for a name inside of a message.
    fileprivate var cut: String {
        let limit = 40
        let shown = String(unicodeScalars.count > limit ? unicodeScalars.prefix(limit).text + "…" : self).quoted
        return String(shown.dropFirst().dropLast())
    }
}

extension UInt32 {
    fileprivate var fourDigits: String { hexadecimal(width: 4, uppercase: true) }
}
