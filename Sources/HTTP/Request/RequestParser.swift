/// The limits on a request, a response and a connection. Each limit prevents the peer from exhausting resources.
package struct Limits: Sendable, Equatable {
    /// The maximum length of a request line or status line in bytes, without its CRLF. RFC 9112 §3 recommends at least
    /// 8,000.
    package var startLine = 8 << 10
    /// The maximum length of a method in bytes. The longest registered method, UPDATEREDIRECTREF, is 17 bytes long.
    package var method = 32
    /// The maximum size of all field lines in bytes, with their CRLFs. nginx and Apache have similar limits. The limits
    /// on field lines apply separately to the trailers.
    package var fieldBytes = 16 << 10
    /// The maximum number of field lines in a head. Browsers send about 20.
    package var fieldLines = 100
    /// The maximum size of a request's decoded content in bytes. A route may have a lower limit.
    package var content = 1 << 20
    /// The maximum size of a message's chunk extensions in bytes. Extensions are rare.
    package var chunkExtensions = 4 << 10
    /// The maximum number of hexadecimal digits in a chunk size. A 64-bit number has 16 digits.
    package var chunkSizeDigits = 16
    /// The maximum number of requests on one connection. A client gets a renewed certificate only when it reconnects.
    package var requestsPerConnection = 10_000
    /// The maximum number of unread content bytes to discard after a response to keep the connection open.
    package var discardedContent = 256 << 10
    /// The maximum number of bytes to discard after the last response. Closing a connection with unread bytes can cause
    /// a reset that destroys the response (RFC 9112 §9.6).
    package var lingering = 64 << 10
    /// The maximum number of interim responses before the final one. Servers send 103 once or twice (RFC 8297).
    package var interimResponses = 16

    package init() {}
}

/// A parser for requests. Append bytes as they arrive, then call `next` until it returns `needMore`.
///
/// The steps do not depend on how the bytes are split: the parser makes each decision at the first byte that allows it.
/// Source: RFC 9112. Where the RFC allows a choice, the parser is strict.
package struct RequestParser: Sendable {
    package enum Step: Sendable, Equatable {
        case needMore
        /// `head` is complete and its framing is valid. The content follows.
        case head
        /// The request is complete. Its content is in `content`.
        case message
        /// The bytes are not a valid request. The server must close the connection.
        case failure(Rejection)
    }

    enum State: Sendable, Equatable {
        /// Before a request line. `skippedLine` is true if the parser has skipped a leading CRLF.
        case start(skippedLine: Bool)
        case fields
        case content
        case failed(Rejection)
    }

    package let limits: Limits
    /// The head of the current request or, between requests, of the previous request.
    package internal(set) var head = RequestHead()

    var input = InputBuffer()
    var state = State.start(skippedLine: false)
    var lines = LineReader()
    var body = BodyReader()
    var framing = FramingFields()
    var closeSeen = false
    var keepAliveSeen = false

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    package var content: [UInt8] { body.content }

    /// The number of bytes that the parser stores: unparsed input and content.
    package var bufferedBytes: Int { input.count + body.content.count }

    /// Appends bytes from the client, which may be split anywhere.
    package mutating func append(_ bytes: FieldBytes) {
        input.append(bytes)
    }

    /// Whether no byte of the next request has arrived.
    package var isBetweenMessages: Bool {
        guard case .start(let skippedLine) = state else { return false }
        return input.isEmpty && !skippedLine
    }

    package var hasInput: Bool { !input.isEmpty }

    /// Parses up to the next step.
    /// - Returns: the step. After a failure, every call returns the same failure.
    package mutating func next() -> Step {
        do throws(Rejection) {
            switch state {
            case .start, .fields: return try parseHead()
            case .content:
                guard try body.read(&input, limits) else { return .needMore }
                state = .start(skippedLine: false)
                return .message
            case .failed(let rejection): return .failure(rejection)
            }
        } catch {
            forgetPreviousHead()
            state = .failed(error)
            return .failure(error)
        }
    }

    /// Clears the head of the previous request, unless the parser has read the request line of the current request.
    ///
    /// An error response must not depend on the method of a request that already has its response.
    mutating func forgetPreviousHead() {
        if case .start = state { head.reset() }
    }

    package mutating func takeContent() -> [UInt8] { body.take() }

    @inline(__always)
    mutating func startMessage() {
        head.reset()
        framing = FramingFields()
        closeSeen = false
        keepAliveSeen = false
        body.reset(limit: limits.content)
    }
}
