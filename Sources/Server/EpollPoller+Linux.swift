#if os(Linux)
import CLinux
import Dispatch
import MotivatorPlatform

/// One epoll descriptor, and one dispatch source that watches it.
///
/// The source's handler polls until epoll is empty twice in a row, and yields the processor in between. Under load,
/// more requests arrive in that time, and one pass through libdispatch handles many events.
@safe final class EpollPoller {
    /// The number of rounds before the queue's other work gets its turn. The source then fires again.
    private static let roundsPerTurn = 16
    private static let eventsPerRound = 256

    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let events: UnsafeMutableBufferPointer<epoll_event>

    /// - Parameter loop: receives the events. The loop outlives the poller, and stops the poller on the loop's queue.
    init(_ loop: EventLoop) throws(SystemError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError("epoll_create1") }
        unsafe events = .allocate(capacity: Self.eventsPerRound)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: loop.queue)
        let (descriptor, events) = unsafe (descriptor, events)
        source.setEventHandler { [unowned loop] in
            var wasEmpty = false
            for _ in 0..<Self.roundsPerTurn {
                let count = unsafe epoll_wait(descriptor, events.baseAddress, Int32(Self.eventsPerRound), 0)
                if count <= 0 {
                    if wasEmpty { return }
                    wasEmpty = true
                    sched_yield()
                    continue
                }
                wasEmpty = false
                loop.beginBatch()
                for index in 0..<Int(count) {
                    unsafe loop.handle(Self.slot(events[index]), Self.interest(events[index]))
                }
            }
        }
        source.setCancelHandler {
            close(descriptor)
            unsafe events.deallocate()
        }
        source.activate()
    }

    func add(_ watched: Int32, _ slot: SlotID, _ interest: Interest) throws(SystemError) {
        var event = unsafe Self.event(slot, interest)
        guard unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0 else { throw SystemError("epoll_ctl") }
    }

    func update(_ watched: Int32, _ slot: SlotID, _ interest: Interest) {
        var event = unsafe Self.event(slot, interest)
        unsafe epoll_ctl(descriptor, EPOLL_CTL_MOD, watched, &event)
    }

    func remove(_ watched: Int32, closed: () -> Void) {
        // Closing the descriptor would not suffice if another process had a copy of it.
        epoll_ctl(descriptor, EPOLL_CTL_DEL, watched, nil)
        closed()
    }

    func stop() {
        source.cancel()
    }

    private static func event(_ slot: SlotID, _ interest: Interest) -> epoll_event {
        var event = unsafe epoll_event()
        if interest.contains(.read) { unsafe event.events |= EPOLLIN.rawValue | EPOLLRDHUP.rawValue }
        if interest.contains(.write) { unsafe event.events |= EPOLLOUT.rawValue }
        unsafe event.data.u64 =
            UInt64(UInt32(bitPattern: slot.index)) << 32 | UInt64(UInt32(bitPattern: slot.generation))
        return unsafe event
    }

    private static func slot(_ event: epoll_event) -> SlotID {
        unsafe SlotID(
            index: Int32(truncatingIfNeeded: event.data.u64 >> 32),
            generation: Int32(truncatingIfNeeded: event.data.u64))
    }

    /// Treats an error or a hang-up as readiness for everything. The next call on the descriptor returns the error.
    private static func interest(_ event: epoll_event) -> Interest {
        var interest: Interest = []
        let failed = EPOLLERR.rawValue | EPOLLHUP.rawValue
        if unsafe event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | failed) != 0 { interest.insert(.read) }
        if unsafe event.events & (EPOLLOUT.rawValue | failed) != 0 { interest.insert(.write) }
        return interest
    }
}
#endif
