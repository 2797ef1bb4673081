/// The members of one line of a comma-separated field (RFC 9110 §5.6.1).
///
/// A comma inside a quoted string does not separate, white space around a member is dropped, and empty members are
/// ignored as §5.6.1.2 asks. A quoted string that never ends takes the rest of the line with it: the member is then
/// malformed, and whoever reads the member sees that.
///
/// Not for lists of entity tags: a backslash does not escape there. ``EntityTagList`` reads those.
public struct ListMembers: Sequence, IteratorProtocol {
    private let value: FieldBytes
    private var index = 0

    /// - Parameter value: the value of one field line.
    public init(_ value: FieldBytes) {
        self.value = value
    }

    /// The next member that is not empty.
    public mutating func next() -> FieldBytes? {
        while index < value.count {
            let start = index
            let end = endOfMember(from: start)
            index = end + 1
            let member = value.part(value.trimmed(start..<end))
            if !member.isEmpty {
                return member
            }
        }
        return nil
    }

    /// Whether one of the members that are left is `lowercase`, without regard to case.
    /// - Parameter lowercase: a token without capital letters, such as `close`.
    public func containsToken(_ lowercase: StaticString) -> Bool {
        contains { $0.equalsIgnoringCase(lowercase) }
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
