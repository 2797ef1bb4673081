extension Limits {
    /// Returns the limits on a response.
    /// - Parameter content: the maximum size of the content in bytes, 0 or more.
    package static func ofResponse(content: Int) -> Limits {
        var limits = Limits()
        // Responses carry policies and cookies, so they have more and longer field lines than requests.
        (limits.fieldBytes, limits.fieldLines, limits.content) = (64 << 10, 200, content)
        return limits
    }
}

/// A parser for the response to one request. Append bytes as they arrive, then call `next` until it returns `needMore`.
///
/// The steps do not depend on how the bytes are split. The parser is strict because a validator uses it. It accepts two
/// common deviations: a status line that ends after the status, and a Content-Length that repeats the same number (RFC
/// 9112 §6.3).
package struct ResponseParser: Sendable {
    package enum Step: Sendable, Equatable {
        case needMore
        /// The final head is complete in `head`. Its content follows. Interim responses are skipped.
        case head
        /// The response is complete. Its content is in `content`.
        case message
        /// The bytes are not a valid response. The client must close the connection.
        case failure(ResponseError)
    }

    enum State: Sendable, Equatable {
        case statusLine
        case fields
        case content
        case finished
        case failed(ResponseError)
    }

    package let limits: Limits
    /// Whether the request was HEAD, whose response has no content regardless of its fields.
    package let isHead: Bool
    /// The final head; valid after the step `.head`.
    package internal(set) var head = ResponseHead()
    package internal(set) var hasHead = false
    package internal(set) var interimResponses = 0

    var input = InputBuffer()
    var state = State.statusLine
    var lines = LineReader()
    var body = BodyReader()
    var framing = FramingFields()

    package init(limits: Limits, isHead: Bool = false) {
        (self.limits, self.isHead) = (limits, isHead)
        body.limit(to: limits.content)
    }

    package var content: [UInt8] { body.content }

    /// Appends bytes from the server, which may be split anywhere.
    package mutating func append(_ bytes: FieldBytes) {
        switch state {
        case .statusLine, .fields, .content: input.append(bytes)
        // Each connection carries one response, so the parser ignores later bytes.
        case .finished, .failed: break
        }
    }

    /// Parses up to the next step.
    /// - Returns: the step. After `.message` or `.failure`, every call returns the same step.
    package mutating func next() -> Step {
        do throws(ResponseError) {
            switch state {
            case .statusLine, .fields: return try parseHead()
            case .content:
                let isComplete = try mapped { parser throws(Rejection) in
                    try parser.body.read(&parser.input, parser.limits)
                }
                guard isComplete else { return .needMore }
                state = .finished
                input.clear()
                return .message
            case .finished: return .message
            case .failed(let fault): return .failure(fault)
            }
        } catch {
            return fail(error)
        }
    }

    /// Handles the end of the connection, after the last `next`.
    /// - Parameter isClean: whether the server sent close_notify. Without close_notify, content that ends with the
    ///   connection may be truncated (RFC 9112 §9.8).
    package mutating func end(isClean: Bool) -> Step {
        switch state {
        case .statusLine, .fields:
            if state == .statusLine, interimResponses == 0, let fault = foreignStart() { return fail(fault) }
            return fail(.cutShortInHead(got: input.count))
        case .content where head.framing == .untilClose && isClean:
            state = .finished
            return .message
        case .content: return fail(.cutShort(got: content.count, of: body.left > 0 ? content.count + body.left : nil))
        case .finished: return .message
        case .failed(let fault): return .failure(fault)
        }
    }

    package mutating func takeContent() -> [UInt8] { body.take() }

    /// Runs code that parses both requests and responses, and translates its error into a `ResponseError`.
    mutating func mapped<Result>(
        _ read: (inout ResponseParser) throws(Rejection) -> Result
    ) throws(ResponseError) -> Result {
        do throws(Rejection) {
            return try read(&self)
        } catch {
            throw error == .contentTooLarge ? .contentTooLarge(limit: limits.content) : .shared(error)
        }
    }

    private mutating func fail(_ fault: ResponseError) -> Step {
        state = .failed(fault)
        input.clear()
        return .failure(fault)
    }
}

package struct ResponseHead: Sendable {
    /// Whether the version is HTTP/1.0; otherwise, it is HTTP/1.1.
    package internal(set) var isHTTP10 = false
    /// The status as sent, 100 to 999. RFC 9110 §15 treats a status above 599 as 5xx.
    package internal(set) var status = 0
    /// The reason phrase as sent, in ISO 8859-1; often empty.
    package internal(set) var reason = ""
    /// The name and value of each field line, in order. The strings are decoded as ISO 8859-1, which preserves every
    /// byte.
    package internal(set) var fields: [(name: String, value: String)] = []
    package internal(set) var framing = Framing.none
}
