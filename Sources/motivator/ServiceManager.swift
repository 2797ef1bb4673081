import CommandSupport
import Dispatch
import Logging
import MotivatorPlatform
import MotivatorServer

/// The service manager that started the program, such as systemd.
///
/// It can pass listeners (sd_listen_fds(3)), and receives the state of the service (sd_notify(3)). Without one, there are
/// no listeners, and notifications have no effect.
struct ServiceManager {
    /// The variables of the environment.
    let environment: [String: String]
    /// Receives an error if the manager cannot be notified.
    let logger: Logger

    /// Returns the listeners that the manager passed to this process.
    ///
    /// - Throws: `NotAListener` if a descriptor is something else.
    func listeners() throws(NotAListener) -> [PassedListener] {
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

    /// Reports that a reload begins. `READY=1` ends it.
    func notifyReloading() {
        // systemd compares this time with the one at which it requested the reload.
        notify("RELOADING=1\nMONOTONIC_USEC=\(DispatchTime.now().uptimeNanoseconds / 1_000)")
    }

    /// Notifies the manager's watchdog twice in its interval, as long as all event loops of a server respond.
    ///
    /// Returns immediately if the manager has no watchdog for this process; otherwise only when the task is cancelled.
    func watch(_ server: HTTPServer) async throws {
        guard let microseconds = number("WATCHDOG_USEC"), microseconds > 0,
            [nil, Int(getpid())].contains(number("WATCHDOG_PID"))
        else { return }
        while true {
            // A loop that hangs does not return its counts.
            _ = await server.counts()
            notify("WATCHDOG=1")
            try await Task.sleep(for: .microseconds(microseconds / 2))
        }
    }

    private func number(_ variable: String) -> Int? { environment[variable].flatMap { Int($0) } }
}
