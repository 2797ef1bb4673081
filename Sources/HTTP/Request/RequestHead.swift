/// The head of a request: the received bytes, and the ranges of the method, target, version and field lines.
///
/// It creates a `String` only when a handler requests one. Each request on a connection reuses the memory of the
/// previous head, so parsing does not allocate memory.
@usableFromInline package struct RequestHead: Sendable {
    /// A range of the head's bytes. A field line takes 20 bytes instead of the 40 with `Range<Int>`. Each connection
    /// keeps the memory of its lines.
    @usableFromInline struct PackedRange: Sendable {
        @usableFromInline var start: Int32 = 0
        @usableFromInline var count: Int32 = 0

        init() {}

        init(_ range: Range<Int>) {
            start = Int32(truncatingIfNeeded: range.lowerBound)
            count = Int32(truncatingIfNeeded: range.count)
        }

        @usableFromInline var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    @usableFromInline struct FieldLine: Sendable {
        var name: PackedRange
        @usableFromInline var value: PackedRange
        @usableFromInline var known: KnownField?
    }

    /// The version that determines how the server handles the request. `http11` includes later minor versions
    /// (RFC 9110 §2.5).
    package enum Version: UInt8, Sendable {
        case http10, http11
    }

    @usableFromInline var bytes: [UInt8] = []
    @usableFromInline var lines: [FieldLine] = []
    @usableFromInline var known: KnownFields = []
    @usableFromInline var methodRange = PackedRange()
    @usableFromInline var targetRange = PackedRange()
    var versionRange = PackedRange()
    @usableFromInline var pathRange = PackedRange()
    var queryRange: PackedRange?
    @usableFromInline var hostRange: PackedRange?

    /// The method; `other` if the server does not implement it.
    package internal(set) var method = Method.get
    package internal(set) var version = Version.http11
    package internal(set) var framing = Framing.none
    /// Whether the target is `*` (RFC 9112 §3.2.4).
    package internal(set) var isAsterisk = false
    /// Whether the client waits for status 100 before it sends the content (RFC 9110 §10.1.1).
    package internal(set) var expectsContinue = false
    /// Whether the client wants the connection to stay open (RFC 9112 §9.3).
    package internal(set) var keepsAlive = true

    init() {}

    /// The size of the memory for the bytes. The head keeps this memory for the next request.
    package var capacity: Int { bytes.capacity }

    mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        known = []
        // The method of a malformed request line is unknown.
        method = .other
        queryRange = nil
        hostRange = nil
        framing = .none
        isAsterisk = false
        expectsContinue = false
        keepsAlive = true
    }

    // MARK: - Reading

    @inlinable @inline(__always)
    func with<Result>(_ packed: PackedRange, _ body: (FieldBytes) throws -> Result) rethrows -> Result {
        // An incomplete head has ranges but no bytes.
        let range = bytes.isEmpty ? 0..<0 : packed.range
        return try bytes.withFieldBytes { try body($0.part(range)) }
    }

    private func text(_ range: PackedRange) -> String {
        with(range) { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the request line and the field lines as received, or with no bytes if the head is malformed.
    @inline(__always)
    package func withReceivedBytes<Result>(_ body: (FieldBytes) throws -> Result) rethrows -> Result {
        try bytes.withFieldBytes(body)
    }

    /// Calls `body` with the path as sent: percent-encoded and never empty.
    @inlinable @inline(__always)
    package func withPath<Result>(_ body: (FieldBytes) throws -> Result) rethrows -> Result {
        try with(pathRange, body)
    }

    /// Calls `body` with the requested host without its port, or nil for an HTTP/1.0 request without a host.
    @inlinable @inline(__always)
    package func withHost<Result>(_ body: (FieldBytes?) throws -> Result) rethrows -> Result {
        guard let hostRange else { return try body(nil) }
        return try with(hostRange) { try body($0) }
    }

    /// Calls `body` with the method as sent.
    @inlinable @inline(__always)
    package func withMethod<Result>(_ body: (FieldBytes) throws -> Result) rethrows -> Result {
        try with(methodRange, body)
    }

    /// Calls `body` with the request target as sent.
    @inlinable @inline(__always)
    package func withTarget<Result>(_ body: (FieldBytes) throws -> Result) rethrows -> Result {
        try with(targetRange, body)
    }

    /// Calls `body` with the value of the first field line with this name, or nil if there is none.
    @inlinable @inline(__always)
    package func withValue<Result>(_ field: KnownField, _ body: (FieldBytes?) throws -> Result) rethrows -> Result {
        guard has(field), let line = lines.first(where: { $0.known == field }) else { return try body(nil) }
        return try with(line.value) { try body($0) }
    }

    @inlinable @inline(__always)
    package func has(_ field: KnownField) -> Bool { known.contains(KnownFields(field)) }

    /// Whether the request has a conditional or range field.
    @inline(__always)
    package var isSelective: Bool { !known.isDisjoint(with: .selecting) }

    /// Whether the content has a content coding other than `identity` (RFC 9110 §8.4).
    package var hasCodedContent: Bool {
        guard has(.contentEncoding) else { return false }
        return lines.contains { line in
            guard line.known == .contentEncoding else { return false }
            return with(line.value) { value in ListMembers(value).contains { !$0.equalsIgnoringCase("identity") } }
        }
    }

    package var methodText: String { text(methodRange) }

    package var targetText: String { text(targetRange) }

    /// The version as sent, such as `HTTP/1.1`.
    package var versionText: String { text(versionRange) }

    /// The path as sent, percent-encoded.
    package var pathText: String { text(pathRange) }

    /// Whether the target has a non-empty query.
    package var hasQuery: Bool { (queryRange?.count ?? 0) > 0 }

    /// The query as sent, percent-encoded; nil if the target has no question mark.
    package var queryText: String? { queryRange.map(text) }

    /// The host as sent, without its port; nil for an HTTP/1.0 request without a host.
    package var hostText: String? { hostRange.map(text) }

    /// The name and value of each field line, in order. The strings are decoded as ISO 8859-1, which preserves every
    /// byte.
    package var fieldLines: [(name: String, value: String)] {
        lines.map { (text($0.name), with($0.value, \.latin1)) }
    }

    /// Returns the value of the first field line with this name. Bytes that are not UTF-8 become U+FFFD.
    package func text(_ field: KnownField) -> String? {
        lines.first { $0.known == field }.map { text($0.value) }
    }
}

/// The field lines of a head, for code that reads values without copying them.
package struct RequestFields {
    fileprivate let bytes: FieldBytes
    fileprivate let head: RequestHead

    package func lines(of field: KnownField) -> FieldLines {
        guard head.has(field), !bytes.isEmpty else { return [] }
        return head.lines.compactMap { $0.known == field ? bytes.part($0.value.range) : nil }
    }
}

extension RequestHead {
    /// Calls `body` with the field lines. They must not escape the call.
    package func withFields<Result>(_ body: (RequestFields) throws -> Result) rethrows -> Result {
        try bytes.withFieldBytes { try body(RequestFields(bytes: $0, head: self)) }
    }
}

/// A method that this server implements; every other token is `other` (RFC 9110 §9).
package enum Method: UInt8, Sendable, CaseIterable {
    case get, head, post, put, patch, delete, options, trace, connect, other

    /// - Parameter token: the bytes of the method, which is case-sensitive (RFC 9110 §9.1).
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

    /// The name in the `Allow` field; empty for `other`.
    package var name: String { self == .other ? "" : "\(self)".uppercased() }
}
