// What the fields say about where the content ends, whom the request is for and whether the connection stays.
extension RequestParser {
    /// Looks at a field that decides about the message, the moment its line is read.
    @inline(__always)
    mutating func noteField(_ field: KnownField, _ bytes: FieldBytes, _ value: Range<Int>) throws(Rejection) {
        switch field {
        case .host: try noteHost(bytes, value)
        case .contentLength: try noteContentLength(bytes.part(value))
        case .transferEncoding: try noteTransferEncoding(bytes.part(value))
        case .connection: noteConnection(bytes.part(value))
        case .expect: try noteExpectation(bytes.part(value))
        case .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange, .range, .accept, .acceptEncoding,
            .userAgent, .contentType, .contentEncoding, .authorization, .cookie, .origin, .secFetchSite:
            break
        }
    }

    private mutating func noteHost(_ bytes: FieldBytes, _ value: Range<Int>) throws(Rejection) {
        guard !head.has(.host) else { throw .repeatedHost }
        guard let host = Authority.host(in: bytes.part(value)) else { throw .malformedHost }
        guard head.hostPlace == nil else { return }
        head.hostPlace = .init(value.lowerBound..<value.lowerBound + host.count)
    }

    /// `1*DIGIT` and once (RFC 9112 §6.3 allows a repeated equal one; the strict choice is to refuse it).
    private mutating func noteContentLength(_ value: FieldBytes) throws(Rejection) {
        guard !head.has(.contentLength) else { throw .repeatedContentLength }
        guard !transferEncodingSeen else { throw .ambiguousFraming }
        guard let length = value.decimal else { throw .malformedContentLength }
        head.framing = length == 0 ? .none : .length(length)
    }

    /// Exactly one coding, `chunked`, in all field lines together (RFC 9112 §6.1).
    private mutating func noteTransferEncoding(_ value: FieldBytes) throws(Rejection) {
        guard head.version == .http11 else { throw .transferEncodingInOldVersion }
        guard !head.has(.contentLength) else { throw .ambiguousFraming }
        for coding in ListMembers(value) {
            guard coding.isToken else { throw .malformedTransferEncoding }
            // After chunked nothing may follow: chunked twice, or not last.
            guard head.framing != .chunked else { throw .malformedTransferEncoding }
            guard coding.equalsIgnoringCase("chunked") else { throw .unknownTransferCoding }
            head.framing = .chunked
        }
        transferEncodingSeen = true
    }

    private mutating func noteConnection(_ value: FieldBytes) {
        for option in ListMembers(value) {
            if option.equalsIgnoringCase("close") {
                closeSeen = true
            } else if option.equalsIgnoringCase("keep-alive") {
                keepAliveSeen = true
            }
        }
    }

    /// Ignored in HTTP/1.0 (RFC 9110 §10.1.1).
    private mutating func noteExpectation(_ value: FieldBytes) throws(Rejection) {
        guard head.version == .http11 else { return }
        for expectation in ListMembers(value) {
            guard expectation.equalsIgnoringCase("100-continue") else { throw .unknownExpectation }
            head.expectsContinue = true
        }
    }

    /// Judges the head as a whole, keeps its bytes and moves on to the content.
    mutating func finishHead(_ bytes: FieldBytes) throws(Rejection) {
        if head.version == .http11, !head.has(.host) { throw .missingHost }
        if transferEncodingSeen, head.framing != .chunked { throw .malformedTransferEncoding }
        head.keepsAlive = !closeSeen && (head.version == .http11 || keepAliveSeen)
        head.bytes.append(contentsOf: bytes)
        switch head.framing {
        case .none:
            state = .content(left: 0)
        case .length(let count):
            guard count <= limits.content else { throw .contentTooLarge }
            state = .content(left: count)
        case .chunked:
            chunks = ChunkedDecoder()
            state = .chunked
        }
    }
}
