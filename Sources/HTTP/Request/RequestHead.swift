/// Method, target, version and field lines of a request, as the bytes that came and where each part of them stands.
///
/// Nothing is turned into a `String` before somebody asks for one, and a head that is parsed into again keeps its
/// memory, so that a request on a kept connection allocates nothing.
public struct RequestHead: Sendable {
    /// A place in the head's bytes.
    struct Place: Sendable {
        var start: Int32 = 0
        var count: Int32 = 0

        init() {}

        init(_ range: Range<Int>) {
            start = Int32(truncatingIfNeeded: range.lowerBound)
            count = Int32(truncatingIfNeeded: range.count)
        }

        var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
    }

    struct FieldLine: Sendable {
        var name: Place
        var value: Place
        var known: KnownField?
    }

    /// The version that the message is served as: 1.1 for every later minor version too (RFC 9110 §2.5).
    public enum Version: UInt8, Sendable {
        case http10, http11
    }

    /// How the content's end is found (RFC 9112 §6.3).
    public enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
    }

    var bytes: [UInt8] = []
    var lines: [FieldLine] = []
    var known: KnownFields = []
    var methodPlace = Place()
    var targetPlace = Place()
    var versionPlace = Place()
    var pathPlace = Place()
    var queryPlace: Place?
    var hostPlace: Place?

    /// The method, or `other`.
    public internal(set) var method = Method.get
    /// HTTP/1.0 or HTTP/1.1.
    public internal(set) var version = Version.http11
    /// How the content is framed.
    public internal(set) var framing = Framing.none
    /// Whether the target is `*` (RFC 9112 §3.2.4).
    public internal(set) var isAsterisk = false
    /// Whether the client waits for 100 before it sends the content (RFC 9110 §10.1.1).
    public internal(set) var expectsContinue = false
    /// Whether the client wants to keep the connection (RFC 9112 §9.3).
    public internal(set) var keepsAlive = true

    init() {}

    mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        known = []
        // Of a request line that is not understood nobody knows the method.
        method = .other
        queryPlace = nil
        hostPlace = nil
        framing = .none
        isAsterisk = false
        expectsContinue = false
        keepsAlive = true
    }
}

// MARK: - Reading

extension RequestHead {
    @inline(__always)
    func with<Result>(_ place: Place, _ body: (FieldBytes) throws -> Result) rethrows -> Result {
        // While the head is incomplete it has no bytes, and places that point nowhere.
        let range = bytes.isEmpty ? 0..<0 : place.range
        return try bytes.withFieldBytes { try body($0.extracting(range)) }
    }

    private func text(_ place: Place) -> String {
        with(place) { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the path as it was sent, percent-encoded, at least one byte long.
    @inline(__always)
    public func withPath<Result>(_ body: (FieldBytes) throws -> Result) rethrows -> Result {
        try with(pathPlace, body)
    }

    /// Calls `body` with the host that the request is for, without its port; nil when HTTP/1.0 names none.
    @inline(__always)
    public func withHost<Result>(_ body: (FieldBytes?) throws -> Result) rethrows -> Result {
        guard let hostPlace else { return try body(nil) }
        return try with(hostPlace) { try body($0) }
    }

    /// Calls `body` with the method as it was sent.
    @inline(__always)
    public func withMethod<Result>(_ body: (FieldBytes) throws -> Result) rethrows -> Result {
        try with(methodPlace, body)
    }

    /// Calls `body` with the request target as it was sent.
    @inline(__always)
    public func withTarget<Result>(_ body: (FieldBytes) throws -> Result) rethrows -> Result {
        try with(targetPlace, body)
    }

    /// Calls `body` with the value of the first field line of a name; nil when there is none.
    @inline(__always)
    public func withValue<Result>(_ field: KnownField, _ body: (FieldBytes?) throws -> Result) rethrows -> Result {
        guard has(field), let line = lines.first(where: { $0.known == field }) else { return try body(nil) }
        return try with(line.value) { try body($0) }
    }

    /// Whether at least one field line has this name.
    @inline(__always)
    public func has(_ field: KnownField) -> Bool { known.contains(KnownFields(field)) }

    /// Whether a conditional or range field is there, so that the answer needs a closer look.
    @inline(__always)
    public var isSelective: Bool { !known.isDisjoint(with: .selecting) }

    /// Whether the content has a content coding other than `identity` (RFC 9110 §8.4).
    public var hasCodedContent: Bool {
        guard has(.contentEncoding) else { return false }
        return lines.contains { line in
            guard line.known == .contentEncoding else { return false }
            return with(line.value) { value in ListMembers(value).contains { !$0.equalsIgnoringCase("identity") } }
        }
    }

    /// The method as sent.
    public var methodText: String { text(methodPlace) }

    /// The request target as sent.
    public var targetText: String { text(targetPlace) }

    /// The version as sent, such as `HTTP/1.1`.
    public var versionText: String { text(versionPlace) }

    /// The path as sent, percent-encoded.
    public var pathText: String { text(pathPlace) }

    /// The query as sent, percent-encoded; nil without a question mark.
    public var queryText: String? { queryPlace.map(text) }

    /// The host as sent, without its port; nil when HTTP/1.0 names none.
    public var hostText: String? { hostPlace.map(text) }

    /// Name and value of each field line, in order, as sent: each byte is the character of its number (ISO 8859-1), so
    /// that nothing is lost of what is not UTF-8.
    public var fieldLines: [(name: String, value: String)] {
        lines.map { (text($0.name), byteText($0.value)) }
    }

    private func byteText(_ place: Place) -> String {
        var text = ""
        with(place) { bytes in
            for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        }
        return text
    }

    /// The value of the first field line of a name, in which bytes that are not UTF-8 are shown as U+FFFD.
    public func text(_ field: KnownField) -> String? {
        lines.first { $0.known == field }.map { text($0.value) }
    }
}
