import Dispatch
import HTTPTypes
import Logging
import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS

/// A request whose handler is running or waiting for the content.
struct PendingRequest {
    let number: Int
    let handler: any Handler
    let parameters: [String]
    /// The running handler. It is canceled when the connection ends.
    var task: Task<Void, Never>?
    /// The route's content limit in bytes, while the handler may still request the content.
    var contentLimit: Int?
    /// The continuation of a handler that waits for the content.
    var reader: CheckedContinuation<[UInt8]?, Never>?
    /// The number of content bytes passed to the handler.
    var contentBytes = 0
    /// The number of response bytes that the handler has written itself; nil before its first write.
    var writtenBytes: Int?
    /// The continuation of a handler that waits for its bytes to be written.
    var writer: CheckedContinuation<Bool, Never>?
    /// The parser of the response that the handler writes itself, if the inspector keeps the content.
    var written: ResponseParser?

    var isWrittenInGzip: Bool {
        written?.head.fields.contains { $0.name.lowercased() == "content-encoding" && $0.value == "gzip" } ?? false
    }

    /// Removes and returns the content of the response that the handler wrote; nil if the response is incomplete or
    /// malformed.
    mutating func takeWrittenContent() -> [UInt8]? {
        while let step = written?.next() {
            switch step {
            case .head: continue
            case .message: return written?.takeContent()
            case .needMore, .failure: return nil
            }
        }
        return nil
    }
}

// Routing and responses.
extension Connection {
    /// The value of Retry-After in seconds when content exceeds the memory budget. Within this time, the server either
    /// handles the other content or rejects it as too slow.
    private static let retryAfter = 10

    /// Whether the response uses TLS.
    ///
    /// A response to plain HTTP at a TLS port does not, so it must not have Strict-Transport-Security (RFC 6797 §7.2).
    private var isEncrypted: Bool { if case .tls = transport { true } else { false } }

    /// The router of the port that the client connected to.
    @inline(__always)
    private var router: Router { isSecure ? loop.snapshot.router : loop.snapshot.plainRouter }

    /// Routes a request with a complete head, and responds if the request does not need a handler.
    func route() {
        routedAt = loop.now
        let head = machine.head
        switch router.decide(head, &routeNumber) {
        case .representation(let representation):
            machine.respondNow()
            respond(representation, to: head)
        case .response(let response):
            machine.respondNow()
            respond(response)
        case .file(let files):
            machine.respondNow()
            serve(files)
        case .handler(let handler, let parameters, let content):
            exchange = PendingRequest(number: machine.requests, handler: handler, parameters: parameters)
            read(content)
        }
    }

    private func read(_ content: ContentPolicy) {
        switch content {
        case .discarded:
            machine.respondNow()
            startHandler()
        case .buffered(let limit): machine.proceed(contentLimit: limit)
        case .onDemand(let limit):
            // Without content, the handler starts immediately.
            guard machine.head.framing != .none else { return machine.proceed(contentLimit: limit) }
            machine.deferContent()
            exchange?.contentLimit = limit
            startHandler()
        }
    }

    /// Passes the complete content to the handler, which starts or resumes.
    func deliverContent() {
        guard let exchange else { return }
        let content = machine.takeContent()
        self.exchange?.contentBytes = content.count
        // Check the budget now: after the handler starts, the server could only close the connection without a
        // response.
        if let excess = chargeMemory() {
            loop.serverLog.budgetExceeded(address, excess)
            machine.drain()
            return reject(.tooMuchUnhandledContent)
        }
        guard let reader = exchange.reader else { return startHandler(content) }
        self.exchange?.reader = nil
        reader.resume(returning: content)
    }

