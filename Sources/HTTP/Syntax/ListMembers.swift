/// The values of all field lines with the same name, in order of arrival.
///
/// A list field may have several lines (RFC 9110 §5.3), and an attacker may repeat a field that must occur only once.
/// Callers must handle both cases.
package typealias FieldLines = [FieldBytes]

extension FieldLines {
    /// The value if there is exactly one line, for fields that are not lists.
    package var only: FieldBytes? { count == 1 ? first : nil }

    /// Returns whether an Accept field names a media type in full, with any parameters (RFC 9110 §12.5.1). Wildcards do
    /// not count, because many programs send `*/*`.
    package func haveMediaType(_ type: StaticString) -> Bool {
        contains { line in
            ListMembers(line).contains { member in
                let end = member.firstIndex(of: UInt8(ascii: ";")) ?? member.count
                return member.part(member.trimmed(0..<end)).equalsIgnoringCase(type)
            }
        }
    }
}

/// The members of one line of a comma-separated field (RFC 9110 §5.6.1).
///
/// A comma in a quoted string does not separate members. The iterator skips empty members and the white space around
/// members (§5.6.1.2). An unterminated quoted string includes the rest of the line, which makes the member malformed.
///
/// In a list of entity tags, a backslash is not an escape character: see ``Validators``.
package struct ListMembers: Sequence, IteratorProtocol {
    private let value: FieldBytes
    private var index = 0

    package init(_ value: FieldBytes) {
        self.value = value
    }

    package mutating func next() -> FieldBytes? {
        while index < value.count {
            let start = index
            let end = endOfMember(from: start)
            index = end + 1
            let member = value.part(value.trimmed(start..<end))
            if !member.isEmpty { return member }
        }
        return nil
    }

    private func endOfMember(from start: Int) -> Int {
        var index = start
        var isQuoted = false
        while index < value.count {
            switch value[index] {
            case ByteClass.quote: isQuoted.toggle()
            case ByteClass.backslash where isQuoted: index += 1
            case ByteClass.comma where !isQuoted: return index
            default: break
            }
            index += 1
        }
        return value.count
    }
}
