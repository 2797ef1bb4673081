/// What the lines of an If-Match or If-None-Match field say about the current representation (RFC 9110 §13.1.1,
/// §13.1.2).
///
/// The field is `*` or a list of entity tags, and is read to its end before it counts: one member that is neither, a
/// missing comma, or a `*` beside anything else makes the whole field `malformed`, even if another member would have
/// matched. A sender that garbles one tag may have garbled the one that mattered.
public enum EntityTagList: Sendable {
    /// `*` and there is a representation, or one of the tags matches.
    case matched
    /// `*` and there is no representation, or none of the tags matches. An empty list has no tag to match.
    case unmatched
    /// Not a list of entity tags.
    case malformed

    /// Reads the field and compares each tag, without copying one.
    /// - Parameters:
    ///   - lines: every line of the field; together they are one list.
    ///   - current: the validators of the current representation, nil if there is none.
    ///   - comparison: strong for If-Match, weak for If-None-Match.
    public init(_ lines: FieldLines, current: Validators?, by comparison: EntityTag.Comparison) {
        var wildcards = 0
        var tags = 0
        var isMatched = false
        for line in lines {
            var cursor = FieldCursor(line)
            while cursor.skipToMember() {
                if cursor.take("*") {
                    wildcards += 1
                    isMatched = current != nil
                } else if let tag = cursor.takeEntityTag() {
                    tags += 1
                    if let own = current?.entityTag, own.matches(tag, by: comparison) {
                        isMatched = true
                    }
                } else {
                    self = .malformed
                    return
                }
                cursor.skipOptionalWhitespace()
                guard cursor.isAtEnd || cursor.current == ByteClass.comma else {
                    self = .malformed
                    return
                }
            }
        }
        guard wildcards == 0 || (wildcards == 1 && tags == 0) else {
            self = .malformed
            return
        }
        self = isMatched ? .matched : .unmatched
    }
}

extension FieldCursor {
    /// Skips white space and commas, which leaves out empty members; false at the end of the line.
    fileprivate mutating func skipToMember() -> Bool {
        _ = take(while: .listSeparator)
        return !isAtEnd
    }
}
