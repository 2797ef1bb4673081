// The fields that determine the host, the framing, and whether the connection stays open.
extension RequestParser {
    @inline(__always)
    mutating func apply(_ field: KnownField, _ bytes: FieldBytes, _ value: Range<Int>) throws(Rejection) {
        switch field {
        case .host: try applyHost(bytes, value)
        case .contentLength: try applyContentLength(bytes.part(value))
        case .transferEncoding: try framing.addTransferEncoding(bytes.part(value), isHTTP10: head.version == .http10)
        case .connection: applyConnection(bytes.part(value))
        case .expect: try applyExpectation(bytes.part(value))
        case .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .range, .accept, .acceptEncoding,
            .userAgent, .contentType, .contentEncoding, .authorization, .cookie, .origin, .secFetchSite:
            break
        }
    }

    private mutating func applyHost(_ bytes: FieldBytes, _ value: Range<Int>) throws(Rejection) {
        guard !head.has(.host) else { throw .repeatedHost }
        guard let host = HostSyntax.host(in: bytes.part(value)) else { throw .malformedHost }
        guard head.hostRange == nil else { return }
        head.hostRange = .init(value.lowerBound..<value.lowerBound + host.count)
    }

    /// Accepts a single line with `1*DIGIT`. RFC 9112 §6.3 also allows a recipient to accept repeated equal values.
    private mutating func applyContentLength(_ value: FieldBytes) throws(Rejection) {
        guard framing.contentLength == nil else { throw .repeatedContentLength }
        guard !framing.hasTransferEncoding else { throw .ambiguousFraming }
        guard let length = value.decimal else { throw .malformedContentLength }
        framing.contentLength = length
    }

    private mutating func applyConnection(_ value: FieldBytes) {
        for option in ListMembers(value) {
            if option.equalsIgnoringCase("close") {
                closeSeen = true
            } else if option.equalsIgnoringCase("keep-alive") {
                keepAliveSeen = true
            }
        }
    }

    /// Applies the Expect field, except in HTTP/1.0 (RFC 9110 §10.1.1).
    private mutating func applyExpectation(_ value: FieldBytes) throws(Rejection) {
        guard head.version == .http11 else { return }
        for expectation in ListMembers(value) {
            guard expectation.equalsIgnoringCase("100-continue") else { throw .unknownExpectation }
            head.expectsContinue = true
        }
    }

    /// Checks the complete head, keeps its bytes, and continues with the content.
    mutating func finishHead(_ bytes: FieldBytes) throws(Rejection) {
        if head.version == .http11, !head.has(.host) { throw .missingHost }
        head.framing = try framing.result() ?? .none
        head.keepsAlive = !closeSeen && (head.version == .http11 || keepAliveSeen)
        head.bytes.append(contentsOf: bytes)
        if case .length(let count) = head.framing, count > limits.content { throw .contentTooLarge }
        body.start(head.framing)
        state = .content
    }
}
