import FuzzSupport
import MotivatorHTTP

/// Performs the actions of a connection as a server does, and records them.
///
/// Two actions are not recorded, because they depend on the pieces by design. `.read` occurs once per piece.
/// `.sendContinue` is omitted if content has already arrived (RFC 9110 §10.1.1).
struct ConnectionOwner: ~Copyable {
    struct Summary: Equatable {
        var digest = Digest()
        var responses = 0
        var requests = 0
        var isClosed = false
    }

    private(set) var summary = Summary()
    private var connection: ServerConnection
    /// A bit for each request: whether the owner wants its content.
    private let choices: UInt64
    /// The number of steps since the last piece. A connection that exceeds the limit never waits.
    private var steps = 0

    init(_ limits: Limits, choices: UInt64) {
        connection = ServerConnection(limits: limits)
        self.choices = choices
    }

    mutating func receive(_ piece: UnsafeBufferPointer<UInt8>) {
        guard !summary.isClosed else { return }
        steps = 0
        connection.received(FieldBytes(piece))
        run()
    }

    /// Ends the peer's side. The connection must then close.
    mutating func end() {
        steps = 0
        connection.inputEnded()
        run()
        summary.requests = connection.requests
        require(summary.isClosed, "the connection stays open after the end of the input")
        require(connection.next() == .close && connection.phase == .closed, "a closed connection opens again")
    }

    private mutating func run() {
        while true {
            steps += 1
            require(steps < 10_000, "the connection never waits")
            let action = connection.next()
            switch action {
            case .read:
                require(connection.wantsInput, "the connection reads without wanting input")
                return
            case .sendContinue: continue
            case .close:
                summary.isClosed = true
                return
            case .route: route()
            case .respond:
                summary.digest.add(connection.takeContent())
                respond(0x100)
            // Only `respondNow` leads here: the response is in progress.
            case .wait: respond(0x200)
            case .reject(let rejection):
                summary.digest.add(rejection.status)
                summary.digest.add("\(rejection)")
                respond(0x300)
            case .shutDown: summary.digest.add(0x400)
            }
        }
    }

    private mutating func route() {
        let wantsContent = choices >> UInt64(summary.responses & 31) & 1 == 0
        // Without a 100 response, a client may or may not send its content, so the response closes the connection.
        if wantsContent || connection.head.expectsContinue {
            connection.proceed()
        } else {
            connection.respondNow()
        }
    }

    private mutating func respond(_ kind: Int) {
        summary.responses += 1
        switch connection.persistence {
        case .persistent: summary.digest.add(kind)
        case .announced: summary.digest.add(kind + 1)
        case .closing: summary.digest.add(kind + 2)
        }
        connection.responseWritten()
    }
}
