import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform

@testable import MotivatorServer

/// The part of the server that handles a request.
enum Depth: Sendable, CustomStringConvertible {
    /// The router and the selected handler, called directly.
    case router
    /// All stages from the request's bytes to the response's bytes, without a socket or an event loop.
    case memory
    /// A running server on the loopback address.
    case live(Way)

    static let all = [Depth.router, .memory] + Way.all.map { .live($0) }

    var description: String {
        switch self {
        case .router: "router"
        case .memory: "memory"
        case .live(let way): "live, \(way)"
        }
    }

    /// Sends requests in sequence, over a single connection if possible.
    func ask(_ requests: [TestRequest], of router: Router) async throws -> [TestResponse] {
        switch self {
        case .router:
            var responses: [TestResponse] = []
            for request in requests { responses.append(try await Self.decide(request, router)) }
            return responses
        case .memory: return try await Conversation(router).responses(to: requests)
        case .live(let way):
            let mailbox = Mailbox<[TestResponse]>()
            try await Live.run(way.poller, router) { live in
                let wire = try await live.connect(isSecure: way.isSecure)
                var responses: [TestResponse] = []
                for request in requests { responses.append(try await wire.ask(request)) }
                mailbox.put(responses)
            }
            return mailbox.values.first ?? []
        }
    }

    func ask(_ request: TestRequest, of router: Router) async throws -> TestResponse {
        let responses = try await ask([request], of: router)
        guard let response = responses.first else { throw TestResponse.Malformed(what: "no response") }
        return response
    }

    private static func decide(_ request: TestRequest, _ router: Router) async throws -> TestResponse {
        let head = try request.head()
        switch router.decide(head) {
        case .representation(let representation): return try TestResponse(representation, head)
        case .response(let response): return TestResponse(response, head)
        case .handler(let handler, let parameters, _):
            let request = try Request(
                head: head, content: request.content, parameters: parameters, peer: .example)
            return TestResponse(await handler.respond(to: request), head)
        case .file(let files): return try TestResponse(await files.find(head.pathText), head)
        }
    }
}

extension StaticFiles {
    /// Returns the file at a path.
    func find(_ path: String) async -> Outcome {
        await withCheckedContinuation { continuation in
            load(Array(path.utf8), for: []) { continuation.resume(returning: $0) }
        }
    }
}

extension TestResponse {
    init(_ response: Response, _ head: RequestHead) {
        self.init(
            status: response.status.code,
            fields: response.fields.map { Field(name: $0.name.canonicalName, value: $0.value) },
            content: head.method == .head ? [] : response.content)
    }

    init(_ representation: Representation, _ head: RequestHead) throws {
        let selection = representation.select(for: head, now: 0)
        self.init(status: selection.status, content: Array(selection.content[selection.range]))
        for line in String(decoding: selection.fields, as: UTF8.self).split(separator: "\r\n") {
            fields.append(try Field(line))
        }
    }

    init(_ outcome: StaticFiles.Outcome, _ head: RequestHead) throws {
        switch outcome {
        case .found(let representation): try self.init(representation, head)
        case .folder: self.init(status: 308, fields: [Field(name: "location", value: head.pathText + "/")])
        case .notFound: self.init(ErrorRenderer().notFound(head), head)
        case .failed: self.init(status: 500)
        case .busy: self.init(status: 503)
        }
    }
}

extension Peer {
    struct NoAddress: Error {}

    /// A client without a socket.
    static var example: Peer {
        get throws {
            guard let address = SocketAddress("192.0.2.1", port: 50_000) else { throw NoAddress() }
            return Peer(address: address)
        }
    }
}

/// A connection without a socket. It drives the state machine, the router and the serializer as an event loop does.
struct Conversation: ~Copyable {
    private let peer: Peer
    private let router: Router
    private var machine = ServerConnection()
    private var serializer = ResponseSerializer()
    private var output: [UInt8] = []

    init(_ router: Router) throws {
        self.router = router
        peer = try Peer.example
        serializer.update(now: 0)
    }

    consuming func responses(to requests: [TestRequest]) async throws -> [TestResponse] {
        var conversation = self
        var responses: [TestResponse] = []
        for request in requests {
            request.bytes.withFieldBytes { conversation.machine.received($0) }
            try await conversation.perform()
            guard let response = try TestResponse.take(from: &conversation.output, isHead: request.method == "HEAD")
            else {
                throw TestResponse.Malformed(what: "an incomplete response to \(request)")
            }
            responses.append(response)
        }
        return responses
    }

    private mutating func perform() async throws {
        var routed: (any Handler, [String])?
        while true {
            switch machine.next() {
            case .read, .wait, .close: return
            case .shutDown: continue
            case .sendContinue: serializer.appendContinue(to: &output)
            case .reject(let rejection): write(ErrorRenderer().response(rejection, for: nil))
            case .route:
                switch router.decide(machine.head) {
                case .handler(let handler, let parameters, _):
                    routed = (handler, parameters)
                    machine.proceed()
                case .representation(let representation): write(representation)
                case .response(let response):
                    machine.respondNow()
                    write(response)
                case .file(let files):
                    let response = try TestResponse(await files.find(machine.head.pathText), machine.head)
                    machine.respondNow()
                    write(response)
                }
            case .respond:
                guard let (handler, parameters) = routed else { return }
                let request = Request(
                    head: machine.head, content: machine.takeContent(), parameters: parameters,
                    peer: peer)
                write(await handler.respond(to: request))
            }
        }
    }

    private mutating func write(_ response: Response) {
        serializer.append(
            response, isHead: machine.head.method == .head, isSecure: false, persistence: machine.persistence,
            to: &output)
        machine.responseWritten()
    }

    private mutating func write(_ representation: Representation) {
        machine.respondNow()
        let selection = representation.select(for: machine.head, now: 0)
        serializer.appendHead(
            statusLine: selection.statusLine, fields: selection.fields, isSecure: false,
            persistence: machine.persistence, to: &output)
        output += selection.content[selection.range]
        machine.responseWritten()
    }

    /// Writes a response. The fields of a file response already contain the length.
    private mutating func write(_ response: TestResponse) {
        let lines = response.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        let length = response["content-length"] == nil ? "Content-Length: \(response.content.count)\r\n" : ""
        serializer.appendHead(
            statusLine: ResponseSerializer.statusLine(response.status, "Status"), fields: Array((lines + length).utf8),
            isSecure: false, persistence: machine.persistence, to: &output)
        output += response.content
        machine.responseWritten()
    }
}

extension Router {
    /// Returns the decision for a request, without the route's number.
    func decide(_ head: RequestHead) -> Decision {
        var route = 0
        return decide(head, &route)
    }
}
