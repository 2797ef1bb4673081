/// The entity tag of a representation (RFC 9110 §8.8.3), as sent: `"abc"` or, if weak, `W/"abc"`.
///
/// `==` compares the tags as sent. A precondition uses ``matches(_:by:)``.
package struct EntityTag: Hashable, Sendable {
    package enum Comparison: Sendable {
        /// Equal if both are strong and have the same bytes.
        case strong
        /// Equal if the bytes between the quotes are the same.
        case weak
    }

    /// Whether the tag guarantees only equivalent content instead of identical bytes.
    package let isWeak: Bool

    /// The tag as the value of an ETag field.
    package let bytes: [UInt8]

    /// Creates a tag; nil if `opaque` contains an invalid byte.
    /// - Parameter opaque: the bytes between the quotes: 0x21, 0x23–0x7E and 0x80–0xFF, possibly none.
    package init?(opaque: [UInt8], isWeak: Bool = false) {
        guard opaque.withFieldBytes({ $0.all(.entityTag) }) else { return nil }
        self.init(quoted: [ByteClass.quote] + opaque + [ByteClass.quote], isWeak: isWeak)
    }

    /// Parses the value of an ETag field. Returns nil unless the value is exactly one entity tag.
    /// - Parameter value: the field value without surrounding white space.
    package init?(_ value: FieldBytes) {
        var cursor = FieldCursor(value)
        guard let tag = cursor.takeEntityTag(), cursor.isAtEnd else { return nil }
        self.init(quoted: Array(tag.quoted), isWeak: tag.isWeak)
    }

    private init(quoted: [UInt8], isWeak: Bool) {
        self.isWeak = isWeak
        bytes = isWeak ? Array("W/".utf8) + quoted : quoted
    }

    /// Compares two tags (RFC 9110 §8.8.3.2).
    /// - Parameter comparison: strong for If-Match and If-Range, weak for If-None-Match.
    package func matches(_ other: EntityTag, by comparison: Comparison) -> Bool {
        other.bytes.withFieldBytes { bytes in
            let quoted = bytes.extracting((other.isWeak ? 2 : 0)..<bytes.count)
            return matches(EntityTagView(isWeak: other.isWeak, quoted: quoted), by: comparison)
        }
    }

    func matches(_ other: EntityTagView, by comparison: Comparison) -> Bool {
        switch comparison {
        case .strong where isWeak || other.isWeak: return false
        case .strong, .weak: return other.quoted.elementsEqual(bytes.dropFirst(isWeak ? 2 : 0))
        }
    }
}

/// An entity tag in the receive buffer, not copied.
struct EntityTagView {
    let isWeak: Bool
    /// The opaque tag with its quotes.
    let quoted: FieldBytes
}

extension FieldCursor {
    /// Consumes one entity tag. `W/` is case-sensitive, and a backslash is not an escape character (RFC 9110 §8.8.3).
    mutating func takeEntityTag() -> EntityTagView? {
        let isWeak = take("W/")
        let start = index
        guard take(ByteClass.quote) else { return nil }
        _ = take(while: .entityTag)
        guard take(ByteClass.quote) else { return nil }
        return EntityTagView(isWeak: isWeak, quoted: bytes.extracting(start..<index))
    }
}
