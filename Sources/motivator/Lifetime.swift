import Accounts
import Dispatch
import Logging
import MotivatorPlatform
import MotivatorServer
import UltraMotivator

/// The background work of a running server: signals, certificate renewal, and removal of expired records.
struct Lifetime {
    /// The interval between checks of the certificates' age, in seconds.
    private static let renewalInterval = 3_600
    /// The interval between removals of expired records, in seconds.
    private static let removalInterval = 300

    let server: HTTPServer
    let adminServer: HTTPServer
    let demo: Demo
    let accounts: Accounts
    let port: UInt16
    let log: LogSink
    let logger: Logger

    let signals: Signals

    /// Runs until the server stops.
    ///
    /// - Parameter identities: the identities in use.
    func run(_ identities: ServerIdentities) async {
        var identities = identities
        let (events, source) = AsyncStream.makeStream(of: Signals.Event.self)
        signals.forward { source.yield($0) }
        let timers = [
            signals.every(seconds: Self.renewalInterval) { source.yield(.renew) },
            signals.every(seconds: Self.removalInterval) { source.yield(.remove) },
        ]
        for await event in events {
            switch event {
            case .reload:
                log.reopen { [logger] in logger.error("could not reopen the log; the server keeps the old file: \($0)")
                }
                identities = reload() ?? identities
            case .renew:
                do {
                    if try identities.haveSuccessors() { identities = reload() ?? identities }
                } catch {
                    logger.error("could not renew the certificates: \(error)")
                }
            case .remove:
                // This runs in a task, so a shutdown does not wait for it.
                Task { [accounts] in await accounts.removeExpired() }
            case .stop:
                for timer in timers { timer.cancel() }
                logger.info("shutting down gracefully; a second signal stops immediately")
                accounts.refuseWork()
                await server.stop()
                await adminServer.stopNow()
                await accounts.close()
                return
            }
        }
    }

    /// Reloads the certificates and the association file. Keeps the old ones if an error occurs.
    private func reload() -> ServerIdentities? {
        do {
            let (snapshot, identities) = try demo.load(port: port, now: Clock.system.now())
            server.reload(snapshot)
            logger.notice("reloaded the certificates and the association file")
            return identities
        } catch {
            logger.error("could not reload; the server keeps the old files: \(error)")
            return nil
        }
    }
}
