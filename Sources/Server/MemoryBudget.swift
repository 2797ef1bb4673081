import MotivatorPlatform

/// A limit on the memory for unhandled content and unread responses, in total and per client.
///
/// All loops share it. Small messages are not charged (`Connection.unchargedBytes`).
final class MemoryBudget: Sendable {
    private struct Charges: Sendable {
        var total = 0
        var byClient: [[UInt8]: Int] = [:]
    }

    private let total: Int
    private let perClient: Int
    private let charges = Guarded(Charges())

    /// - Parameters:
    ///   - total: the maximum total number of bytes.
    ///   - perClient: the maximum number of bytes per client.
    init(total: Int, perClient: Int) {
        self.total = total
        self.perClient = perClient
    }

    /// Charges bytes to a client.
    ///
    /// - Parameters:
    ///   - delta: the number of bytes. A negative number refunds bytes, which always succeeds.
    ///   - client: the client's key.
    /// - Returns: whether the bytes were charged; false if they would exceed a limit.
    func charge(_ delta: Int, to client: [UInt8]) -> Bool {
        charges.withLock { charges in
            let ofClient = charges.byClient[client, default: 0] + delta
            guard delta <= 0 || (charges.total + delta <= total && ofClient <= perClient) else { return false }
            charges.total += delta
            charges.byClient[client] = ofClient == 0 ? nil : ofClient
            return true
        }
    }

    /// The number of charged bytes.
    var charged: Int { charges.withLock { $0.total } }
}
