import MotivatorPlatform

struct Interest: OptionSet, Sendable {
    let rawValue: UInt8

    static let read = Interest(rawValue: 1 << 0)
    static let write = Interest(rawValue: 1 << 1)
}

/// A slot of an event loop and the number of its earlier uses. The number prevents a late event from reaching the
/// slot's next connection.
struct SlotID: Hashable, Sendable {
    var index: Int32
    var generation: Int32
}

package enum PollerKind: String, Sendable, CaseIterable {
    #if os(Linux)
    /// One epoll descriptor for each loop, watched by one dispatch source.
    case epoll
    #endif
    /// One or two dispatch sources for each descriptor, for platforms without epoll.
    case sources

    /// The fastest poller for the platform.
    package static var preferred: PollerKind { allCases[0] }
}

/// A poller that reports ready descriptors to an event loop, on the loop's queue.
protocol Poller: AnyObject {
    func add(_ descriptor: Int32, _ slot: SlotID, _ interest: Interest) throws(SystemError)

    func update(_ descriptor: Int32, _ slot: SlotID, _ interest: Interest)

    /// Stops watching a descriptor. `closed` runs when the descriptor can be closed.
    func remove(_ descriptor: Int32, closed: @escaping @Sendable () -> Void)

    func stop()
}
