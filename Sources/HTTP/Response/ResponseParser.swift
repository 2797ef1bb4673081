/// Turns bytes into the answer to one request: append what arrives, then ask for the next step until it needs more.
///
/// However the bytes are cut, the steps are the same. It is strict, because it is a validator's: what a lenient reader
/// would guess at is a fault with a name. Two habits of real servers are let through: a status line that ends behind
/// the status, and a Content-Length that is repeated with the same number (RFC 9112 §6.3).
public struct ResponseParser: Sendable {
    /// What the bytes so far amount to.
    public enum Step: Sendable, Equatable {
        /// No decision before more bytes are there.
        case needMore
        /// The final head is complete in `head`; its content follows. Interim answers were passed over.
        case head
        /// The answer is complete, its content is in `content`.
        case message
        /// The bytes are no acceptable answer; the connection must end.
        case failure(ResponseFault)
    }

    enum State: Sendable, Equatable {
        case statusLine
        case fields
        case content(left: Int)
        case chunked
        case untilClose
        case finished
        case failed(ResponseFault)
    }

    /// The bounds that the answer is held to.
    public let limits: ResponseLimits
    /// Whether the request was HEAD, whose answer has no content whatever its fields say.
    public let isHead: Bool
    /// The final head, once `next` has answered `.head`; before that of no meaning.
    public internal(set) var head = ResponseHead()
    /// The content that has arrived, decoded; whole after `.message`.
    public internal(set) var content: [UInt8] = []
    /// Interim answers that came before the final one.
    public internal(set) var interimAnswers = 0

    var input = InputBuffer()
    var state = State.statusLine
    /// Where the current line starts, and up to where no line end was found, from the head's first byte.
    var lineStart = 0
    var searched = 0
    var fieldsStart = 0
    /// What the field lines so far have said about framing.
    var contentLength: Int?
    var transferEncodingSeen = false
    var isChunked = false
    var chunks = ChunkedDecoder()
    let chunkLimits: Limits

    /// - Parameters:
    ///   - limits: the bounds that the answer is held to.
    ///   - isHead: whether the request was HEAD.
    public init(limits: ResponseLimits, isHead: Bool = false) {
        self.limits = limits
        self.isHead = isHead
        chunkLimits = limits.forChunks
    }

    /// Takes bytes that have arrived.
    ///
    /// - Parameter bytes: any number of bytes, cut anywhere.
    public mutating func append(_ bytes: FieldBytes) {
        switch state {
        case .statusLine, .fields, .content, .chunked, .untilClose: input.append(bytes)
        // Nothing behind the answer is read: one connection, one answer.
        case .finished, .failed: break
        }
    }

    /// Whether the head has arrived.
    public var hasHead: Bool {
        switch state {
        case .statusLine, .fields: false
        case .content, .chunked, .untilClose, .finished: true
        case .failed: headIsComplete
        }
    }

    var headIsComplete = false

    /// Goes one step further.
    ///
    /// - Returns: the step; after `.failure` always the same failure again, after `.message` always the message.
    public mutating func next() -> Step {
        do throws(ResponseFault) {
            switch state {
            case .statusLine, .fields: return try nextOfHead()
            case .content(let left): return try nextOfContent(left: left)
            case .chunked: return try nextOfChunks()
            case .untilClose:
                try keep(input.count)
                input.clear()
                return .needMore
            case .finished: return .message
            case .failed(let fault): return .failure(fault)
            }
        } catch {
            return fail(error)
        }
    }

    /// Takes the end of the connection, after the last `next`.
    ///
    /// - Parameter isClean: whether the peer said that this is the end, as close_notify does. Without it, content that
    ///   only the end of the connection frames may have been cut short (RFC 9112 §9.8).
    /// - Returns: `.message` or `.failure`.
    public mutating func end(isClean: Bool) -> Step {
        switch state {
        case .statusLine, .fields:
            if state == .statusLine, interimAnswers == 0, let fault = foreignStart() { return fail(fault) }
            return fail(.cutShortInHead(got: input.count))
        case .content(let left): return fail(.cutShort(got: content.count, of: content.count + left))
        case .chunked: return fail(.cutShort(got: content.count, of: nil))
        case .untilClose:
            guard isClean else { return fail(.cutShort(got: content.count, of: nil)) }
            state = .finished
            return .message
        case .finished: return .message
        case .failed(let fault): return .failure(fault)
        }
    }

    /// Gives the content away, leaving none behind.
    public mutating func takeContent() -> [UInt8] {
        let taken = content
        content = []
        return taken
    }

    private mutating func fail(_ fault: ResponseFault) -> Step {
        state = .failed(fault)
        input.clear()
        return .failure(fault)
    }
}

// MARK: - Content

extension ResponseParser {
    private mutating func nextOfContent(left: Int) throws(ResponseFault) -> Step {
        let taken = min(left, input.count)
        try keep(taken)
        input.consume(taken)
        guard taken == left else {
            state = .content(left: left - taken)
            return .needMore
        }
        return finish()
    }

    private mutating func nextOfChunks() throws(ResponseFault) -> Step {
        while true {
            switch try nextPiece() {
            case .needMore:
                return .needMore
            case .skip(let consumed):
                input.consume(consumed)
            case .data(let count):
                try keep(count)
                input.consume(count)
            case .end(let consumed):
                input.consume(consumed)
                return finish()
            }
        }
    }

    private mutating func nextPiece() throws(ResponseFault) -> ChunkedDecoder.Piece {
        let held = input
        do throws(Rejection) {
            return try held.withBytes { bytes throws(Rejection) in try chunks.next(bytes, chunkLimits) }
        } catch {
            throw ResponseFault(error, limits)
        }
    }

    /// Keeps content up to the limit, also of a piece that passes it: the beginning is worth looking at.
    private mutating func keep(_ count: Int) throws(ResponseFault) {
        let kept = min(count, limits.content - content.count)
        input.withBytes { content.append(contentsOf: $0[..<kept]) }
        guard kept == count else { throw .contentTooLarge(limit: limits.content) }
    }

    private mutating func finish() -> Step {
        state = .finished
        input.clear()
        return .message
    }
}