    /// Runs the handler outside the loop, when it is the client's turn. Its response returns through the loop's queue.
    private func startHandler(_ content: [UInt8] = []) {
        guard let exchange else { return }
        let number = exchange.number
        let request = Request(
            head: machine.head, content: content, parameters: exchange.parameters, peer: peer,
            connection: RequestConnection(
                connection: self, number: number, hasUnreadContent: exchange.contentLimit != nil))
        let executor = HandlerExecutor(loop.handlers, client: client)
        self.exchange?.task = Task(executorPreference: executor) { [handler = exchange.handler] in
            #if PostgreSQL
            // Only PostgreSQLPool reads the client.
            let client = CurrentClient(key: executor.client)
            let response =
                executor.isRefused
                ? nil : await CurrentClient.$value.withValue(client) { await handler.respond(to: request) }
            #else
            let response = executor.isRefused ? nil : await handler.respond(to: request)
            #endif
            self.loop.perform { self.finishExchange(number, response ?? self.busy) }
        }
    }

    /// Returns the response to a request whose handler the queue refused.
    private var busy: Response {
        var response = router.error(503, "Too many requests are waiting. Try again in 1 s.", for: machine.head)
        response.fields[.retryAfter] = "1"
        return response
    }

    /// Writes the handler's response, unless the connection has ended or has responded without the handler.
    private func finishExchange(_ number: Int, _ response: Response) {
        guard var exchange, exchange.number == number else { return }
        // The handler did not read the content.
        if exchange.contentLimit != nil { machine.respondNow() }
        self.exchange = nil
        if let written = exchange.writtenBytes {
            return resume { connection in
                let content = exchange.takeWrittenContent()
                if !connection.isStalled {
                    connection.logResponse(
                        to: connection.machine.head, status: response.status.code, bytes: written, content: content,
                        isGzip: exchange.isWrittenInGzip)
                }
                connection.machine.drain()
                connection.machine.responseWritten()
            }
        }
        resume { $0.respond(response) }
    }

    func endExchange() {
        exchange?.task?.cancel()
        exchange?.reader?.resume(returning: nil)
        exchange?.writer?.resume(returning: false)
        exchange = nil
    }

    private func serve(_ files: StaticFiles) {
        let head = machine.head
        if let known = head.withPath({ loop.files.find($0, in: files) }) { return respond(known, to: head) }
        let path = head.withPath { Array($0) }
        files.load(path, for: client) { outcome in
            self.loop.perform {
                self.resume { connection in
                    if case .found(let representation) = outcome {
                        connection.loop.files.remember(representation, path, in: files, now: connection.loop.now)
                    }
                    connection.respond(outcome)
                }
            }
        }
    }

    private func respond(_ outcome: StaticFiles.Outcome) {
        let head = machine.head
        switch outcome {
        case .found(let representation): respond(representation, to: head)
        case .notFound: respond(router.errors(for: head).notFound(head))
        case .folder:
            var response = router.error(308, "The folder is at \(head.pathText)/, with a trailing slash.", for: head)
            response.fields[.location] = head.pathText + "/" + (head.queryText.map { "?\($0)" } ?? "")
            // A file can replace the folder.
            (response.fields[.cacheControl], response.fields[.vary]) = ("no-cache", "Accept")
            respond(response)
        case .failed(let error):
            loop.logger.error("\(error)")
            let sentence = "The file cannot be read. See the server log."
            respond(router.error(500, sentence, for: head))
        case .busy: respond(busy)
        }
    }

    /// Runs `body` and continues the request loop, unless the connection has ended.
    func resume(_ body: (Connection) -> Void) {
        dispatchPrecondition(condition: .onQueue(loop.queue))
        guard slot != nil else { return }
        assert(loop.output.isEmpty, "the loop has output of another connection")
        loop.updateTime()
        body(self)
        perform()
        ready([])
    }

