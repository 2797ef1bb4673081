import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

struct DeviceContext {
    /// Saves the state before the command ends, so an interruption does not lose changes.
    typealias Save = @Sendable () async throws -> Void

    /// The maximum size of a password on standard input, in bytes.
    private static let inputLimit = 4_096

    let device: SimulatedDevice
    let sites: SiteOptions
    let save: Save
    /// Reads standard input up to a limit, or the input in a script.
    let read: (_ limit: Int) throws -> String

    func input(limit: Int = inputLimit) throws -> String { try read(limit) }

    /// Returns a client for the API of a server, with the clock of the device.
    func api(_ server: ServerAddress) async throws -> APIClient {
        let ahead = await device.state.ahead
        return APIClient(
            server: server, trust: try sites.anchors(), options: try sites.fetcherOptions(),
            clock: Clock { Clock.system.now() + ahead })
    }
}

extension DeviceOptions {
    /// Loads the device, and locks it while `body` runs. Then saves the state, even after an error.
    /// - Parameter fresh: whether to start with a new device. It keeps the system, unless `--system` selects another.
    func withDevice<Result>(
        fresh: Bool = false,
        _ body: (SimulatedDevice, TerminalPrompter, @escaping DeviceContext.Save) async throws -> Result
    ) async throws -> Result {
        // A closed pipe must not stop the process before the state is saved.
        signal(SIGPIPE, SIG_IGN)
        let system = try selectedSystem()
        if self.state == Self.defaultState { try File.makeFolder(DataFolder.folder, mode: 0o700) }
        let file = try DeviceStateFile(self.state)
        let state = fresh || file.isNew ? DeviceState(system ?? file.state.system) : file.state
        if let system, system != state.system {
            throw ExplainedFailure(
                "the device in \(self.state.quoted) runs \(state.system.rawValue)",
                fix: "Remove --system, use another file, or run: motivator device reset")
        }
        let prompter = TerminalPrompter()
        let device = try SimulatedDevice(
            state: state,
            network: HTTPSAssociationSource(
                state.system, options: try sites.fetcherOptions(), trust: try sites.anchors(),
                assumesPublic: audience.assumePublic),
            prompter: prompter)
        prompter.device = device
        let kept = Guarded(fresh ? file.state : state)
        let save: DeviceContext.Save = {
            let changed = await device.state
            guard kept.withLock({ $0 != changed }) else { return }
            try file.save(changed)
            kept.withLock { $0 = changed }
        }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(device, prompter, save)) } catch { result = .failure(error) }
        try await save()
        return try result.get()
    }
}
