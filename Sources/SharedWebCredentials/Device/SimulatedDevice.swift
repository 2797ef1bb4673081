public import AssociatedDomains
public import Platform

/// A device on which apps are installed that share passwords and links with sites.
///
/// It does one thing after the other: a call waits until the one before, with its prompt, has ended.
public actor SimulatedDevice {
    /// The most entries of an app: far more than Apple's advised 30, few enough to be asked for.
    public static let maximumEntries = 1_000
    /// The most seconds of one step of the clock: 366 days.
    public static let maximumAdvance: Int64 = 366 * 86_400
    /// Seconds that the machine's clock may go back without complaint, as when it is set by the network.
    static let clockTolerance: Int64 = 300
    /// The last second of the year 9999, behind which times have no text.
    static let endOfTime: UnixTime = 253_402_300_799
    /// Sites that are asked at the same time.
    static let width = 8

    /// Everything that is kept.
    public internal(set) var state: DeviceState
    let network: any AssociationNetwork
    let prompter: any Prompter
    private let clock: Clock
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - state: what was kept.
    ///   - network: where association files come from; it has to be of the same reading as the state.
    ///   - prompter: the person; nil for the answers that the state keeps.
    ///   - clock: the machine's clock; the device's own time is ahead of it by what it was advanced.
    /// - Throws: `DeviceError.clockWentBack` or `.clockOutOfRange`.
    public init(
        state: DeviceState, network: any AssociationNetwork, prompter: (any Prompter)? = nil, clock: Clock = .system
    ) throws(DeviceError) {
        let time = clock.now()
        guard (0...SimulatedDevice.endOfTime - state.ahead).contains(time) else { throw .clockOutOfRange(time) }
        if let latest = state.latest, time + state.ahead < latest - SimulatedDevice.clockTolerance {
            throw .clockWentBack(now: time + state.ahead, latest: latest)
        }
        self.state = state
        self.network = network
        self.prompter = prompter ?? state.prompts
        self.clock = clock
    }

    /// The records, in the order of the apps and of their entries.
    public func associations() -> [AssociationRecord] { state.records }

    /// The saved passwords, in the order in which they were first saved.
    public func passwords() -> [SharedCredential] { state.credentials }

    /// The device's time, in seconds since 1970; it never goes back.
    public var now: UnixTime {
        let machine = min(max(clock.now(), 0), SimulatedDevice.endOfTime)
        return max(min(machine + state.ahead, SimulatedDevice.endOfTime), state.latest ?? 0)
    }

    /// Decides how prompts are answered while nobody else answers them.
    ///
    /// - Parameter prompts: the answers.
    public func setPrompts(_ prompts: PromptPolicy) { state.prompts = prompts }

    /// Allows again that passwords are saved for a host, after the person had answered "never".
    ///
    /// - Parameter host: the host in lower case, without a port.
    /// - Returns: whether it was not allowed before.
    public func allowSaving(for host: String) -> Bool {
        let count = state.neverSaved.count
        state.neverSaved.removeAll { $0 == host }
        return state.neverSaved.count < count
    }

    /// Switches AutoFill.
    public func setAutoFill(_ isOn: Bool) { state.autoFill = isOn }

    /// Switches developer mode, and asks the sites at once whose entries have the mode `developer`.
    ///
    /// - Parameter isOn: whether it is to be on.
    public func setDeveloperMode(_ isOn: Bool) async {
        await exclusively {
            guard state.developerMode != isOn else { return }
            state.developerMode = isOn
            switch state.reading {
            case .iOS8: return
            case .current:
                await check(state.records.indices(where: { $0.entry.modes.contains(.developer) }), at: seenTime())
            }
        }
    }

    /// Apple's functions as an app sees them.
    ///
    /// - Parameter app: the app, installed or not; nil for one without an application identifier.
    public nonisolated func credentials(of app: AppIdentifier?) -> any SharedWebCredentials {
        DeviceCredentials(device: self, app: app)
    }

    /// Does something while nobody else does anything on the device.
    func exclusively<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        if isBusy {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isBusy = true
        }
        defer {
            if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
        }
        return try await body()
    }

    /// The device's time, which from now on it has seen.
    func seenTime() -> UnixTime {
        let time = now
        state.latest = time
        return time
    }

    /// Asks the sites of some records.
    ///
    /// - Parameters:
    ///   - indices: the records.
    ///   - time: the device's time.
    ///   - isByCall: whether an app's call is the cause.
    func check(_ indices: [Int], at time: UnixTime, isByCall: Bool = false) async {
        let asked = indices.map { (index: $0, entry: state.records[$0].entry) }
        let (network, developerMode) = (network, state.developerMode)
        let answers = await withTaskGroup(of: (Int, SiteAnswer).self) { group in
            var left = asked[...]
            func askNext() {
                guard let (index, entry) = left.popFirst() else { return }
                group.addTask { (index, await network.fetch(entry, developerMode: developerMode, now: time)) }
            }
            for _ in 0..<SimulatedDevice.width { askNext() }
            var answers: [Int: SiteAnswer] = [:]
            while let (index, answer) = await group.next() {
                answers[index] = answer
                askNext()
            }
            return answers
        }
        for (index, answer) in answers {
            state.records[index].take(answer, at: time, state.reading, isByCall: isByCall)
        }
    }
}

extension [AssociationRecord] {
    func indices(where isWanted: (AssociationRecord) -> Bool) -> [Int] { indices.filter { isWanted(self[$0]) } }
}
