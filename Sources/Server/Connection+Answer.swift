import Dispatch
import HTTP
import HTTPTypes
import Logging
import Platform
import TLS

// From a request to an answer.
extension Connection {
    /// Finds what answers the request whose head is complete.
    func route() {
        let router = isSecure ? loop.hosting.router : loop.hosting.plainRouter
        switch router.decide(machine.head) {
        case .representation(let representation):
            machine.answerNow()
            answer(representation)
        case .response(let response):
            machine.answerNow()
            answer(response, isHead: machine.head.method == .head)
        case .file(let files):
            machine.answerNow()
            serve(files)
        case .handler(let handler, let parameters):
            self.handler = (handler, parameters)
            machine.proceed()
        }
    }

    /// Runs the handler away from the loop; its answer comes back through the loop's queue.
    func respond() {
        guard let (handler, parameters) = handler else { return }
        self.handler = nil
        let request = Request(head: machine.head, content: machine.takeContent(), parameters: parameters, peer: peer)
        let isHead = machine.head.method == .head
        answering = Task { [loop] in
            let response = await handler.respond(to: request)
            // Held on to until then: the connection itself does not keep its loop alive.
            loop.queue.async {
                withExtendedLifetime(loop) {
                    self.answering = nil
                    self.resume { $0.answer(response, isHead: isHead) }
                }
            }
        }
    }

    private func serve(_ files: StaticFiles) {
        if let known = machine.head.withPath({ loop.files.find($0, in: files) }) { return answer(known) }
        let path = machine.head.withPath { Array($0) }
        files.load(path) { [loop] outcome in
            loop.queue.async {
                self.resume { connection in
                    if case .found(let representation) = outcome {
                        loop.files.remember(representation, path, in: files, now: loop.now)
                    }
                    connection.answer(outcome)
                }
            }
        }
    }

    private func answer(_ outcome: StaticFiles.Outcome) {
        let head = machine.head
        switch outcome {
        case .found(let representation): answer(representation)
        case .notFound: answer(Router.notFound(head), isHead: head.method == .head)
        case .folder:
            var response = ErrorAnswer.make(
                308, "The folder is at \(head.pathText)/ with a slash behind it.", for: head)
            response.fields[.location] = head.pathText + "/" + (head.queryText.map { "?\($0)" } ?? "")
            answer(response, isHead: head.method == .head)
        case .failed(let error):
            loop.logger.error("\(error)")
            let sentence = "The file cannot be read. The server's log says why."
            answer(ErrorAnswer.make(500, sentence, for: head), isHead: head.method == .head)
        }
    }

    /// Goes on with an answer that was made elsewhere, unless the connection is gone.
    private func resume(_ body: (Connection) -> Void) {
        dispatchPrecondition(condition: .onQueue(loop.queue))
        guard slot != nil else { return }
        loop.updateTime()
        body(self)
        perform()
        ready([])
        loop.log?.flush()
    }

    /// Writes a representation from the loop itself.
    @inline(__always)
    func answer(_ representation: Representation) {
        let selection = representation.select(for: machine.head, now: loop.time)
        loop.serializer.appendHead(
            statusLine: selection.statusLine, fields: selection.fields, isSecure: isSecure,
            persistence: machine.persistence, to: &loop.output)
        note(status: selection.status, bytes: selection.range.count)
        machine.answered()
        if selection.range.count <= Self.outputLimit {
            loop.output.append(contentsOf: selection.content[selection.range])
        } else {
            body = (selection.content, selection.range)
            flushOutput()
        }
    }

    func answer(_ response: Response, isHead: Bool) {
        loop.serializer.append(
            response, isHead: isHead, isSecure: isSecure, persistence: machine.persistence, to: &loop.output)
        note(status: response.status.code, bytes: isHead ? 0 : response.content.count)
        machine.answered()
    }

    /// Tells the peer why its bytes are no request; of them only the method is looked at again.
    func reject(_ rejection: Rejection) {
        let isAboutContent = [.contentTooLarge, .contentTooSlow, .unknownExpectation].contains(rejection)
        let response = ErrorAnswer.make(rejection, for: isAboutContent ? machine.head : nil)
        let isHead = machine.head.method == .head
        loop.serializer.append(
            response, isHead: isHead, isSecure: isSecure, persistence: .closing, to: &loop.output)
        note(status: rejection.status, bytes: isHead ? 0 : response.content.count, isUnderstood: false)
        machine.answered()
    }

    private var peer: Peer {
        guard case .tls(let session) = transport else { return Peer(address: address) }
        return Peer(address: address, tlsVersion: session.version, serverName: session.serverName)
    }

    @inline(__always)
    private func note(status: Int, bytes: Int, isUnderstood: Bool = true) {
        guard let log = loop.log else { return }
        let peer = peer
        log.note(
            AccessLog.Entry(
                time: loop.time, address: address.host, tlsVersion: peer.tlsVersion, serverName: peer.serverName,
                status: status, bytes: bytes, head: isUnderstood ? machine.head : nil))
    }
}
