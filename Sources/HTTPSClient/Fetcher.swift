public import Certificates
import HTTP
import Platform
import TLS

/// An HTTPS client for looking at servers: one request on one connection, and a report of whatever happens.
///
/// It follows no redirect, keeps no cookie, asks for no compression, verifies no certificate by itself and holds no more
/// than the content's bound and a few kilobytes, whatever the server sends.
public struct Fetcher: Sendable {
    /// How a fetcher goes about it.
    public struct Options: Sendable {
        /// Seconds for everything together: name, connection, handshake, head and content. 1 to 86,400.
        ///
        /// The documents name none for devices; this one is ours.
        public var deadline = 15
        /// Bytes of content that are kept; at one more, reading stops. The default tells an association file of the size that
        /// devices take, 131,072 bytes, from a larger one.
        public var maximumContent = 131_073
        /// Where to connect instead of where the request says; the first that fits wins.
        public var connectTo: [ConnectTo] = []
        /// The value of User-Agent; empty for none.
        public var userAgent = "UltraMotivator"

        /// The defaults.
        public init() {}
    }

    /// How it goes about it.
    public let options: Options
    private let clock: FetchClock
    private let names: NameLookup

    /// - Parameter options: how it goes about it.
    public init(_ options: Options = Options()) {
        self.init(options, clock: .system, names: .system)
    }

    package init(_ options: Options, clock: FetchClock, names: NameLookup = .system) {
        self.options = options
        self.clock = clock
        self.names = names
    }

    /// The same fetcher with no more time than this.
    ///
    /// - Parameter seconds: the most seconds of its deadline; below 1 counts as 1.
    package func limited(to seconds: Int) -> Fetcher {
        var options = options
        options.deadline = min(options.deadline, max(seconds, 1))
        return Fetcher(options, clock: clock, names: names)
    }

    /// Sends one request and waits for the answer, at most as long as the deadline allows.
    ///
    /// It blocks the calling thread.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - accept: is asked with the chain as the server showed it before a byte of the request is sent; false ends the
    ///     fetch with `.refusedChain`.
    /// - Returns: what came, and what went wrong.
    public func fetch(
        _ request: FetchRequest, accept: (_ chain: [Certificate]) -> Bool = { _ in true }
    ) -> Fetched {
        fetch(request, until: deadline, accept: accept)
    }

    /// A deadline that begins now, for several requests that share it.
    package var deadline: Deadline { Deadline(seconds: options.deadline, clock: clock) }

    /// Sends one request and waits for the answer, at most until the deadline.
    package func fetch(
        _ request: FetchRequest, until deadline: Deadline, accept: (_ chain: [Certificate]) -> Bool = { _ in true }
    ) -> Fetched {
        let before = deadline.gone
        var report = Report()
        do throws(FetchFailure) {
            try run(request, accept, deadline, &report)
        } catch {
            report.failure = error
        }
        return Fetched(
            request: request, address: report.address, tls: report.tls, response: report.response,
            failure: report.failure, milliseconds: deadline.gone - before)
    }

    /// What is known so far.
    private struct Report {
        package var address: SocketAddress?
        package var tls: FetchedTLS?
        package var response: FetchedResponse?
        package var failure: FetchFailure?
    }

    private func run(
        _ request: FetchRequest, _ accept: ([Certificate]) -> Bool, _ deadline: Deadline, _ report: inout Report
    ) throws(FetchFailure) {
        var sent = request
        if !options.userAgent.isEmpty, !request.fields.contains(where: { $0.name.lowercased() == "user-agent" }) {
            sent.fields.insert((name: "User-Agent", value: options.userAgent), at: 0)
        }
        if let (part, value) = sent.unsendablePart { throw .unsendable(part: part.rawValue, value: value) }

        let (host, port) = destination(of: request)
        let addresses = try names.addresses(of: host, port: port, until: deadline)
        var dialling = Dialling(deadline: deadline)
        defer { report.address = dialling.address }
        let descriptor = try dialling.connect(to: addresses)
        guard let address = dialling.address else { return }

        let session = try session(on: descriptor.number, request)
        let limits = ResponseLimits(content: max(options.maximumContent, 0))
        var exchange = Exchange(
            address: address, deadline: deadline, session: session, descriptor: descriptor.number,
            parser: ResponseParser(limits: limits, isHead: request.method == "HEAD"))
        do throws(FetchFailure) {
            try exchange.handshake()
        } catch {
            let chain = session.servedChain
            if !chain.isEmpty { report.tls = FetchedTLS(version: "", cipher: "", chain: chain) }
            throw error
        }
        let chain = session.servedChain
        report.tls = FetchedTLS(version: session.version, cipher: session.cipher ?? "", chain: chain)
        defer { _ = session.closeNotify() }
        guard accept(chain) else { throw .refusedChain(address) }

        defer { report.response = exchange.response }
        try exchange.converse(sent.bytes)
    }

    private func destination(of request: FetchRequest) -> (host: String, port: UInt16) {
        let rule = options.connectTo.first { $0.fits(request) }
        return (rule?.target ?? request.host, rule?.targetPort ?? request.port)
    }

    private func session(on descriptor: Int32, _ request: FetchRequest) throws(FetchFailure) -> TLSSession {
        // RFC 6066 §3: no address, and a name without its trailing dot.
        let name = request.host.hasSuffix(".") ? String(request.host.dropLast()) : request.host
        do throws(TLSContextError) {
            return try TLSSession(
                client: TLSClientContext(), descriptor: descriptor, serverName: request.address == nil ? name : nil)
        } catch {
            throw .noResources(reason: error.problem)
        }
    }
}

extension Exchange {
    /// The answer as far as it came; nil while its head is not complete.
    fileprivate var response: FetchedResponse? {
        guard parser.hasHead else { return nil }
        let head = parser.head
        return FetchedResponse(
            status: head.status, reason: head.reason, fields: head.fields, content: parser.content)
    }
}
