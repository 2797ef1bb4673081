/// The conditional fields of a request (RFC 9110 §13.1), evaluated in the order of §13.2.2.
///
/// They apply only if the same request without them would get a 2xx response (§13.2.1). They never apply to CONNECT,
/// OPTIONS or TRACE. The caller checks both rules.
package struct Preconditions {
    package enum Verdict: Sendable {
        /// Handle the request as if it had no conditions.
        case proceed
        /// 304: the client has the current representation.
        case notModified
        /// 412: the server does not perform the request.
        case failed
    }

    package var ifMatch = FieldLines()
    package var ifNoneMatch = FieldLines()
    package var ifModifiedSince = FieldLines()
    package var ifUnmodifiedSince = FieldLines()
    package var ifRange = FieldLines()

    package init() {}

    /// Evaluates all fields except If-Range.
    ///
    /// A date field is ignored if its value is invalid or it has more than one line (§13.1.3, §13.1.4). A malformed
    /// list of tags never allows a change and never causes a 304. A malformed If-Match always fails. A malformed
    /// If-None-Match fails for methods that change a resource, but GET and HEAD get the whole content.
    /// - Parameters:
    ///   - isRetrieval: whether the method is GET or HEAD; only these methods can get 304.
    ///   - now: the current time in seconds since 1970-01-01T00:00:00Z, used to resolve two-digit years.
    package func evaluate(isRetrieval: Bool, current: Validators?, now: Int64) -> Verdict {
        if !ifMatch.isEmpty {
            guard case .matched = EntityTagList(ifMatch, current: current, by: .strong) else { return .failed }
        } else if let isNewer = isModified(since: ifUnmodifiedSince, current, now: now), isNewer {
            return .failed
        }
        if !ifNoneMatch.isEmpty {
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

    /// Returns whether If-Range is absent or identifies exactly the current representation (§13.1.5). Only then does
    /// the Range field apply.
    ///
    /// Tags use the strong comparison. A date must equal Last-Modified. That second must be over, because the
    /// representation may change again within the same second (§8.8.2.2). A value that is neither a tag nor a date
    /// never matches. A field with more than one line never matches.
    package func allowRange(current: Validators?, now: Int64) -> Bool {
        if ifRange.isEmpty { return true }
        guard let value = ifRange.only, let current else { return false }
        // §13.1.5: a quote among the first three bytes distinguishes a tag from a date.
        if value.prefix(3).contains(ByteClass.quote) {
            guard let tag = EntityTag(value), let own = current.entityTag else { return false }
            return own.matches(tag, by: .strong)
        }
        guard let date = HTTPDate.parse(value, now: now), let lastModified = current.lastModified else { return false }
        return date == lastModified && lastModified < now
    }

    /// Returns whether the representation is newer than the date in `lines`; nil if the field is ignored.
    private func isModified(since lines: FieldLines, _ current: Validators?, now: Int64) -> Bool? {
        guard let value = lines.only, let lastModified = current?.lastModified,
            let date = HTTPDate.parse(value, now: now)
        else { return nil }
        return lastModified > date
    }
}

/// The validators of a representation, which distinguish its versions (RFC 9110 §8.8).
package struct Validators: Sendable {
    package var entityTag: EntityTag?

    /// The modification time in whole seconds since 1970-01-01T00:00:00Z, if the representation has one.
    package var lastModified: Int64?

    package init(entityTag: EntityTag? = nil, lastModified: Int64? = nil) {
        (self.entityTag, self.lastModified) = (entityTag, lastModified)
    }
}
