/// The state machine of one connection. It turns bytes and events into actions.
///
/// It uses neither a socket nor a clock. Its owner performs the actions in the order that `next` returns them:
/// ```
/// received ─▶ next ─▶ .read          get more bytes, call received or inputEnded
///                     .route         read head, then call proceed, deferContent or respondNow
///                     .sendContinue  write the interim response 100
///                     .respond       the request is complete: write the response, call responseWritten
///                     .wait          a handler is running
///                     .reject        write this error response, call responseWritten
///                     .shutDown      when everything is written, shut down the write side, then keep reading
///                     .close         close immediately
/// ```
/// Source: RFC 9112 §9.
// Not copyable: access to a part would otherwise copy the whole state. If this type and `ResponseSerializer` were
// copyable, a request would retain 44 more objects, and take 2,740 more instructions (8%).
package struct ServerConnection: ~Copyable, Sendable {
    package enum Action: Sendable, Equatable {
        case read
        case route
        case sendContinue
        case respond
        case wait
        case reject(Rejection)
        case shutDown
        case close
    }

    package enum Persistence: Sendable, Equatable {
        /// HTTP/1.1, and the connection stays open: no field.
        case persistent
        /// HTTP/1.0, and the connection stays open: `Connection: keep-alive`.
        case announced
        /// The last response: `Connection: close`.
        case closing
    }

    /// The phase of a connection, which determines its deadline.
    package enum Phase: Sendable, Equatable {
        case idle, head, content, response, lingering, closed
    }

    private enum State: Sendable, Equatable {
        case head
        case routing
        case content
        case continuing
        case responding(contentLeft: Bool)
        case rejecting(Rejection)
        case discarding
        case shutDown
        case lingering(left: Int)
        case closed
    }

    package private(set) var parser: RequestParser
    private var state = State.head
    private var inputHasEnded = false
    private var isDraining = false
    private var mustClose = false
    /// Whether the input was rejected before a head was complete.
    package private(set) var isHeadRejected = false
    /// Whether the client sent `Connection: close` and its whole request. Such a client sends no further requests.
    package private(set) var clientIsFinished = false
    /// The number of requests with a complete head.
    package private(set) var requests = 0

    package init(limits: Limits = Limits()) {
        parser = RequestParser(limits: limits)
    }

    /// The head of the current request. The next request reuses its memory if this copy is released before. An accessor
    /// that yields the head would allocate memory for each access from another module.
    package var head: RequestHead { parser.head }

    /// The number of content bytes of the current request that have arrived.
    package var contentReceived: Int { parser.content.count }

    /// The number of the current request on its connection, starting at 1. A rejected head also has a number.
    package var requestNumber: Int { isHeadRejected ? requests + 1 : requests }

    /// The number of bytes of the current request that have arrived, excluding the framing; 0 for a rejected head.
    package var requestBytes: Int { isHeadRejected ? 0 : parser.head.bytes.count + parser.body.received }

    /// The number of bytes that are not yet handled, and the size of the memory for the head.
    package var heldMemory: (buffered: Int, head: Int) { (parser.bufferedBytes, parser.head.capacity) }

    package mutating func takeContent() -> [UInt8] { parser.takeContent() }

    package var phase: Phase {
        switch state {
        case .head: parser.isBetweenMessages ? .idle : .head
        case .content, .continuing, .discarding: .content
        case .routing, .responding, .rejecting: .response
        case .shutDown, .lingering: .lingering
        case .closed: .closed
        }
    }

    /// Whether the connection needs bytes from the client. If false, the owner does not read.
    package var wantsInput: Bool {
        switch state {
        case .head, .content, .continuing, .discarding, .lingering: true
        case .routing, .responding, .rejecting, .shutDown, .closed: false
        }
    }

    /// The maximum size of the current request's content in bytes.
    package var contentLimit: Int { parser.body.limit }

    package var persistence: Persistence {
        if mustClose { return .closing }
        return parser.head.version == .http10 ? .announced : .persistent
    }

    package mutating func received(_ bytes: FieldBytes) {
        guard case .lingering(let left) = state else {
            parser.append(bytes)
            return
        }
        state = bytes.count > left ? .closed : .lingering(left: left - bytes.count)
    }

    /// Handles the end of the input: close_notify or FIN.
    package mutating func inputEnded() {
        inputHasEnded = true
    }

    /// Starts reading the content of the current request, and checks `Content-Length` immediately.
    /// - Parameter limit: the maximum size of the content in bytes; larger content is rejected with 413.
    package mutating func proceed(contentLimit limit: Int = .max) {
        parser.body.limit(to: min(limit, parser.limits.content))
        if case .length(let count) = parser.head.framing, count > limit { return refuse(.contentTooLarge) }
        // The server does not send 100 if content has already arrived or the request has no content (RFC 9110 §10.1.1).
        let isWaitedFor = parser.head.expectsContinue && parser.head.framing != .none && !parser.hasInput
        state = isWaitedFor ? .continuing : .content
    }

    /// Leaves the content unread until the owner calls `proceed` to read it, or `respondNow` to respond without it.
    ///
    /// The request must have content.
    package mutating func deferContent() {
        state = .responding(contentLeft: true)
    }

    package mutating func respondNow() {
        let hasContent = parser.head.framing != .none
        // A client that waits for 100 may omit the content. The start of the next request is therefore unknown
        // (RFC 9110 §10.1.1).
        if hasContent, parser.head.expectsContinue, !parser.hasInput { mustClose = true }
        // Instead of reading this much content, the server sends `Connection: close` and closes the connection.
        if case .length(let count) = parser.head.framing, count > parser.limits.discardedContent { mustClose = true }
        // A request without content ends here. The call completes the request before the next request starts.
        if !hasContent { _ = parser.next() }
        state = .responding(contentLeft: hasContent)
    }

    /// Handles the end of a response after all its bytes are written or queued.
    package mutating func responseWritten() {
        switch state {
        case .responding(let contentLeft) where mustClose:
            clientIsFinished = !contentLeft && !parser.head.keepsAlive && !parser.hasInput
            state = .shutDown
        case .rejecting: state = .shutDown
        case .responding(let contentLeft):
            if contentLeft { parser.body.discard(limit: parser.limits.discardedContent) }
            state = contentLeft ? .discarding : .head
        case .head, .routing, .content, .continuing, .discarding, .shutDown, .lingering, .closed: state = .closed
        }
    }

    /// Closes the connection after the next response.
    ///
    /// A connection between requests stays open, because a request may be in transit. If no request arrives for a
    /// while, the owner calls `abort`.
    package mutating func drain() {
        isDraining = true
        mustClose = true
    }

    /// Rejects the input. The connection closes after the error response.
    package mutating func refuse(_ rejection: Rejection) {
        mustClose = true
        if case .head = state { isHeadRejected = true }
        _ = parser.takeContent()
        parser.forgetPreviousHead()
        state = .rejecting(rejection)
    }

    /// Closes the connection because the client is too slow or sends too much data.
    /// - Parameter rejection: the reason in the error response. Between requests, the server sends no response.
    package mutating func abort(_ rejection: Rejection) {
        switch state {
        case .head where parser.isBetweenMessages: state = .shutDown
        case .head, .content, .continuing: refuse(rejection)
        case .routing, .responding, .rejecting, .discarding, .shutDown, .lingering, .closed: state = .closed
        }
    }

    @inline(__always)
    package mutating func next() -> Action {
        switch state {
        case .head, .content, .discarding: return parse()
        case .routing, .responding: return .wait
        case .continuing:
            state = .content
            return .sendContinue
        case .rejecting(let rejection): return .reject(rejection)
        case .shutDown:
            state = inputHasEnded ? .closed : .lingering(left: parser.limits.lingering)
            parser.input.clear()
            return .shutDown
        case .lingering:
            if inputHasEnded { state = .closed }
            return inputHasEnded ? .close : .read
        case .closed: return .close
        }
    }

    private mutating func parse() -> Action {
        let isDiscarding = if case .discarding = state { true } else { false }
        switch parser.next() {
        case .needMore:
            guard inputHasEnded else { return .read }
            // The input ended between requests or within a request. In both cases, only earlier responses remain to be
            // sent.
            state = .shutDown
        case .head:
            requests += 1
            mustClose = isDraining || !parser.head.keepsAlive || requests >= parser.limits.requestsPerConnection
            state = .routing
            return .route
        case .message:
            state = isDiscarding ? .head : .responding(contentLeft: false)
            if !isDiscarding { return .respond }
        case .failure(let rejection):
            guard isDiscarding else {
                refuse(rejection)
                return .reject(rejection)
            }
            // The response is already written. A client would treat a second response as the response to its next
            // request.
            state = .shutDown
        }
        return next()
    }
}
