/// The methods that this server knows; every other token is `other` (RFC 9110 §9).
public enum Method: UInt8, Sendable, CaseIterable {
    case get, head, post, put, patch, delete, options, trace, connect, other

    /// - Parameter token: the method's bytes; upper case counts (RFC 9110 §9.1).
    init(_ token: FieldBytes) {
        switch token.count {
        case 3: self = token.isExactly("GET") ? .get : token.isExactly("PUT") ? .put : .other
        case 4: self = token.isExactly("POST") ? .post : token.isExactly("HEAD") ? .head : .other
        case 5: self = token.isExactly("PATCH") ? .patch : token.isExactly("TRACE") ? .trace : .other
        case 6: self = token.isExactly("DELETE") ? .delete : .other
        case 7: self = token.isExactly("OPTIONS") ? .options : token.isExactly("CONNECT") ? .connect : .other
        default: self = .other
        }
    }

    /// The name as it stands in `Allow`; empty for `other`.
    public var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .other: ""
        }
    }
}
