/// The validators of a representation, which distinguish its versions (RFC 9110 §8.8).
///
/// They decide the conditional fields of a GET or HEAD request (§13.1).
package struct Validators: Sendable {
    package enum Verdict: Sendable {
        /// Handle the request as if it had no conditions.
        case proceed
        /// 304: the client has the current representation.
        case notModified
        /// 412: the server does not perform the request.
        case failed
    }

    /// The strong entity tag with its quotes.
    private let entityTag: [UInt8]
    private let lastModified: Int64

    /// - Parameters:
    ///   - entityTag: the strong tag without its quotes: visible ASCII except quotation marks.
    ///   - lastModified: the modification time in seconds since 1970-01-01T00:00:00Z.
    package init(entityTag: String, lastModified: Int64) {
        self.entityTag = Array("\"\(entityTag)\"".utf8)
        self.lastModified = lastModified
    }

    /// Evaluates all fields except If-Range, in the order of §13.2.2.
    ///
    /// A date field is ignored if its value is invalid or it has more than one line (§13.1.3, §13.1.4). A malformed
    /// If-Match always fails. A malformed If-None-Match never causes a 304.
    /// - Parameter now: the current time in seconds since 1970-01-01T00:00:00Z, used to resolve two-digit years.
    package func evaluate(_ fields: RequestFields, now: Int64) -> Verdict {
        let match = fields.lines(of: .ifMatch)
        if !match.isEmpty {
            guard isNamed(in: match, isStrong: true) else { return .failed }
        } else if isModified(since: fields.lines(of: .ifUnmodifiedSince), now: now) == true {
            return .failed
        }
        let noneMatch = fields.lines(of: .ifNoneMatch)
        guard noneMatch.isEmpty else { return isNamed(in: noneMatch, isStrong: false) ? .notModified : .proceed }
        return isModified(since: fields.lines(of: .ifModifiedSince), now: now) == false ? .notModified : .proceed
    }

    /// Returns whether If-Range is absent or identifies exactly this representation (§13.1.5). Only then does the Range
    /// field apply.
    ///
    /// Tags use the strong comparison. A date must equal Last-Modified. That second must be over, because the
    /// representation may change again within the same second (§8.8.2.2). A value that is neither a tag nor a date
    /// never matches. A field with more than one line never matches.
    package func allowRange(_ fields: RequestFields, now: Int64) -> Bool {
        let lines = fields.lines(of: .ifRange)
        if lines.isEmpty { return true }
        guard let value = lines.only else { return false }
        // §13.1.5: a quote among the first three bytes distinguishes a tag from a date.
        if value.prefix(3).contains(ByteClass.quote) { return value.isEqual(to: entityTag) }
        guard let date = HTTPDate.parse(value, now: now) else { return false }
        return date == lastModified && lastModified < now
    }

    /// Returns whether an If-Match or If-None-Match field is `*` or names the tag (§13.1.1, §13.1.2).
    ///
    /// An invalid member, a missing comma, or a `*` next to another member makes the whole field invalid. A matching
    /// member does not prevent this, because the invalid member could have changed the result.
    /// - Parameter isStrong: whether a weak tag in the field never matches (§8.8.3.2).
    private func isNamed(in lines: FieldLines, isStrong: Bool) -> Bool {
        var members = 0
        var isAny = false
        var isNamed = false
        for line in lines {
            var cursor = FieldCursor(line)
            while true {
                _ = cursor.take(while: .listSeparator)
                if cursor.isAtEnd { break }
                members += 1
                if cursor.take("*") {
                    isAny = true
                } else if let tag = cursor.takeEntityTag() {
                    if tag.quoted.isEqual(to: entityTag), !isStrong || !tag.isWeak { isNamed = true }
                } else {
                    return false
                }
                cursor.skipOptionalWhitespace()
                guard cursor.isAtEnd || cursor.current == ByteClass.comma else { return false }
            }
        }
        return isAny ? members == 1 : isNamed
    }

    /// Returns whether the representation is newer than the date in `lines`; nil if the field is ignored.
    private func isModified(since lines: FieldLines, now: Int64) -> Bool? {
        guard let value = lines.only, let date = HTTPDate.parse(value, now: now) else { return nil }
        return lastModified > date
    }
}

extension FieldCursor {
    /// Consumes one entity tag. `W/` is case-sensitive, and a backslash is not an escape character (RFC 9110 §8.8.3).
    /// - Returns: the tag without `W/`, in its quotes.
    fileprivate mutating func takeEntityTag() -> (isWeak: Bool, quoted: FieldBytes)? {
        let isWeak = take("W/")
        let start = index
        guard take(ByteClass.quote) else { return nil }
        _ = take(while: .entityTag)
        guard take(ByteClass.quote) else { return nil }
        return (isWeak, bytes.part(start..<index))
    }
}