    /// Writes a representation directly on the loop, without a handler.
    @inline(__always)
    private func respond(_ representation: Representation, to head: RequestHead) {
        let selection = representation.select(for: head, now: loop.time)
        loop.serializer.appendHead(
            statusLine: selection.statusLine, fields: selection.fields, isPage: representation.isPage,
            isSecure: isEncrypted, persistence: machine.persistence, to: &loop.output)
        logResponse(
            to: head, status: selection.status, bytes: selection.range.count, content: selection.content,
            isGzip: selection.isGzip)
        machine.responseWritten()
        if selection.range.count <= Self.outputLimit {
            selection.content.withFieldBytes { loop.output.append(contentsOf: $0.part(selection.range)) }
        } else {
            body = (selection.content, selection.range, representation)
        }
    }

    /// - Parameter isUnderstood: whether the server accepted the bytes of the request.
    func respond(_ response: Response, isUnderstood: Bool = true) {
        let head = machine.head, isHead = head.method == .head
        loop.serializer.append(
            response, isHead: isHead, isSecure: isEncrypted, persistence: machine.persistence, to: &loop.output)
        logResponse(
            to: head, status: response.status.code, bytes: isHead ? 0 : response.content.count,
            content: isUnderstood ? response.content : nil,
            isGzip: loop.traffic != nil && response.fields[.contentEncoding] == "gzip", isUnderstood: isUnderstood)
        machine.responseWritten()
    }

    /// Responds to a rejected request. If the head was rejected, the response depends only on its method.
    func reject(_ rejection: Rejection) {
        endExchange()
        let head = machine.isHeadRejected && rejection != .unknownExpectation ? nil : machine.head
        let limit = rejection == .contentTooLarge ? machine.contentLimit : nil
        var response = router.errors(for: head).response(rejection, contentLimit: limit, for: head)
        if rejection == .tooMuchUnhandledContent { response.fields[.retryAfter] = "\(Self.retryAfter)" }
        respond(response, isUnderstood: false)
    }

    private var peer: Peer {
        guard case .tls(let session) = transport else { return Peer(address: address) }
        return Peer(address: address, tlsVersion: session.version, serverName: session.serverName)
    }

    @inline(__always)
    func logResponse(
        to head: RequestHead, status: Int, bytes: Int, content: [UInt8]? = nil, isGzip: Bool = false,
        isUnderstood: Bool = true
    ) {
        let duration = isUnderstood ? loop.now - routedAt : 0
        loop.counts.addResponse(
            route: isUnderstood ? routeNumber : RouteNames.rejected, status: status, duration: duration)
        if loop.traffic != nil { recordResponse(to: isUnderstood ? head : nil, status, bytes, content, isGzip) }
        guard let log = loop.log else { return }
        let client = logClient ?? makeLogClient(log)
        let response = AccessLog.Response(
            time: loop.milliseconds, status: status, bytes: bytes, received: machine.requestBytes,
            duration: duration, number: machine.requestNumber)
        log.add(response, from: client, head: head, isUnderstood: isUnderstood)
    }

    private func makeLogClient(_ log: AccessLog) -> AccessLog.Client {
        var tls: TLSDetails?
        if case .tls(let session) = transport { tls = session.details }
        let client = log.client(address, tls)
        logClient = client
        return client
    }

    private func recordResponse(
        to head: RequestHead?, _ status: Int, _ bytes: Int, _ content: [UInt8]?, _ isGzip: Bool
    ) {
        let peer = recordedPeer ?? peer
        recordedPeer = peer
        loop.traffic?.record(
            peer, head, time: loop.milliseconds, duration: head == nil ? 0 : loop.now - routedAt, status: status,
            bytes: bytes, content: content, isGzip: isGzip)
    }

    /// Records a failed handshake for the inspector.
    func recordFailure(_ session: TLSSession?, _ reason: String) {
        // OpenSSL does not know the name if the handshake fails during the client hello.
        let name = session?.serverName ?? session?.clientHello?.serverName
        loop.traffic?.record(
            failedHandshakeOf: Peer(address: address, serverName: name),
            time: loop.milliseconds, reason: reason)
    }
}
