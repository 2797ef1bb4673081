public import AssociatedDomains
public import MotivatorPlatform

/// A device with installed apps that share passwords and links with sites.
///
/// The device performs one operation at a time. A call waits until the previous call has ended, including its prompt.
public actor SimulatedDevice {
    /// The maximum number of entries per app. Apple recommends at most 30.
    public static let maximumEntries = 1_000
    /// The maximum number of seconds to advance the clock in one step: 366 days.
    public static let maximumAdvance: Int64 = 366 * 86_400
    /// The seconds that the machine's clock may go back without an error, for example when the network sets it.
    static let clockTolerance: Int64 = 300
    /// The last second of the year 9999, the latest time that the time format can represent.
    static let endOfTime: UnixTime = 253_402_300_799
    static let width = 8

    /// The device's persistent state.
    public internal(set) var state: DeviceState
    let network: any AssociationNetwork
    let prompter: any Prompter
    private let clock: Clock
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates a device from its state.
    /// - Parameters:
    ///   - state: the state.
    ///   - network: the source of association files, for the same system as the state.
    ///   - prompter: the user; nil to use the answers in the state.
    ///   - clock: the machine's clock. The device's clock is `state.ahead` seconds ahead of the machine's clock.
    /// - Throws: an error if the machine's clock went back or is out of range.
    public init(
        state: DeviceState, network: any AssociationNetwork, prompter: (any Prompter)? = nil, clock: Clock = .system
    ) throws(ExplainedFailure) {
        let time = clock.now()
        guard (0...SimulatedDevice.endOfTime - state.ahead).contains(time) else {
            throw ExplainedFailure(
                "the machine's clock is wrong: \(time) seconds since 1970", fix: "Correct the machine's clock",
                exitCode: .configuration)
        }
        let now = time + state.ahead
        if let latest = state.latest, now < latest - SimulatedDevice.clockTolerance {
            throw ExplainedFailure(
                "the device's clock would go back from \(Timestamp.text(latest)) to \(Timestamp.text(now)), according "
                    + "to the machine's clock", fix: "Correct the machine's clock, or run: motivator device reset",
                exitCode: .configuration)
        }
        (self.state, self.network) = (state, network)
        self.prompter = prompter ?? state.prompts
        self.clock = clock
    }

    /// The device's time in seconds since 1970, which never goes back.
    public var now: UnixTime {
        let machine = min(max(clock.now(), 0), SimulatedDevice.endOfTime)
        return max(min(machine + state.ahead, SimulatedDevice.endOfTime), state.latest ?? 0)
    }

    /// Sets the answers to prompts that no `Prompter` answers.
    public func setPrompts(_ prompts: PromptPolicy) { state.prompts = prompts }

    /// Turns AutoFill on or off.
    public func setAutoFill(_ isOn: Bool) { state.autoFill = isOn }

    /// Turns developer mode on or off, and checks the sites of entries with the mode `developer`.
    public func setDeveloperMode(_ isOn: Bool) async { await setMode(.developer, isOn) }

    /// Adds or removes a management profile, and checks the sites of entries with the mode `managed`.
    public func setManaged(_ isOn: Bool) async { await setMode(.managed, isOn) }

    private func setMode(_ mode: AssociatedDomain.Modes, _ isOn: Bool) async {
        await beginOperation()
        defer { endOperation() }
        guard state.modes.contains(mode) != isOn else { return }
        state.modes.formSymmetricDifference(mode)
        guard !state.system.isBeforeIOS14 else { return }
        await check(state.records.indices(where: { $0.entry.modes.contains(mode) }), at: seenTime())
    }

    /// Returns Apple's functions for an app.
    /// - Parameters:
    ///   - app: the app, installed or not; nil for an app without an application identifier.
    ///   - searchesAllDomains: whether a request without a domain searches every entry, as Apple's pages describe,
    ///     even in iOS 14 and later.
    public nonisolated func credentials(
        of app: AppIdentifier?, searchesAllDomains: Bool = false
    ) -> any SharedWebCredentials {
        DeviceCredentials(device: self, app: app, searchesAllDomains: searchesAllDomains)
    }

    /// Waits until no other operation runs on the device. The operation calls `endOperation` at its end.
    func beginOperation() async {
        if isBusy {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isBusy = true
        }
    }

    func endOperation() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }

    /// Returns the device's time, and records it as the latest time seen.
    func seenTime() -> UnixTime {
        let time = now
        state.latest = time
        return time
    }

    /// Checks the sites of the given records.
    /// - Parameter isByCall: whether an app's call caused the check.
    func check(_ indices: [Int], at time: UnixTime, isByCall: Bool = false) async {
        var left = indices.map { (index: $0, record: state.records[$0]) }[...]
        let (network, modes) = (network, state.modes)
        let responses = await withTaskGroup(of: (Int, SiteResponse).self) { group in
            func fetchNext() {
                guard let (index, record) = left.popFirst() else { return }
                group.addTask {
                    (index, await network.fetch(record.entry, for: record.app, modes: modes, now: time))
                }
            }
            for _ in 0..<SimulatedDevice.width { fetchNext() }
            var responses: [Int: SiteResponse] = [:]
            while let (index, response) = await group.next() {
                responses[index] = response
                fetchNext()
            }
            return responses
        }
        for (index, response) in responses {
            state.records[index].update(response, at: time, state.system, isByCall: isByCall)
        }
    }
}

extension [AssociationRecord] {
    func indices(where isWanted: (AssociationRecord) -> Bool) -> [Int] { indices.filter { isWanted(self[$0]) } }
}
