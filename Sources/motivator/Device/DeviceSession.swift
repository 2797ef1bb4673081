import MotivatorPlatform
import SharedWebCredentials

/// A session with a device: loads its state, runs commands, and saves the state.
struct DeviceSession {
    /// The maximum size of a password on standard input, in bytes.
    static let inputLimit = 4_096

    typealias Save = @Sendable () async throws -> Void

    let options: DeviceOptions

    func run(_ command: some DeviceCommand, input: @escaping (_ limit: Int) throws -> String) async throws
        -> DeviceResult
    {
        try await withDevice { device, prompter, save in
            prompter.policy = command.policy
            var result = try await command.perform(
                in: DeviceContext(device: device, sites: options.sites, save: save, read: input))
            result.prompts = prompter.takeAnswered()
            do { try await save() } catch {
                if result.mustBePrinted { try result.print(asJSON: options.json) }
                throw error
            }
            return result
        }
    }

    /// Locks the device while `body` runs, and then saves the state, even after an error.
    /// - Parameters:
    ///   - fresh: whether to start with a new device. It keeps the old system, unless `--system` selects another.
    func withDevice<Result>(
        fresh: Bool = false, _ body: (SimulatedDevice, TerminalPrompter, @escaping Save) async throws -> Result
    ) async throws -> Result {
        // A closed pipe must not stop the process before the state is saved.
        signal(SIGPIPE, SIG_IGN)
        let system = try options.selectedSystem()
        if options.state == DeviceOptions.defaultState { try File.makeFolder(DataFolder.folder, mode: 0o700) }
        let file = try DeviceStateFile(options.state)
        let state = fresh || file.isNew ? DeviceState(system ?? file.state.system) : file.state
        if let system, system != state.system {
            throw ExplainedFailure(
                "the device in \(options.state.quoted) runs \(state.system.rawValue)",
                fix: "Remove --system, use another file, or run: motivator device reset")
        }
        let prompter = TerminalPrompter()
        let sites = options.sites
        let device = try SimulatedDevice(
            state: state,
            network: HTTPSAssociationSource(
                state.system, options: try sites.fetcherOptions(), trust: try sites.anchors(),
                assumesPublic: options.audience.assumePublic),
            prompter: prompter)
        prompter.device = device
        let result: Swift.Result<Result, any Error>
        let kept = Guarded(fresh ? file.state : state)
        let save: Save = {
            let changed = await device.state
            guard kept.withLock({ $0 != changed }) else { return }
            try file.save(changed)
            kept.withLock { $0 = changed }
        }
        do { result = .success(try await body(device, prompter, save)) } catch { result = .failure(error) }
        try await save()
        return try result.get()
    }
}
