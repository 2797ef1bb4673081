/// The life of one connection as a value: bytes and events go in, the next thing to do comes out.
///
/// It knows no socket and no clock. Its owner performs the actions in the order in which `next` gives them:
/// ```
/// received ─▶ next ─▶ .read        get more bytes, call received or inputEnded
///                     .route       look at head, then call proceed, deferContent or respondNow
///                     .sendContinue  write the interim answer 100
///                     .respond     the message is whole: make the answer, write it, call answered
///                     .wait        an answer is being made
///                     .reject      write this error answer, call answered
///                     .shutDown    everything is written: end the write side, then read on
///                     .close       close now
/// ```
/// Source: RFC 9112 §9.
public struct ServerConnection: Sendable {
    /// What its owner has to do next.
    public enum Action: Sendable, Equatable {
        case read
        case route
        case sendContinue
        case respond
        case wait
        case reject(Rejection)
        case shutDown
        case close
    }

    /// What an answer says about the connection.
    public enum Persistence: Sendable, Equatable {
        /// HTTP/1.1 that goes on: nothing is said.
        case persistent
        /// HTTP/1.0 that goes on: `Connection: keep-alive`.
        case announced
        /// The last answer: `Connection: close`.
        case closing
    }

    /// What the connection is waiting for; it decides which deadline counts.
    public enum Phase: Sendable, Equatable {
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

    /// The parser, whose head and content the owner reads.
    public private(set) var parser: RequestParser
    private var state = State.head
    private var inputHasEnded = false
    private var isDraining = false
    private var mustClose = false
    /// Requests whose head was complete.
    public private(set) var requests = 0

    /// - Parameter limits: the bounds on every message and on the connection.
    public init(limits: Limits = Limits()) {
        parser = RequestParser(limits: limits)
    }

    /// The head of the current request.
    @inline(__always)
    public var head: RequestHead {
        _read { yield parser.head }
    }

    /// Bytes of the current request's content that have arrived.
    public var contentReceived: Int { parser.content.count }

    /// The number of bytes of the current message that are held in memory.
    public var bufferedBytes: Int { parser.bufferedBytes }

    /// Gives the current request's content away.
    public mutating func takeContent() -> [UInt8] { parser.takeContent() }

    /// What the connection is waiting for.
    public var phase: Phase {
        switch state {
        case .head: parser.isBetweenMessages ? .idle : .head
        case .content, .continuing, .discarding: .content
        case .routing, .responding, .rejecting: .response
        case .shutDown, .lingering: .lingering
        case .closed: .closed
        }
    }

    /// Whether bytes from the peer are of use now; the owner stops reading while they are not.
    public var wantsInput: Bool {
        switch state {
        case .head, .content, .continuing, .discarding, .lingering: true
        case .routing, .responding, .rejecting, .shutDown, .closed: false
        }
    }

    /// What the answer to the current request says about the connection.
    public var persistence: Persistence {
        if mustClose { return .closing }
        return parser.head.version == .http10 ? .announced : .persistent
    }

    /// Takes bytes from the peer.
    public mutating func received(_ bytes: FieldBytes) {
        guard case .lingering(let left) = state else {
            parser.append(bytes)
            return
        }
        state = bytes.count > left ? .closed : .lingering(left: left - bytes.count)
    }

    /// The peer has ended its side: close_notify or FIN.
    public mutating func inputEnded() {
        inputHasEnded = true
    }

    /// Reads the content of the current request, whose `Content-Length` is checked immediately.
    ///
    /// - Parameter limit: the maximum size of the content in bytes; above it, the request is rejected with 413.
    public mutating func proceed(contentLimit limit: Int = .max) {
        parser.limitContent(to: limit)
        if case .length(let count) = parser.head.framing, count > limit { return refuse(.contentTooLarge) }
        // Not where content is on its way already, or none can come (RFC 9110 §10.1.1).
        let isWaitedFor = parser.head.expectsContinue && parser.head.framing != .none && !parser.hasInput
        state = isWaitedFor ? .continuing : .content
    }

    /// Leaves the content unread until the owner calls `proceed` to read it, or `respondNow` to respond without it.
    ///
    /// The request must have content.
    public mutating func deferContent() {
        state = .responding(contentLeft: true)
    }

