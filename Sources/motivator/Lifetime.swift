import Accounts
import Dispatch
import Logging
import MotivatorPlatform
import MotivatorServer
import UltraMotivator

/// The background work of a running server: signals, certificate renewal, and removal of expired records.
struct Lifetime {
    private static let renewalInterval = 3_600
    /// The interval between removals of expired records, in seconds.
    private static let removalInterval = 300

    let server: HTTPServer
    let adminServer: HTTPServer
    let source: ConfigurationSource
    let addresses: [SocketAddress]
    let accounts: Accounts
    let identities: Guarded<ServerIdentities>
    let port: UInt16
    let log: LogSink
    let logger: Logger

    let signals: Signals
    let manager: ServiceManager

    /// Runs until the server stops.
    func run(_ configuration: ServeConfiguration, _ demo: Demo) async {
        var current = (configuration: configuration, demo: demo)
        let timers = [
            signals.every(seconds: Self.renewalInterval, .renew), signals.every(seconds: Self.removalInterval, .remove),
        ]
        // Notify until the process exits. Otherwise, a long shutdown would look like a hang.
        Task { [manager, server] in try await manager.watch(server) }
        for await event in signals.events {
            switch event {
            case .reload:
                // systemd compares this time with the time of its reload request.
                manager.notify("RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1_000)")
                log.reopen { [logger] in logger.error("could not reopen the log; the server keeps the old file: \($0)")
                }
                do {
                    let new = try reconfigure(current.configuration, current.demo)
                    try load(new.demo)
                    current = new
                } catch {
                    logger.error("could not reload; the server keeps the old configuration and files: \(error)")
                }
                manager.notify("READY=1")
            case .renew:
                do {
                    if try identities.withLock({ $0 }).haveSuccessors() { try load(current.demo) }
                } catch {
                    logger.error("could not renew the certificates: \(error)")
                }
            case .remove:
                // Run this in a task, so a shutdown does not wait for the removal.
                Task { [accounts] in await accounts.removeExpired() }
            case .stop:
                manager.notify("STOPPING=1")
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

    /// Reloads the configuration, and logs the options that a reload cannot change.
    private func reconfigure(
        _ old: ServeConfiguration, _ demo: Demo
    ) throws -> (configuration: ServeConfiguration, demo: Demo) {
        let loaded = try source.load()
        let new = try old.reloaded(from: loaded)
        var changed = try new.command.makeDemo(addresses, accounts, logger)
        changed.replace(demo)
        let waiting = loaded.differences(from: new)
        if !waiting.isEmpty {
            logger.warning("these options take effect after a restart: \(waiting.joined(separator: ", "))")
        }
        return (new, changed)
    }

    /// Loads the certificates and the association file.
    private func load(_ demo: Demo) throws {
        let (snapshot, loaded) = try demo.load(port: port, now: Clock.system.now())
        server.reload(snapshot)
        accounts.setDomains(demo.domains)
        identities.withLock { $0 = loaded }
        logger.notice("reloaded the certificates and the association file")
    }
}

/// The service manager that started the program, such as systemd.
///
/// A service manager can pass listeners (sd_listen_fds(3)), and receives the service's state (sd_notify(3)). Without a
/// service manager, there are no passed listeners, and notifications have no effect.
struct ServiceManager {
    let environment: [String: String]
    let logger: Logger

    /// Returns the listeners that the manager passed to this process.
    func listeners() throws(ExplainedFailure) -> [PassedListener] {
        guard number("LISTEN_PID") == Int(getpid()), let count = number("LISTEN_FDS") else { return [] }
        var all: [PassedListener] = []
        // The first descriptor is SD_LISTEN_FDS_START, which is 3.
        while all.count < count { all.append(try PassedListener(3 + Int32(all.count))) }
        return all
    }

    /// Sends assignments such as `READY=1` to the manager.
    func notify(_ state: String) {
        // On Linux, a path that begins with "@" is in the abstract namespace.
        guard let socket = environment["NOTIFY_SOCKET"] else { return }
        do throws(SystemError) {
            try SocketCalls.send(Array(state.utf8), toUnixSocket: socket)
        } catch {
            logger.error("could not notify the service manager at \(socket.quoted): \(error)")
        }
    }

    /// Notifies the manager's watchdog twice per interval while all event loops of a server respond.
    ///
    /// Returns immediately if the manager has no watchdog for this process. Otherwise, runs until the task is canceled.
    func watch(_ server: HTTPServer) async throws {
        guard let microseconds = number("WATCHDOG_USEC"), microseconds > 0,
            [nil, Int(getpid())].contains(number("WATCHDOG_PID"))
        else { return }
        while true {
            // If an event loop hangs, this call does not return.
            _ = await server.counts()
            notify("WATCHDOG=1")
            try await Task.sleep(for: .microseconds(microseconds / 2))
        }
    }

    private func number(_ variable: String) -> Int? { environment[variable].flatMap { Int($0) } }
}
