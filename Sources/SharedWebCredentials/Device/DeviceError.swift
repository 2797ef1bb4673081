public import AssociatedDomains
public import MotivatorPlatform

/// The reason why a simulated device cannot perform an operation.
public enum DeviceError: ExplainedError, Hashable {
    case notInstalled(AppIdentifier)
    case tooManyEntries(Int)
    case advanceOutOfRange(Int64)
    /// The machine's clock is before the latest time that the device has seen.
    case clockWentBack(now: UnixTime, latest: UnixTime)
    /// The time of the machine's clock is out of range.
    case clockOutOfRange(UnixTime)

    public var problem: String {
        switch self {
        case .notInstalled(let app): "the app \(app) is not installed"
        case .tooManyEntries(let count):
            "the app has \(count) entries, more than the limit of \(SimulatedDevice.maximumEntries)"
        case .advanceOutOfRange(let seconds):
            "\(seconds) seconds is not between 0 and \(SimulatedDevice.maximumAdvance) (366 days)"
        case .clockWentBack(let now, let latest):
            "the device's clock would go back from \(Timestamp.text(latest)) to \(Timestamp.text(now)), according to "
                + "the machine's clock"
        case .clockOutOfRange(let time): "the machine's clock is wrong: \(time) seconds since 1970"
        }
    }

    public var fix: String {
        switch self {
        case .notInstalled: "Install the app first"
        case .tooManyEntries: "Remove entries. Apple recommends at most 20 to 30"
        case .advanceOutOfRange: "Advance in several steps"
        case .clockWentBack: "Correct the machine's clock, or run: motivator device reset"
        case .clockOutOfRange: "Correct the machine's clock"
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
