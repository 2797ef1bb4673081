package import Certificates
import Dispatch
import MotivatorHTTP
package import MotivatorPlatform
import MotivatorTLS

/// An HTTPS client that inspects servers. It sends one request on one connection and reports the result.
///
/// It does not follow redirects, store cookies or request compression. The caller verifies certificates. The client
/// buffers at most the content limit and a few kilobytes.
package struct Fetcher: Sendable {
    package struct Options: Sendable {
        /// The maximum time in seconds for the lookup, connection, handshake, head and content together: 1 to 86,400.
        ///
        /// Apple does not document a timeout for devices, so this project chose the value.
        package var deadline = 15
        /// The maximum number of content bytes. The default is one more than the 131,072 that devices accept, to detect
        /// a larger file.
        package var maximumContent = 131_073
        /// Other addresses to connect to. The first matching rule applies.
        package var connectTo: [ConnectTo] = []
        /// Decides whether the fetcher may connect to an address. It is called with the address of each connection, after
        /// the lookup, so a name that changes its address cannot evade it.
        package var permits: @Sendable (SocketAddress) -> Bool = { _ in true }
        /// The value of User-Agent; empty for no field.
        package var userAgent = "UltraMotivator"

        package init() {}
    }

    /// The context of every connection. Creating it takes longer than a handshake, and it keeps no sessions.
    private static let tls = Result { () throws(ExplainedFailure) in try TLSClientContext() }

    package let options: Options
    private let clock: FetchClock
    private let names: NameLookup

    package init(_ options: Options = Options(), clock: FetchClock = .system, names: NameLookup = .system) {
        (self.options, self.clock, self.names) = (options, clock, names)
    }

    /// Returns a copy of the fetcher with a shorter deadline.
    /// - Parameter seconds: the maximum deadline in seconds; values below 1 count as 1.
    package func limited(to seconds: Int) -> Fetcher {
        var options = options
        options.deadline = min(options.deadline, max(seconds, 1))
        return Fetcher(options, clock: clock, names: names)
    }

    /// Sends one request and waits for the response, up to the deadline.
    ///
    /// Blocks the calling thread.
    /// - Parameters:
    ///   - shared: the deadline that several requests share; nil for a deadline that starts now.
    ///   - accept: checks the server's chain before the request is sent. If the result is false, the fetch fails with
    ///     `.refusedChain`.
    package func fetch(
        _ request: FetchRequest, until shared: Deadline? = nil, accept: (_ chain: [Certificate]) -> Bool = { _ in true }
    ) -> Fetched {
        let deadline = shared ?? deadline
        let before = deadline.gone
        var fetched = Fetched(request: request)
        do throws(FetchFailure) { try run(accept, deadline, &fetched) } catch { fetched.failure = error }
        fetched.milliseconds = deadline.gone - before
        return fetched
    }

    /// A deadline that starts now, for requests that share it.
    package var deadline: Deadline { Deadline(seconds: options.deadline, clock: clock) }

    private func run(
        _ accept: ([Certificate]) -> Bool, _ deadline: Deadline, _ fetched: inout Fetched
    ) throws(FetchFailure) {
        let request = fetched.request
        var sent = request
        if !options.userAgent.isEmpty, !request.fields.contains(where: { $0.name.lowercased() == "user-agent" }) {
            sent.fields.insert((name: "User-Agent", value: options.userAgent), at: 0)
        }
        if let (part, value) = sent.unsendablePart { throw .unsendable(part: part, value: value) }

        let rule = options.connectTo.first { $0.fits(request) }
        let found = try names.addresses(
            of: rule?.target ?? request.host, port: rule?.targetPort ?? request.port, until: deadline)
        let addresses = found.filter(options.permits)
        if let refused = found.first, addresses.isEmpty {
            fetched.address = refused
            throw .notPermitted(refused)
        }
        var attempt = ConnectionAttempt(deadline: deadline)
        defer { fetched.address = attempt.address }
        let descriptor = try attempt.connect(to: addresses)
        guard let address = attempt.address else { return }

        let session = try session(on: descriptor.number, request)
        let limits = Limits.ofResponse(content: max(options.maximumContent, 0))
        var exchange = Exchange(
            address: address, deadline: deadline, session: session, descriptor: descriptor.number,
            parser: ResponseParser(limits: limits, isHead: request.method == "HEAD"))
        do throws(FetchFailure) { try exchange.handshake() } catch {
            let chain = session.servedChain
            if !chain.isEmpty { fetched.tls = FetchedTLS(version: "", cipher: "", chain: chain) }
            throw error
        }
        let chain = session.servedChain
        fetched.tls = FetchedTLS(version: session.version, cipher: session.cipher ?? "", chain: chain)
        defer { _ = session.closeNotify() }
        guard accept(chain) else { throw .refusedChain(address) }

        defer { fetched.response = exchange.response }
        try exchange.send(sent.bytes)
    }

    private func session(on descriptor: Int32, _ request: FetchRequest) throws(FetchFailure) -> TLSSession {
        // RFC 6066 §3: SNI contains neither an address nor a trailing dot.
        let name = request.host.hasSuffix(".") ? String(request.host.dropLast()) : request.host
        do throws(ExplainedFailure) {
            return try TLSSession(
                client: Self.tls.get(), descriptor: descriptor, serverName: request.address == nil ? name : nil)
        } catch {
            throw .noResources(reason: error.problem)
        }
    }

    /// Runs work that fetches. A fetch blocks its thread, so it must not use a thread of the concurrency runtime.
    package static func blocking<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { done in
            DispatchQueue.global().async { done.resume(returning: work()) }
        }
    }
}

extension Exchange {
    /// The part of the response that has arrived; nil if its head is incomplete.
    fileprivate var response: FetchedResponse? {
        guard parser.hasHead else { return nil }
        let head = parser.head
        return FetchedResponse(status: head.status, reason: head.reason, fields: head.fields, content: parser.content)
    }
}
