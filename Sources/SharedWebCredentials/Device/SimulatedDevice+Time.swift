public import Platform

/// A check of an association that a device made.
public struct AssociationCheck: Sendable, Hashable {
    /// The device's time of the check.
    public let time: UnixTime
    /// The record after the check.
    public let record: AssociationRecord
}

extension SimulatedDevice {
    /// Advances the device's clock, and makes the checks that become due, in their order.
    ///
    /// Checks that were already due, because the machine's own time has passed, are made first.
    ///
    /// - Parameter seconds: from 0, which makes only the checks that are already due, to `maximumAdvance`.
    /// - Returns: the checks that were made.
    /// - Throws: `DeviceError.advanceOutOfRange`.
    @discardableResult
    public func advance(_ seconds: Int64) async throws(DeviceError) -> [AssociationCheck] {
        guard (0...SimulatedDevice.maximumAdvance).contains(seconds) else { throw .advanceOutOfRange(seconds) }
        let checks: [AssociationCheck]? = await exclusively {
            let start = now
            guard start <= SimulatedDevice.endOfTime - seconds else { return nil }
            return await pass(from: start, to: start + seconds)
        }
        guard let checks else { throw .advanceOutOfRange(seconds) }
        return checks
    }

    private func pass(from start: UnixTime, to end: UnixTime) async -> [AssociationCheck] {
        var checks: [AssociationCheck] = []
        // Every check postpones its record by hours, so that this loop ends.
        while let due = state.records.compactMap(\.nextCheck).min(), due <= end {
            let time = max(due, start)
            let indices = state.records.indices(where: { $0.nextCheck == due })
            await check(indices, at: time)
            checks += indices.map { AssociationCheck(time: time, record: state.records[$0]) }
        }
        state.ahead += end - start
        state.latest = max(end, now)
        return checks
    }
}
