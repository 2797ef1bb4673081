/// The conditional fields of a request (RFC 9110 §13.1) and the order in which they are judged (§13.2.2).
///
/// They count only where the same request without them would be answered with 2xx (§13.2.1), and not at all for CONNECT,
/// OPTIONS and TRACE; the caller sees to both.
public struct Preconditions {
    /// What the fields allow.
    public enum Verdict: Sendable {
        /// Go on as if there were no conditions.
        case proceed
        /// 304: the client has the current representation.
        case notModified
        /// 412: the request is not carried out.
        case failed
    }

    /// The lines of If-Match (§13.1.1).
    public var ifMatch = FieldLines()
    /// The lines of If-None-Match (§13.1.2).
    public var ifNoneMatch = FieldLines()
    /// The lines of If-Modified-Since (§13.1.3).
    public var ifModifiedSince = FieldLines()
    /// The lines of If-Unmodified-Since (§13.1.4).
    public var ifUnmodifiedSince = FieldLines()
    /// The lines of If-Range (§13.1.5).
    public var ifRange = FieldLines()

    /// A request without conditions.
    public init() {}

    /// Judges every field but If-Range.
    ///
    /// A date field with an invalid value or on more than one line is ignored (§13.1.3, §13.1.4). A malformed list of
    /// tags is a condition nobody can vouch for, so it never lets a change happen and never saves content: If-Match
    /// fails, If-None-Match fails for a method that changes something, and GET and HEAD are answered in full.
    /// - Parameters:
    ///   - isRetrieval: whether the method is GET or HEAD; only those are answered with 304.
    ///   - current: the validators of the representation the answer would carry, nil if there is no representation.
    ///   - now: the present in seconds since 1970-01-01T00:00:00Z, for years of two digits.
    public func evaluate(isRetrieval: Bool, current: Validators?, now: Int64) -> Verdict {
        if !ifMatch.isAbsent {
            guard case .matched = EntityTagList(ifMatch, current: current, by: .strong) else { return .failed }
        } else if let isNewer = isModified(since: ifUnmodifiedSince, current, now: now), isNewer {
            return .failed
        }
        if !ifNoneMatch.isAbsent {
            switch EntityTagList(ifNoneMatch, current: current, by: .weak) {
            case .unmatched: return .proceed
            case .matched: return isRetrieval ? .notModified : .failed
            case .malformed: return isRetrieval ? .proceed : .failed
            }
        }
        if isRetrieval, let isNewer = isModified(since: ifModifiedSince, current, now: now), !isNewer {
            return .notModified
        }
        return .proceed
    }

    /// Whether If-Range lets a Range field count (§13.1.5): it is absent, or names the current representation exactly.
    ///
    /// Tags compare strongly. A date must be the very second of Last-Modified, and that second must be over: while it
    /// lasts, the representation may change again under the same date (§8.8.2.2). A value that is neither a tag nor a
    /// date, or more than one line, matches nothing.
    /// - Parameters:
    ///   - current: the validators of the representation the answer would carry, nil if there is no representation.
    ///   - now: the present in seconds since 1970-01-01T00:00:00Z.
    public func allowRange(current: Validators?, now: Int64) -> Bool {
        if ifRange.isAbsent {
            return true
        }
        guard let value = ifRange.only, let current else { return false }
        // §13.1.5: a quote among the first three bytes tells a tag from a date.
        if value.prefix(3).contains(ByteClass.quote) {
            guard let tag = EntityTag(value), let own = current.entityTag else { return false }
            return own.matches(tag, by: .strong)
        }
        guard let date = HTTPDate.parse(value, now: now), let lastModified = current.lastModified else { return false }
        return date == lastModified && lastModified < now
    }

    /// Whether the representation is newer than the date of `lines`; nil if the field has to be ignored.
    private func isModified(since lines: FieldLines, _ current: Validators?, now: Int64) -> Bool? {
        guard let value = lines.only, let lastModified = current?.lastModified,
            let date = HTTPDate.parse(value, now: now)
        else { return nil }
        return lastModified > date
    }
}

/// The validators of a representation: they tell its versions apart (RFC 9110 §8.8).
public struct Validators: Sendable {
    /// The entity tag, if the representation has one.
    public var entityTag: EntityTag?

    /// The modification time in whole seconds since 1970-01-01T00:00:00Z, if there is one.
    public var lastModified: Int64?

    /// - Parameters:
    ///   - entityTag: the value of the ETag field.
    ///   - lastModified: the time in the Last-Modified field, in whole seconds since 1970-01-01T00:00:00Z.
    public init(entityTag: EntityTag? = nil, lastModified: Int64? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}
