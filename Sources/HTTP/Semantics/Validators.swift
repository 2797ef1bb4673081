/// What tells one state of a representation from another (RFC 9110 §8.8).
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
