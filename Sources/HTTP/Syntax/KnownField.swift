/// A field that the server uses. The parser identifies each field line once.
@usableFromInline package enum KnownField: UInt8, Sendable, CaseIterable {
    case host, connection, contentLength, transferEncoding, expect
    case ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange, range
    case accept, acceptEncoding, userAgent, contentType, contentEncoding
    case authorization, cookie, origin, secFetchSite

    /// Returns the field with this name. The comparison is case-insensitive.
    @inline(__always)
    static func named(_ name: FieldBytes) -> KnownField? {
        switch name.count {
        case 4: field(.host, "host", name)
        case 5: field(.range, "range", name)
        case 6:
            field(.accept, "accept", name) ?? field(.cookie, "cookie", name) ?? field(.expect, "expect", name)
                ?? field(.origin, "origin", name)
        case 8: field(.ifMatch, "if-match", name) ?? field(.ifRange, "if-range", name)
        case 10: field(.connection, "connection", name) ?? field(.userAgent, "user-agent", name)
        case 12: field(.contentType, "content-type", name)
        case 13: field(.ifNoneMatch, "if-none-match", name) ?? field(.authorization, "authorization", name)
        case 14: field(.contentLength, "content-length", name) ?? field(.secFetchSite, "sec-fetch-site", name)
        case 15: field(.acceptEncoding, "accept-encoding", name)
        case 16: field(.contentEncoding, "content-encoding", name)
        case 17:
            field(.ifModifiedSince, "if-modified-since", name) ?? field(.transferEncoding, "transfer-encoding", name)
        case 19: field(.ifUnmodifiedSince, "if-unmodified-since", name)
        case _: nil
        }
    }

    @inline(__always)
    private static func field(_ field: KnownField, _ expected: StaticString, _ name: FieldBytes) -> KnownField? {
        name.equalsIgnoringCase(expected) ? field : nil
    }
}

/// A set of known fields in one machine word.
@usableFromInline package struct KnownFields: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt32

    @inlinable package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inlinable package init(_ field: KnownField) {
        self.init(rawValue: 1 << UInt32(field.rawValue))
    }

    /// The fields that affect the selection of a representation.
    static let selecting: KnownFields = [
        .init(.ifMatch), .init(.ifNoneMatch), .init(.ifModifiedSince), .init(.ifUnmodifiedSince), .init(.ifRange),
        .init(.range),
    ]
}
