import Accounts
import Dispatch
import Logging
import Platform
import Server
import UltraMotivator

/// What a running server does besides serving: obeys signals and renews its certificates.
struct Lifetime {
    /// Seconds between two looks at the certificates' age.
    private static let renewalInterval = 3_600
    /// Seconds between two removals of what is over in the accounts.
    private static let removalInterval = 300

    let server: HTTPServer
    let adminServer: HTTPServer
    let demo: Demo
    let accounts: Accounts
    let port: UInt16
    let logger: Logger

    let signals: Signals

    /// Returns when the server has stopped.
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
            case .reload: identities = reload() ?? identities
            case .renew:
                do {
                    if try identities.haveSuccessors() { identities = reload() ?? identities }
                } catch {
                    logger.error("certificates cannot be renewed: \(error)")
                }
            case .remove:
                // Beside the other events: a stop does not wait for it.
                Task { [accounts] in await accounts.removeExpired() }
            case .stop:
                for timer in timers { timer.cancel() }
                logger.info("stopping: answers under way are finished, a second signal ends at once")
                accounts.refuseWork()
                await server.stop()
                await adminServer.stopNow()
                await accounts.close()
                return
            }
        }
    }

    /// Reads everything anew, and keeps what there is when something of it cannot be used.
    private func reload() -> ServerIdentities? {
        do {
            let (snapshot, identities) = try demo.load(port: port, now: Clock.system.now())
            server.reload(snapshot)
            logger.notice("reloaded certificates and association file")
            return identities
        } catch {
            logger.error("not reloaded, the old state is kept: \(error)")
            return nil
        }
    }
}
