/// Turns bytes into requests: append what arrives, then ask for the next step until it says that it needs more.
///
/// However the bytes are cut, the steps are the same: every decision is made at the first byte that settles it.
/// Source: RFC 9112; where it leaves a choice, the strict one is taken.
public struct RequestParser: Sendable {
    /// What the bytes so far amount to.
    public enum Step: Sendable, Equatable {
        /// No decision before more bytes are there.
        case needMore
        /// A head is complete in `head`, and its framing is understood; its content follows.
        case head
        /// The message is complete, its content is in `content`.
        case message
        /// The bytes are no acceptable request; the connection must end.
        case failure(Rejection)
    }

    enum State: Sendable, Equatable {
        /// Before a request line; whether a leading CRLF was skipped.
        case start(skippedLine: Bool)
        /// Inside the field lines.
        case fields
        case content(left: Int)
        case chunked
        case failed(Rejection)
    }

    /// The bounds that every message is held to.
    public let limits: Limits
    /// The last complete head.
    public internal(set) var head = RequestHead()
    /// The content that has arrived, decoded; whole after `.message`.
    public internal(set) var content: [UInt8] = []

    var input = InputBuffer()
    var state = State.start(skippedLine: false)
    /// Where the current line starts, and up to where no line end was found, from the head's first byte.
    var lineStart = 0
    var searched = 0
    var fieldsStart = 0
    /// What the field lines so far have said about framing and the connection.
    var transferEncodingSeen = false
    var closeSeen = false
    var keepAliveSeen = false
    var chunks = ChunkedDecoder()
    /// Content bytes that may still be dropped; nil while content is kept.
    var discardable: Int?
    /// The maximum number of content bytes of the current message.
    private var contentLimit: Int

    /// - Parameter limits: the bounds that every message is held to.
    public init(limits: Limits = Limits()) {
        self.limits = limits
        contentLimit = limits.content
    }

    /// The number of bytes that the parser holds: unparsed input and content.
    public var bufferedBytes: Int { input.count + content.count }

    /// Takes bytes that have arrived.
    ///
    /// - Parameter bytes: any number of bytes, cut anywhere.
    public mutating func append(_ bytes: FieldBytes) {
        input.append(bytes)
    }

    /// Whether nothing of a next message has arrived.
    public var isBetweenMessages: Bool {
        guard case .start(let skippedLine) = state else { return false }
        return input.isEmpty && !skippedLine
    }

    /// Whether bytes are waiting to be parsed.
    public var hasInput: Bool { !input.isEmpty }

    /// Goes one step further.
    ///
    /// - Returns: the step; after `.failure` always the same failure again.
    public mutating func next() -> Step {
        do throws(Rejection) {
            switch state {
            case .start, .fields: return try nextOfHead()
            case .content(let left): return try nextOfContent(left: left)
            case .chunked: return try nextOfChunks()
            case .failed(let rejection): return .failure(rejection)
            }
        } catch {
            forgetAnsweredHead()
            state = .failed(error)
            return .failure(error)
        }
    }

    /// Clears the head of the previous message, unless the request line of the current message has been read.
    ///
    /// An error response must not depend on the method of a request that already has its response.
    mutating func forgetAnsweredHead() {
        if case .start = state { head.reset() }
    }

    /// Sets the maximum size of the current message's content.
    ///
    /// - Parameter limit: bytes after decoding; `Limits.content` still applies.
    mutating func limitContent(to limit: Int) {
        contentLimit = min(limit, limits.content)
    }

    /// Drops the content of the current message instead of keeping it, up to the limit on discarded content.
    public mutating func discardContent() {
        content = []
        discardable = limits.discardedContent
    }

    /// Gives the content away, leaving none behind.
    public mutating func takeContent() -> [UInt8] {
        let taken = content
        content = []
        return taken
    }

    /// Forgets every byte that is not parsed.
    public mutating func dropInput() {
        input.clear()
    }

    @inline(__always)
    mutating func startMessage() {
        head.reset()
        transferEncodingSeen = false
        closeSeen = false
        keepAliveSeen = false
        discardable = nil
        contentLimit = limits.content
        if !content.isEmpty { content = [] }
    }
}

// MARK: - Content

extension RequestParser {
    mutating func finishMessage() -> Step {
        state = .start(skippedLine: false)
        lineStart = 0
        searched = 0
        return .message
    }

    private mutating func nextOfContent(left: Int) throws(Rejection) -> Step {
        let taken = min(left, input.count)
        try keep(taken)
        input.consume(taken)
        guard taken == left else {
            state = .content(left: left - taken)
            return .needMore
        }
        return finishMessage()
    }

    private mutating func nextOfChunks() throws(Rejection) -> Step {
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
                return finishMessage()
            }
        }
    }

    private mutating func nextPiece() throws(Rejection) -> ChunkedDecoder.Piece {
        let held = input
        return try held.withBytes { bytes throws(Rejection) in try chunks.next(bytes, limits) }
    }

    private mutating func keep(_ count: Int) throws(Rejection) {
        if let discardable {
            guard count <= discardable else { throw .contentTooLarge }
            self.discardable = discardable - count
            return
        }
        guard content.count + count <= contentLimit else { throw .contentTooLarge }
        input.withBytes { content.append(contentsOf: $0[..<count]) }
    }
}
