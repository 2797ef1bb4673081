import Dispatch
import MotivatorPlatform

/// A poller with one dispatch source for each direction of each descriptor, for platforms without epoll.
final class SourcePoller: Poller {
    private final class Watched {
        let read: any DispatchSourceRead
        var write: (any DispatchSourceWrite)?
        var interest: Interest = []

        init(_ read: any DispatchSourceRead) {
            self.read = read
        }
    }

    private unowned let loop: EventLoop
    private var watched: [Int32: Watched] = [:]

    /// - Parameter loop: the loop that receives the events. It outlives the poller, and stops the poller on its queue.
    init(_ loop: EventLoop) {
        self.loop = loop
    }

    func add(_ descriptor: Int32, _ slot: SlotID, _ interest: Interest) {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: loop.queue)
        source.setEventHandler { [unowned loop] in Self.report(loop, slot, .read) }
        watched[descriptor] = Watched(source)
        update(descriptor, slot, interest)
    }

    /// Sets the events to report. It suspends unused sources, which must be resumed before they are canceled.
    func update(_ descriptor: Int32, _ slot: SlotID, _ interest: Interest) {
        guard let entry = watched[descriptor] else { return }
        let change = entry.interest.symmetricDifference(interest)
        entry.interest = interest
        if change.contains(.read) {
            if interest.contains(.read) { entry.read.resume() } else { entry.read.suspend() }
        }
        guard change.contains(.write) else { return }
        guard interest.contains(.write) else {
            entry.write?.suspend()
            return
        }
        if entry.write == nil { entry.write = makeWriteSource(descriptor, slot) }
        entry.write?.resume()
    }

    func remove(_ descriptor: Int32, closed: @escaping @Sendable () -> Void) {
        guard let entry = watched.removeValue(forKey: descriptor) else { return closed() }
        // The descriptor can be closed only after libdispatch has released the sources of both directions.
        let group = DispatchGroup()
        group.enter()
        entry.read.setCancelHandler { group.leave() }
        if let write = entry.write {
            group.enter()
            write.setCancelHandler { group.leave() }
            write.cancel()
            if !entry.interest.contains(.write) { write.resume() }
        }
        entry.read.cancel()
        if !entry.interest.contains(.read) { entry.read.resume() }
        group.notify(queue: loop.queue, execute: closed)
    }

    func stop() {
        for descriptor in Array(watched.keys) { remove(descriptor) {} }
    }

    private func makeWriteSource(_ descriptor: Int32, _ slot: SlotID) -> any DispatchSourceWrite {
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: loop.queue)
        source.setEventHandler { [unowned loop] in Self.report(loop, slot, .write) }
        return source
    }

    private static func report(_ loop: EventLoop, _ slot: SlotID, _ interest: Interest) {
        loop.beginBatch()
        loop.handle(slot, interest)
    }
}
