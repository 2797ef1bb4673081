import Dispatch
import Logging
import MotivatorPlatform
import MotivatorServer

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

    /// Reports the start of a reload. `READY=1` reports its end.
    func notifyReloading() {
        // systemd compares this time with the time of its reload request.
        notify("RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1_000)")
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
