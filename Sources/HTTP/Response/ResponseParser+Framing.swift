// What the fields say about where the content ends (RFC 9112 §6.3).
extension ResponseParser {
    /// `1*DIGIT`, or the same number several times: a proxy joins repeated lines, and the RFC lets a reader take it.
    mutating func noteContentLength(_ value: FieldBytes) throws(ResponseFault) {
        guard !transferEncodingSeen else { throw .ambiguousFraming }
        var isEmpty = true
        for member in ListMembers(value) {
            guard let length = member.decimal else { throw .malformedContentLength }
            if let contentLength, contentLength != length {
                throw .conflictingContentLengths(contentLength, length)
            }
            contentLength = length
            isEmpty = false
        }
        if isEmpty { throw .malformedContentLength }
    }

    /// Exactly one coding, `chunked`, in all field lines together: no other was asked for.
    mutating func noteTransferEncoding(_ value: FieldBytes) throws(ResponseFault) {
        guard !head.isHTTP10 else { throw .transferEncodingInOldVersion }
        guard contentLength == nil else { throw .ambiguousFraming }
        transferEncodingSeen = true
        for coding in ListMembers(value) {
            guard coding.isToken, !isChunked else { throw .malformedTransferEncoding }
            guard coding.equalsIgnoringCase("chunked") else { throw .unknownTransferCoding }
            isChunked = true
        }
    }

    /// Judges the head as a whole and moves on to the content, or to the next head after an interim answer.
    ///
    /// - Returns: whether the head is the final one.
    mutating func finishHead() throws(ResponseFault) -> Bool {
        guard head.status != 101 else { throw .unaskedUpgrade }
        if head.status < 200 {
            guard interimAnswers < limits.interimAnswers else {
                throw .tooManyInterimAnswers(limit: limits.interimAnswers)
            }
            interimAnswers += 1
            state = .statusLine
            return false
        }
        if transferEncodingSeen, !isChunked { throw .malformedTransferEncoding }
        headIsComplete = true
        if isHead || head.status == 204 || head.status == 304 {
            head.framing = .none
            state = .content(left: 0)
        } else if isChunked {
            head.framing = .chunked
            state = .chunked
        } else if let contentLength {
            head.framing = contentLength == 0 ? .none : .length(contentLength)
            state = .content(left: contentLength)
        } else {
            head.framing = .untilClose
            state = .untilClose
        }
        return true
    }
}
