import Platform

extension SimulatedDevice {
    /// Lets time pass, and makes the checks that fall due, in their order.
    ///
    /// Checks that were due before, because the machine's own time has passed since, are made first, at the beginning.
    ///
    /// - Parameter seconds: from 0, which makes only the checks that are due already, to `maximumAdvance`.
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
        // Every check puts off its record by hours, so that this comes to an end.
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
