import Dispatch
import MotivatorPlatform

/// The signals and timers of a process. An instance catches signals as soon as it is created.
final class Signals {
    enum Event: Sendable, Equatable {
        case stop(Int32)
        case reload, renew, remove
    }

    private let queue = DispatchQueue(label: "signals")
    private let pending = Guarded(PendingEvents())
    private let source: any DispatchSourceRead
    /// Contains an element if an event may be pending.
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// - Parameter reloads: whether SIGHUP is a request to reload. Otherwise, SIGHUP stops the process, and signals
    ///   that the process ignored at its start stay ignored.
    init(reloads: Bool = true) throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw ExplainedFailure(
                "could not handle signals: \(SystemError("pipe").reason)",
                fix: "Raise the limit on open files with ulimit -n", exitCode: .temporary)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        unsafe signalPipe = ends[1]
        let reading = ends[0]
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: queue)
        source.setEventHandler { [pending, wake, reloads] in
            var numbers = [UInt8](repeating: 0, count: 1_024)
            let count = unsafe read(reading, &numbers, numbers.count)
            for number in numbers.prefix(max(count, 0)).map(Int32.init) {
                let stops = pending.withLock { pending in
                    pending.add(number == SIGHUP && reloads ? .reload : .stop(number))
                    return pending.stops
                }
                // Exit handlers could free memory that other threads still use. Shells use this exit code for a program
                // that a signal terminated.
                if stops >= 2 { _exit(128 + number) }
            }
            wake.yield()
        }
        source.activate()
        for number in [SIGTERM, SIGINT, SIGHUP] {
            let previous: (@convention(c) (Int32) -> Void)? = signal(number) { number in
                // A handler may call only async-signal-safe functions (signal-safety(7)), and must restore errno.
                let before = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = unsafe write(signalPipe, &byte, 1)
                errno = before
            }
            // For example, nohup(1) starts a command that ignores SIGHUP.
            if !reloads, unsafe unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                signal(number, SIG_IGN)
            }
        }
    }

    /// The events, including those before this call. Only one task may iterate over them.
    var events: AsyncStream<Event> {
        AsyncStream { [pending, wakes] in
            var iterator = wakes.makeAsyncIterator()
            while true {
                if let event = pending.withLock({ $0.next() }) { return event }
                guard await iterator.next() != nil else { return nil }
            }
        }
    }

    /// Adds an event at regular intervals until the timer is canceled.
    func every(seconds: Int, _ event: Event) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .seconds(seconds), repeating: .seconds(seconds), leeway: .seconds(10))
        timer.setEventHandler { [pending, wake] in
            pending.withLock { $0.add(event) }
            wake.yield()
        }
        timer.activate()
        return timer
    }
}

/// The events that a server has not handled yet. A stop replaces all other events. Equal events count as one.
struct PendingEvents: Sendable {
    private var waiting: [Signals.Event] = []
    private(set) var stops = 0

    mutating func add(_ event: Signals.Event) {
        if case .stop = event {
            stops += 1
            if stops == 1 { waiting = [event] }
        } else if stops == 0, !waiting.contains(event) {
            waiting.append(event)
        }
    }

    mutating func next() -> Signals.Event? { waiting.isEmpty ? nil : waiting.removeFirst() }
}

/// The pipe that receives signal numbers from the signal handler. On Linux, a dispatch source can miss a signal:
/// the main thread waits in `sigsuspend`, and may receive the signal before the source's descriptor does.
// Safe: the variable is written once, before the handler is installed. A handler can access only globals.
nonisolated(unsafe) private var signalPipe: Int32 = -1
