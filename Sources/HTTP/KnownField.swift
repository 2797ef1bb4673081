/// The fields that the server itself looks at; they are recognised once, while the head is parsed.
public enum KnownField: UInt8, Sendable, CaseIterable {
    case host, connection, contentLength, transferEncoding, expect
    case ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifRange, range
    case accept, acceptEncoding, userAgent, contentType
    case authorization, cookie, origin, secFetchSite

    /// The field's name in lower case.
    public var name: StaticString {
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
        case .authorization: "authorization"
        case .cookie: "cookie"
        case .origin: "origin"
        case .secFetchSite: "sec-fetch-site"
        }
    }

    /// The candidates for each length of name: at most three, so that a name is compared at most three times.
    private static let byLength: [[KnownField]] = (0...19).map { length in
        allCases.filter { $0.name.utf8CodeUnitCount == length }
    }

    /// Finds the field of a name, whose case does not count.
    @inline(__always)
    static func named(_ name: FieldBytes) -> KnownField? {
        guard name.count < byLength.count else { return nil }
        for candidate in byLength[name.count] where name.equalsIgnoringCase(candidate.name) { return candidate }
        return nil
    }
}

/// A set of known fields in one word.
public struct KnownFields: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    init(_ field: KnownField) {
        self.init(rawValue: 1 << UInt32(field.rawValue))
    }

    /// Fields that make an answer depend on more than method and path.
    static let selecting: KnownFields = [
        .init(.ifMatch), .init(.ifNoneMatch), .init(.ifModifiedSince), .init(.ifUnmodifiedSince), .init(.ifRange),
        .init(.range),
    ]
}
