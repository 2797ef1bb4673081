// The framing of a response (RFC 9112 §6.3).
extension ResponseParser {
    mutating func apply(_ name: FieldBytes, _ value: FieldBytes) throws(ResponseError) {
        if name.equalsIgnoringCase("content-length") { try applyContentLength(value) }
        guard name.equalsIgnoringCase("transfer-encoding") else { return }
        try mapped { parser throws(Rejection) in
            try parser.framing.addTransferEncoding(value, isHTTP10: parser.head.isHTTP10)
        }
    }

    /// Accepts `1*DIGIT`, or a list that repeats the same number. Proxies join repeated lines into such a list, and the
    /// RFC allows it.
    private mutating func applyContentLength(_ value: FieldBytes) throws(ResponseError) {
        guard !framing.hasTransferEncoding else { throw .shared(.ambiguousFraming) }
        var isEmpty = true
        for member in ListMembers(value) {
            guard let length = member.decimal else { throw .shared(.malformedContentLength) }
            if let other = framing.contentLength, other != length { throw .conflictingContentLengths(other, length) }
            framing.contentLength = length
            isEmpty = false
        }
        if isEmpty { throw .shared(.malformedContentLength) }
    }

    /// Checks the complete head and continues with the content, or with the next head after an interim response.
    /// - Returns: whether the head is the final one.
    mutating func finishHead() throws(ResponseError) -> Bool {
        guard head.status != 101 else { throw .unrequestedUpgrade }
        if head.status < 200 {
            guard interimResponses < limits.interimResponses else {
                throw .tooManyInterimResponses(limit: limits.interimResponses)
            }
            interimResponses += 1
            state = .statusLine
            return false
        }
        let declared = try mapped { parser throws(Rejection) in try parser.framing.result() }
        let hasContent = !isHead && head.status != 204 && head.status != 304
        head.framing = hasContent ? declared ?? .untilClose : .none
        hasHead = true
        body.start(head.framing)
        state = .content
        return true
    }
}
