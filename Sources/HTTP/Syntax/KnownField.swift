/// A field that the server uses. The parser identifies each field line once.
@usableFromInline package enum KnownField: UInt8, Sendable, CaseIterable {
    case host, connection, contentLength, transferEncoding, expect
    case ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange, range
    case accept, acceptEncoding, userAgent, contentType, contentEncoding
    case authorization, cookie, origin, secFetchSite

    package var name: StaticString {
        switch self {
        case .host: "host"
        case .connection: "connection"
        case .contentLength: "content-length"
        case .transferEncoding: "transfer-encoding"
        case .expect: "expect"
        case .ifMatch: "if-match"
        case .ifNoneMatch: "if-none-match"
        case .ifModifiedSince: "if-modified-since"
        case .ifUnmodifiedSince: "if-unmodified-since"
        case .ifRange: "if-range"
        case .range: "range"
        case .accept: "accept"
        case .acceptEncoding: "accept-encoding"
        case .userAgent: "user-agent"
        case .contentType: "content-type"
        case .contentEncoding: "content-encoding"
        case .authorization: "authorization"
        case .cookie: "cookie"
        case .origin: "origin"
        case .secFetchSite: "sec-fetch-site"
        }
    }

    /// Returns the field with this name. The comparison is case-insensitive.
    @inline(__always)
    static func named(_ name: FieldBytes) -> KnownField? {
        switch name.count {
        case 4: first(name, .host)
        case 5: first(name, .range)
        case 6: first(name, .accept) ?? first(name, .cookie) ?? first(name, .expect) ?? first(name, .origin)
        case 8: first(name, .ifMatch) ?? first(name, .ifRange)
        case 10: first(name, .connection) ?? first(name, .userAgent)
        case 12: first(name, .contentType)
        case 13: first(name, .ifNoneMatch) ?? first(name, .authorization)
        case 14: first(name, .contentLength) ?? first(name, .secFetchSite)
        case 15: first(name, .acceptEncoding)
        case 16: first(name, .contentEncoding)
        case 17: first(name, .ifModifiedSince) ?? first(name, .transferEncoding)
        case 19: first(name, .ifUnmodifiedSince)
        case _: nil
        }
    }

    @inline(__always)
    private static func first(_ name: FieldBytes, _ field: KnownField) -> KnownField? {
        name.equalsIgnoringCase(field.name) ? field : nil
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
