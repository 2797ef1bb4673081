public import MotivatorPlatform

/// A device's check of an association.
public struct AssociationCheck: Sendable, Hashable {
    /// The time of the check on the device's clock.
    public let time: UnixTime
    /// The record after the check.
    public let record: AssociationRecord
}

extension SimulatedDevice {
    /// Advances the device's clock, and performs the checks that become due, in order.
    ///
    /// Checks that are already due come first, because the machine's clock also advances the device's time.
    /// - Parameter seconds: the number of seconds, at most `maximumAdvance`. 0 performs only the checks that are
    ///   already due.
    /// - Returns: the checks performed.
    @discardableResult
    public func advance(_ seconds: Int64) async throws(ExplainedFailure) -> [AssociationCheck] {
        await beginOperation()
        defer { endOperation() }
        let start = now
        let isInRange = (0...SimulatedDevice.maximumAdvance).contains(seconds)
        guard isInRange, start <= SimulatedDevice.endOfTime - seconds else {
            throw ExplainedFailure(
                "\(seconds) seconds is not between 0 and \(SimulatedDevice.maximumAdvance) (366 days)",
                fix: "Advance in several steps")
        }
        let end = start + seconds
        var checks: [AssociationCheck] = []
        // This loop ends, because every check postpones its record by hours.
        while let due = state.records.compactMap(\.nextCheck).min(), due <= end {
            let time = max(due, start)
            let indices = state.records.indices(where: { $0.nextCheck == due })
            await check(indices, at: time)
            checks += indices.map { AssociationCheck(time: time, record: state.records[$0]) }
        }
        state.ahead += seconds
        state.latest = max(end, now)
        return checks
    }
}
