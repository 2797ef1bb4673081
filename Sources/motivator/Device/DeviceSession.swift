import HTTPSClient
import Platform
import SharedWebCredentials

/// One or more commands on a device, between the reading of its file and the writing.
struct DeviceSession {
    /// Bytes of a password on standard input: more is a mistake.
    static let inputLimit = 4_096

    /// Keeps the state of the device at once.
    typealias Save = @Sendable () async throws -> Void

    private let options: DeviceOptions

    init(_ options: DeviceOptions) {
        self.options = options
    }

    /// Runs a command, and keeps what it changed.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - input: gives what stands on standard input.
    func run(_ command: some DeviceCommand, input: @escaping () throws -> String) async throws -> DeviceAnswer {
        try await withDevice { device, answerer, save in
            answerer.policy = command.policy
            let answer = try await command.perform(
                in: DeviceContext(device: device, sites: options.sites, save: save, input: input))
            do { try await save() } catch {
                if answer.isNowhereElse { try answer.tell(asJSON: options.json) }
                throw error
            }
            return answer
        }
    }

    /// Does something with the device while no other command can, and keeps the state afterwards, whatever came of it.
    ///
    /// - Parameter body: gets the device, who answers its prompts, and what keeps the state at once, before the end.
    func withDevice<Result>(
        _ body: (SimulatedDevice, Answerer, @escaping Save) async throws -> Result
    ) async throws -> Result {
        // A reader that has gone must not end the process before the state is kept.
        signal(SIGPIPE, SIG_IGN)
        let file = try DeviceStateFile(options.state)
        let state = file.isNew ? DeviceState(options.system ?? .current) : file.state
        if let wanted = options.system, wanted != state.reading {
            throw UsageError(
                "\(options.state.quoted) is a device of the system \(state.reading.rawValue)",
                remedy: "Leave out --system, or name another file")
        }
        let answerer = Answerer()
        let sites = options.sites
        let device = try SimulatedDevice(
            state: state,
            network: SiteNetwork(
                state.reading, fetcher: Fetcher(try sites.fetcherOptions()), trust: try sites.anchors()),
            prompter: answerer)
        answerer.device = device
        let result: Swift.Result<Result, any Error>
        let kept = Guarded(state)
        let save: Save = {
            let changed = await device.state
            guard kept.withLock({ $0 != changed }) else { return }
            try file.save(changed)
            kept.withLock { $0 = changed }
        }
        do { result = .success(try await body(device, answerer, save)) } catch { result = .failure(error) }
        try await save()
        return try result.get()
    }
}
