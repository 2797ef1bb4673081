#if os(Linux)
import CLinux
import Dispatch
import MotivatorPlatform
import Synchronization

/// A poller with one epoll descriptor, watched by one dispatch source.
///
/// The source's handler waits for further events before it returns. After a return to libdispatch, two threads wake up
/// for the next event. At low request rates, each return costs more than the request. At 5,000 requests per second,
/// these returns raise the CPU time per request from 38 to 81 µs. Before it waits, the handler yields the processor.
/// Under load, more requests arrive in that time, and one pass handles many events. Without the yield, the rate with
/// 256 connections falls by 5%, but the rate with 16 connections rises (Benchmarks/RESULTS.md).
@safe final class EpollPoller: Poller {
    /// The maximum time before the handler returns, in milliseconds. The queue's other work then runs, and the source
    /// fires again. The handler returns earlier if work is waiting, or without events between two sweeps.
    private static let turn: Int64 = 500
    private static let eventsPerRound = 256
    private static let wakerSlot = SlotID(index: -1, generation: 0)

    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private let events: UnsafeMutableBufferPointer<epoll_event>

    /// - Parameter loop: the loop that receives the events. It outlives the poller, and stops the poller on its queue.
    init(_ loop: EventLoop) throws(SystemError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError("epoll_create1") }
        var wakerEvent = unsafe Self.event(Self.wakerSlot, .read)
        guard unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, loop.waker.descriptor, &wakerEvent) == 0 else {
            let error = SystemError("epoll_ctl")
            close(descriptor)
            throw error
        }
        unsafe events = .allocate(capacity: Self.eventsPerRound)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: loop.queue)
        let (descriptor, events) = unsafe (descriptor, events)
        source.setEventHandler { [unowned loop] in
            // Each use of an unowned reference would change the reference count twice: 400 instructions (1%).
            let loop = loop
            loop.waker.whilePolling {
                let end = SocketCalls.monotonicMilliseconds() + Self.turn
                var sweepTime = loop.now + loop.options.sweepInterval
                var wait: Int32 = 0
                repeat {
                    let count = unsafe epoll_wait(descriptor, events.baseAddress, Int32(Self.eventsPerRound), wait)
                    guard count > 0 else {
                        if wait > 0 { return }
                        sched_yield()
                        wait = Int32(clamping: loop.options.sweepInterval)
                        continue
                    }
                    wait = 0
                    loop.beginBatch()
                    for index in 0..<Int(count) {
                        let slot = unsafe Self.slot(events[index])
                        if slot == Self.wakerSlot {
                            loop.waker.clear()
                        } else {
                            unsafe loop.handle(slot, Self.interest(events[index]))
                        }
                    }
                    // The timer fires only after the handler returns.
                    if loop.now >= sweepTime {
                        loop.sweep()
                        sweepTime = loop.now + loop.options.sweepInterval
                    }
                } while !loop.waker.hasWork && loop.now < end
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

    func remove(_ watched: Int32, closed: @escaping @Sendable () -> Void) {
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

    /// Treats an error or a hang-up as readiness to read and write. The next call on the descriptor returns the error.
    private static func interest(_ event: epoll_event) -> Interest {
        var interest: Interest = []
        let failed = EPOLLERR.rawValue | EPOLLHUP.rawValue
        if unsafe event.events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | failed) != 0 { interest.insert(.read) }
        if unsafe event.events & (EPOLLOUT.rawValue | failed) != 0 { interest.insert(.write) }
        return interest
    }
}

/// A waker that adds work to a loop's queue and wakes the loop's poller.
///
/// Either the poller sees the work before it waits, or the sender sees that the poller may wait. This requires all
/// threads to see the operations on both variables in the same order.
@safe final class Waker: Sendable {
    fileprivate let descriptor: Int32
    private let isPolling = Atomic(false)
    /// The number of work items that have not started.
    private let waiting = Atomic(0)

    init() throws(SystemError) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw SystemError("eventfd") }
    }

    deinit { close(descriptor) }

    func add(_ work: @escaping @Sendable () -> Void, to queue: DispatchQueue) {
        waiting.add(1, ordering: .sequentiallyConsistent)
        queue.async { [self] in
            waiting.subtract(1, ordering: .sequentiallyConsistent)
            work()
        }
        if isPolling.load(ordering: .sequentiallyConsistent) { eventfd_write(descriptor, 1) }
    }

    fileprivate var hasWork: Bool { waiting.load(ordering: .sequentiallyConsistent) > 0 }

    fileprivate func whilePolling(_ body: () -> Void) {
        isPolling.store(true, ordering: .sequentiallyConsistent)
        body()
        isPolling.store(false, ordering: .sequentiallyConsistent)
    }

    fileprivate func clear() {
        var count: eventfd_t = 0
        unsafe eventfd_read(descriptor, &count)
    }
}
#endif
