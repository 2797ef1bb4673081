package import AssociatedDomains
package import MotivatorPlatform

/// The reasons why a simulated device cannot perform an operation.
extension ExplainedFailure {
    package static func notInstalled(_ app: AppIdentifier) -> ExplainedFailure {
        ExplainedFailure("the app \(app) is not installed", fix: "Install the app first", exitCode: .no)
    }

    static func tooManyEntries(_ count: Int) -> ExplainedFailure {
        ExplainedFailure(
            "the app has \(count) entries, more than the limit of \(SimulatedDevice.maximumEntries)",
            fix: "Remove entries. Apple recommends at most 20 to 30", exitCode: .badInput)
    }

    static func advanceOutOfRange(_ seconds: Int64) -> ExplainedFailure {
        ExplainedFailure(
            "\(seconds) seconds is not between 0 and \(SimulatedDevice.maximumAdvance) (366 days)",
            fix: "Advance in several steps")
    }

    /// The machine's clock is before the latest time that the device has seen.
    static func clockWentBack(now: UnixTime, latest: UnixTime) -> ExplainedFailure {
        ExplainedFailure(
            "the device's clock would go back from \(Timestamp.text(latest)) to \(Timestamp.text(now)), according to "
                + "the machine's clock", fix: "Correct the machine's clock, or run: motivator device reset",
            exitCode: .configuration)
    }

    static func clockOutOfRange(_ time: UnixTime) -> ExplainedFailure {
        ExplainedFailure(
            "the machine's clock is wrong: \(time) seconds since 1970", fix: "Correct the machine's clock",
            exitCode: .configuration)
    }
}
