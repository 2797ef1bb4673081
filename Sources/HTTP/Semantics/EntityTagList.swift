/// The result of comparing an If-Match or If-None-Match field with the current representation (RFC 9110 §13.1.1,
/// §13.1.2).
///
/// The field is `*` or a list of entity tags. An invalid member, a missing comma, or a `*` next to another member makes
/// the whole field `malformed`. A matching member does not prevent this, because the invalid member could have changed
/// the result.
package enum EntityTagList: Sendable {
    /// The field is `*` and a representation exists, or one of the tags matches.
    case matched
    /// The field is `*` and no representation exists, or no tag matches. An empty list is unmatched.
    case unmatched
    /// The field is not a list of entity tags.
    case malformed

    /// Parses the field and compares each tag without copying it.
    /// - Parameters:
    ///   - lines: every line of the field; together, the lines form one list.
    ///   - comparison: strong for If-Match, weak for If-None-Match.
    package init(_ lines: FieldLines, current: Validators?, by comparison: EntityTag.Comparison) {
        var wildcards = 0
        var tags = 0
        var isMatched = false
        for line in lines {
            var cursor = FieldCursor(line)
            while true {
                _ = cursor.take(while: .listSeparator)
                if cursor.isAtEnd { break }
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
