public import AssociatedDomains
public import Platform

/// Why a simulated device cannot do what its owner asks for.
public enum DeviceError: ExplainedError, Hashable {
    case notInstalled(AppIdentifier)
    case tooManyEntries(Int)
    case advanceOutOfRange(Int64)
    /// The machine's clock stands before what the device has seen.
    case clockWentBack(now: UnixTime, latest: UnixTime)
    /// The machine's clock stands where no clock can.
    case clockOutOfRange(UnixTime)

    public var problem: String {
        switch self {
        case .notInstalled(let app): "the app \(app) is not installed"
        case .tooManyEntries(let count):
            "the app has \(count) entries, more than the \(SimulatedDevice.maximumEntries) that are taken"
        case .advanceOutOfRange(let seconds):
            "\(seconds) seconds are not from 0 to \(SimulatedDevice.maximumAdvance), which are 366 days"
        case .clockWentBack(let now, let latest):
            "the device's clock would go back: it has seen \(Timestamp.text(latest)), and it is \(Timestamp.text(now)) "
                + "now by the machine's clock"
        case .clockOutOfRange(let time): "the machine's clock is wrong: \(time) seconds since 1970"
        }
    }

    public var remedy: String {
        switch self {
        case .notInstalled: "Install it first"
        case .tooManyEntries: "Leave out entries: Apple advises 20 to 30 at most"
        case .advanceOutOfRange: "Advance in several steps"
        case .clockWentBack: "Set the machine's clock right, or begin with a new device"
        case .clockOutOfRange: "Set the machine's clock right"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .notInstalled: .no
        case .tooManyEntries: .badInput
        case .advanceOutOfRange: .usage
        case .clockWentBack, .clockOutOfRange: .configuration
        }
    }
}
