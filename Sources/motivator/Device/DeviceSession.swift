import AssociatedDomains
import Platform
import SharedWebCredentials

/// One or more commands on a device, between the reading of its file and the writing.
struct DeviceSession {
    /// Bytes of a password on standard input: more is a mistake.
    static let inputLimit = 4_096

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
        try await withDevice { device, answerer in
            answerer.policy = command.policy
            return try await command.perform(
                in: DeviceContext(device: device, sites: options.sites, input: input))
        }
    }

    /// Does something with the device while no other command can, and keeps the state afterwards, whatever came of it.
    func withDevice<Result>(_ body: (SimulatedDevice, Answerer) async throws -> Result) async throws -> Result {
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
        do { result = .success(try await body(device, answerer)) } catch { result = .failure(error) }
        let changed = await device.state
        if file.isNew || changed != file.state { try file.save(changed) }
        return try result.get()
    }
}
