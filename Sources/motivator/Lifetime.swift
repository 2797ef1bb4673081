import Dispatch
import Logging
import Platform
import Server
import UltraMotivator

/// What a running server does besides serving: obeys signals and renews its certificates.
struct Lifetime {
    /// Seconds between two looks at the certificates' age.
    private static let renewalInterval = 3_600

    let server: HTTPServer
    let demo: Demo
    let port: UInt16
    let logger: Logger

    private enum Event {
        case stop, reload, renew
    }

    /// Returns when the server has stopped.
    ///
    /// - Parameter identities: the identities in use.
    func run(_ identities: ServerIdentities) async {
        var identities = identities
        let queue = DispatchQueue(label: "signals")
        let (events, source) = AsyncStream.makeStream(of: Event.self)
        let sources = Self.watchSignals(queue) { source.yield($0) }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(
            deadline: .now() + .seconds(Self.renewalInterval), repeating: .seconds(Self.renewalInterval),
            leeway: .seconds(60))
        timer.setEventHandler { source.yield(.renew) }
        timer.activate()
        for await event in events {
            switch event {
            case .reload: identities = reload() ?? identities
            case .renew:
                do {
                    if try identities.haveSuccessors() { identities = reload() ?? identities }
                } catch {
                    logger.error("certificates cannot be renewed: \(error)")
                }
            case .stop:
                timer.cancel()
                logger.info("stopping: answers under way are finished, a second signal ends at once")
                await server.stop()
                for source in sources { source.cancel() }
                return
            }
        }
    }

    /// Reads everything anew, and keeps what there is when something of it cannot be used.
    private func reload() -> ServerIdentities? {
        do {
            let (hosting, identities) = try demo.load(port: port, now: Clock.system.now())
            server.reload(hosting)
            logger.notice("reloaded certificates and association file")
            return identities
        } catch {
            logger.error("not reloaded, the old state is kept: \(error)")
            return nil
        }
    }

    private static func watchSignals(
        _ queue: DispatchQueue, _ happened: @escaping @Sendable (Event) -> Void
    ) -> [any DispatchSourceSignal] {
        let stops = Guarded(0)
        return [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                guard number != SIGHUP else { return happened(.reload) }
                let isFirst = stops.withLock { count in
                    count += 1
                    return count == 1
                }
                // The shell's way to say which signal ended a program.
                guard isFirst else { Platform.exit(128 + number) }
                happened(.stop)
            }
            source.activate()
            return source
        }
    }
}