    /// The answer does not wait for the content.
    public mutating func respondNow() {
        let hasContent = parser.head.framing != .none
        // Who waits for 100 may send the content or not: what follows cannot be framed (RFC 9110 §10.1.1).
        if hasContent, parser.head.expectsContinue, !parser.hasInput { mustClose = true }
        // More than would be read and dropped: it ends the connection, so say it at once.
        if case .length(let count) = parser.head.framing, count > parser.limits.discardedContent { mustClose = true }
        // Without content the message ends here; the next one must not begin inside it.
        if !hasContent { _ = parser.next() }
        state = .responding(contentLeft: hasContent)
    }

    /// The answer is written, or waits to be written, in full.
    public mutating func responseWritten() {
        switch state {
        case .responding where mustClose, .rejecting:
            state = .shutDown
        case .responding(let contentLeft):
            if contentLeft { parser.discardContent() }
            state = contentLeft ? .discarding : .head
        case .head, .routing, .content, .continuing, .discarding, .shutDown, .lingering, .closed:
            state = .closed
        }
    }

    /// The next answer is the last one.
    ///
    /// A connection between messages stays open: a request may be on its way, and its answer is not to be lost. Its
    /// owner ends it with `abort` when none has come for a while.
    public mutating func drain() {
        isDraining = true
        mustClose = true
    }

    /// Refuses whatever comes, before a request was understood.
    ///
    /// - Parameter rejection: what the peer is told.
    public mutating func refuse(_ rejection: Rejection) {
        mustClose = true
        _ = parser.takeContent()
        parser.forgetPreviousHead()
        state = .rejecting(rejection)
    }

    /// Ends the connection because the peer is too slow or sends too much.
    ///
    /// - Parameter rejection: the error response if a request has begun; between requests there is no response.
    public mutating func abort(_ rejection: Rejection) {
        switch state {
        case .head where parser.isBetweenMessages: state = .shutDown
        case .head, .content, .continuing: refuse(rejection)
        case .routing, .responding, .rejecting, .discarding, .shutDown, .lingering, .closed: state = .closed
        }
    }

    /// The next thing to do.
    @inline(__always)
    public mutating func next() -> Action {
        switch state {
        case .head: return parseHead()
        case .routing, .responding: return .wait
        case .continuing:
            state = .content
            return .sendContinue
        case .content: return parseContent()
        case .rejecting(let rejection): return .reject(rejection)
        case .discarding: return parseDiscarded()
        case .shutDown:
            state = inputHasEnded ? .closed : .lingering(left: parser.limits.lingering)
            parser.dropInput()
            return .shutDown
        case .lingering:
            if inputHasEnded { state = .closed }
            return inputHasEnded ? .close : .read
        case .closed: return .close
        }
    }
}

extension ServerConnection {
    private mutating func parseHead() -> Action {
        switch parser.next() {
        case .needMore:
            return needMore()
        case .head:
            requests += 1
            mustClose = isDraining || !parser.head.keepsAlive || requests >= parser.limits.requestsPerConnection
            state = .routing
            return .route
        case .message:
            // A head always comes before its message.
            state = .closed
            return .close
        case .failure(let rejection):
            return reject(rejection)
        }
    }

    private mutating func parseContent() -> Action {
        switch parser.next() {
        case .needMore:
            return needMore()
        case .message:
            state = .responding(contentLeft: false)
            return .respond
        case .failure(let rejection):
            return reject(rejection)
        case .head:
            state = .closed
            return .close
        }
    }

    private mutating func parseDiscarded() -> Action {
        switch parser.next() {
        case .needMore:
            return needMore()
        case .message:
            state = .head
            return next()
        case .failure, .head:
            // The answer is out; a second one for the same request would be taken for the next one's.
            state = .shutDown
            return next()
        }
    }

    private mutating func needMore() -> Action {
        guard inputHasEnded else { return .read }
        // Between messages a clean end, inside one nothing to answer; answers before it are still on their way.
        state = .shutDown
        return next()
    }

    private mutating func reject(_ rejection: Rejection) -> Action {
        mustClose = true
        state = .rejecting(rejection)
        return .reject(rejection)
    }
}
