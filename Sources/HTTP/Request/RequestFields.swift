/// The field lines of a head while its bytes are held still, for code that judges values in place.
public struct RequestFields {
    fileprivate let bytes: FieldBytes
    fileprivate let head: RequestHead

    /// The values of every field line of a name, in order.
    public func lines(of field: KnownField) -> FieldLines {
        var found = FieldLines()
        guard head.has(field), !bytes.isEmpty else { return found }
        for line in head.lines where line.known == field { found.append(bytes.part(line.value.range)) }
        return found
    }

    /// The conditional fields (RFC 9110 §13.1).
    public var preconditions: Preconditions {
        var conditions = Preconditions()
        conditions.ifMatch = lines(of: .ifMatch)
        conditions.ifNoneMatch = lines(of: .ifNoneMatch)
        conditions.ifModifiedSince = lines(of: .ifModifiedSince)
        conditions.ifUnmodifiedSince = lines(of: .ifUnmodifiedSince)
        conditions.ifRange = lines(of: .ifRange)
        return conditions
    }
}

extension RequestHead {
    /// Calls `body` with the field lines; what it gets from them must not outlive the call.
    public func withFields<Result>(_ body: (RequestFields) throws -> Result) rethrows -> Result {
        try bytes.withFieldBytes { try body(RequestFields(bytes: $0, head: self)) }
    }
}
