import Dispatch
import MotivatorPlatform

/// A limit on the memory that all connections hold, and on the content that is not yet handled, in total and per client.
///
/// All loops share it. Each connection pays in advance for the memory that it needs while idle, so an ordinary request
/// does not change its charge.
final class MemoryBudget: Sendable {
    /// The memory of one connection, in bytes.
    struct Charge: Equatable, Sendable {
        /// The memory that the connection needs while it is idle. It counts only in total, because the connection limit
        /// already limits it for each client.
        var idle = 0
        /// The memory for a TLS handshake, for incomplete TLS records, and for a large head.
        var buffers = 0
        /// The unhandled content and unread responses.
        var content = 0

        /// The memory that counts toward the client's share.
        fileprivate var ofClient: Int { buffers + content }
        fileprivate var total: Int { idle + buffers + content }

        fileprivate mutating func replace(_ old: Charge, by new: Charge) {
            idle += new.idle - old.idle
            buffers += new.buffers - old.buffers
            content += new.content - old.content
        }
    }

    enum Excess: Equatable, Sendable {
        case memory, memoryOfClient, content
    }

    struct Charges: Sendable {
        fileprivate var sum = Charge()
        /// The charges of the clients that have any.
        var byClient: [[UInt8]: Charge] = [:]
        /// The highest sum since memory was last returned to the system.
        fileprivate var peak = 0
        fileprivate var willTrim = false
    }

    /// The amount of freed memory, in bytes, after which the process returns memory to the system.
    private static let trimThreshold = 8 << 20
    /// The time before memory is returned, in milliseconds. It limits the cost: the allocator locks its memory meanwhile.
    private static let trimDelay = 2_000

    /// The maximum memory of all connections, in bytes.
    let memory: Int
    /// The maximum memory for the buffers and the content of one client. It is a quarter of the total, so one client
    /// cannot use all memory.
    let memoryOfClient: Int
    private let content: Int
    private let contentOfClient: Int
    /// The sum above which each new connection evicts another connection.
    ///
    /// The memory above it is reserved for clients with a small share. During a flood, what one loop frees for such a
    /// client is therefore not taken by the flood's connections in other loops.
    private let highWaterMark: Int
    /// The largest share of a client, in bytes, that may use the reserved memory.
    private let smallShare: Int
    let charges = Guarded(Charges())

    init(_ options: ServerOptions) {
        memory = options.memory
        memoryOfClient = options.memory / 4
        content = options.bufferedBytes
        contentOfClient = options.bufferedBytesPerClient
        highWaterMark = memory - memory / 16
        smallShare = memory / 64
    }

    /// Replaces the charge of a connection.
    /// - Returns: the limit that the new charge would exceed; nil if it is charged. A limit applies only to a value that
    ///   rises.
    func charge(from old: Charge, to new: Charge, of client: [UInt8]) -> Excess? {
        charges.withLock { charges in
            // An idle connection does not count for its client, which a proxy may report later.
            let counts = old.ofClient + new.ofClient > 0
            var (sum, ofClient) = (charges.sum, counts ? charges.byClient[client] ?? Charge() : Charge())
            let limit = ofClient.ofClient > smallShare ? highWaterMark : memory
            sum.replace(old, by: new)
            ofClient.replace(old, by: new)
            ofClient.idle = 0
            if new.content > old.content, sum.content > content || ofClient.content > contentOfClient {
                return .content
            }
            if new.ofClient > old.ofClient, ofClient.ofClient > memoryOfClient { return .memoryOfClient }
            if new.total > old.total, sum.total > limit { return .memory }
            charges.sum = sum
            if counts { charges.byClient[client] = ofClient == Charge() ? nil : ofClient }
            charges.peak = max(charges.peak, sum.total)
            if charges.peak - sum.total > Self.trimThreshold, !charges.willTrim {
                charges.willTrim = true
                scheduleTrim()
            }
            return nil
        }
    }

    func refund(_ charge: Charge, of client: [UInt8]) {
        guard charge != Charge() else { return }
        _ = self.charge(from: charge, to: Charge(), of: client)
    }

    private func scheduleTrim() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(Self.trimDelay)) { [self] in
            charges.withLock { charges in
                charges.peak = charges.sum.total
                charges.willTrim = false
            }
            Allocator.trim()
        }
    }

    var isNearlyExhausted: Bool { charges.withLock { $0.sum.total > highWaterMark } }

    var charged: Int { charges.withLock { $0.sum.total } }
}
