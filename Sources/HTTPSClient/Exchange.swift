import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS

/// One request and its response on one connection.
///
/// Each iteration checks the deadline, and each call does a limited amount of work. Neither a slow server nor an
/// endless response can therefore exceed the deadline.
struct Exchange {
    /// The maximum number of bytes per read: one record.
    private static let piece = 16 << 10

    package let address: SocketAddress
    package let deadline: Deadline
    let session: TLSSession
    /// The connected socket, which outlives this value.
    let descriptor: Int32
    package var parser: ResponseParser

    package func handshake() throws(FetchFailure) {
        while true {
            guard !deadline.isOver else { throw .handshakeTimedOut(address, seconds: deadline.seconds) }
            switch session.handshake() {
            case .done: return
            case .wantsRead: deadline.wait(descriptor, Int32(POLLIN))
            case .wantsWrite: deadline.wait(descriptor, Int32(POLLOUT))
            case .closed: throw .closedInHandshake(address)
            case .failed(let failure): throw inHandshake(failure)
            }
        }
    }

    private func inHandshake(_ failure: TLSFailure) -> FetchFailure {
        switch failure {
        case .notTLS, .plainHTTP:
            var start = ""
            for byte in session.foreignBytes.prefix(while: { $0 != 0x0D && $0 != 0x0A }) {
                start.unicodeScalars.append(Unicode.Scalar(byte))
            }
            return .notTLS(address, start: start)
        case .truncated: return .closedInHandshake(address)
        case .system(ECONNRESET): return .resetInHandshake(address)
        case .handshakeRefused where failure.isAboutVersion:
            return .protocolTooOld(address, version: session.outdatedVersion)
        case .handshakeRefused where session.requestsCertificate:
            return .sessionBroken(address, reason: failure.reason)
        case .noClientHello, .clientHelloTooLarge, .handshakeRefused, .system, .tooManyRecordsWithoutData, .broken:
            return .handshakeFailed(address, reason: failure.reason)
        }
    }

    /// Sends the request and reads the response into the parser.
    /// - Throws: `FetchFailure`. In that case, the parser contains the part of the response that arrived.
    mutating func send(_ request: [UInt8]) throws(FetchFailure) {
        var unsent = request[...]
        var buffer = [UInt8](repeating: 0, count: Self.piece)
        while true {
            guard !deadline.isOver else { throw ended(by: timedOut) }
            var events = Int32(POLLIN)
            if !unsent.isEmpty {
                switch unsafe unsent.withUnsafeBytes({ unsafe session.write($0) }) {
                case .done(let count):
                    unsent = unsent.dropFirst(count)
                    continue
                case .wantsWrite: events |= Int32(POLLOUT)
                case .wantsRead: break
                case .closed: unsent = []
                case .failed(let failure): throw ended(by: broken(failure))
                }
            }
            // The loop also reads while it sends, because a server may respond before it has read the whole request.
            switch unsafe buffer.withUnsafeMutableBytes({ unsafe session.read(into: $0) }) {
            case .done(let count):
                buffer.withFieldBytes { parser.append($0.part(0..<count)) }
                if try isComplete() { return }
            case .wantsRead: deadline.wait(descriptor, events)
            case .wantsWrite: deadline.wait(descriptor, events | Int32(POLLOUT))
            case .closed: return try finish(isClean: true)
            case .failed(.truncated): return try finish(isClean: false)
            case .failed(let failure): throw ended(by: broken(failure))
            }
        }
    }

    private mutating func isComplete() throws(FetchFailure) -> Bool {
        while true {
            switch parser.next() {
            case .needMore: return false
            // The content of a redirect is not used, and it may never end.
            case .head where parser.head.isRedirect: return true
            case .head: continue
            case .message: return true
            case .failure(let fault): throw failure(fault)
            }
        }
    }

    private mutating func finish(isClean: Bool) throws(FetchFailure) {
        if case .failure(let fault) = parser.end(isClean: isClean) { throw failure(fault) }
    }

    private func failure(_ fault: ResponseError) -> FetchFailure {
        switch fault {
        case .cutShortInHead: .closedBeforeHead(address)
        case .cutShort(let got, let whole): .cutShort(got: got, of: whole)
        case .contentTooLarge(let limit): .tooLarge(limit: limit)
        case _: .malformed(fault)
        }
    }

    private var timedOut: FetchFailure {
        parser.hasHead
            ? .contentTimedOut(address, seconds: deadline.seconds, got: parser.content.count)
            : .headTimedOut(address, seconds: deadline.seconds)
    }

    private func broken(_ failure: TLSFailure) -> FetchFailure {
        failure == .system(ECONNRESET) ? .reset(address) : .sessionBroken(address, reason: failure.reason)
    }

    /// Returns the failure of a connection that ended early. Received bytes that are not HTTP take precedence.
    private mutating func ended(by failure: FetchFailure) -> FetchFailure {
        guard !parser.hasHead, case .failure(let fault) = parser.end(isClean: false) else { return failure }
        switch fault {
        case .notHTTP, .http2: return .malformed(fault)
        case _: return failure
        }
    }
}

extension ResponseHead {
    fileprivate var isRedirect: Bool {
        (300..<400).contains(status) && fields.contains { $0.name.lowercased() == "location" }
    }
}
