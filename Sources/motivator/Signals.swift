import Dispatch
import MotivatorPlatform

/// The signals and timers of a server. An instance catches signals as soon as it is created, and delivers them when it
/// has a listener.
final class Signals {
    enum Event: Sendable {
        case stop, reload, renew, remove
    }

    let queue = DispatchQueue(label: "signals")
    private let state = Guarded<State>(State())
    private let source: any DispatchSourceRead

    private struct NoPipe: ExplainedError {
        let reason: String
        var problem: String { "could not handle signals: \(reason)" }
        var fix: String { "Raise the limit on open files with ulimit -n" }
        let exitCode = MotivatorPlatform.ExitCode.temporary
    }

    private struct State: Sendable {
        var listener: (@Sendable (Event) -> Void)?
        var missed: [Event] = []
        var stops = 0
    }

    /// Starts catching signals.
    ///
    /// - Throws: an error if the process cannot open more files.
    init() throws {
        let state = state
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw NoPipe(reason: SystemError("pipe").reason) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        unsafe signalPipe = ends[1]
        let reading = ends[0]
        source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: queue)
        source.setEventHandler {
            var numbers = [UInt8](repeating: 0, count: 16)
            let count = unsafe read(reading, &numbers, numbers.count)
            for number in numbers.prefix(max(count, 0)) { Self.caught(Int32(number), state) }
        }
        source.activate()
        for number in [SIGTERM, SIGINT, SIGHUP] {
            signal(number) { number in
                // A handler may call only async-signal-safe functions (signal-safety(7)), and must restore errno.
                let before = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = unsafe write(signalPipe, &byte, 1)
                errno = before
            }
        }
    }

    /// Delivers the signals that were already caught, and all later signals.
    func forward(to listener: @escaping @Sendable (Event) -> Void) {
        let missed = state.withLock { state in
            state.listener = listener
            defer { state.missed = [] }
            return state.missed
        }
        for event in missed { listener(event) }
    }

    /// Calls `body` repeatedly until the timer is canceled.
    func every(seconds: Int, _ body: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .seconds(seconds), repeating: .seconds(seconds), leeway: .seconds(10))
        timer.setEventHandler(handler: body)
        timer.activate()
        return timer
    }

    private static func caught(_ number: Int32, _ state: Guarded<State>) {
        let (event, listener): (Event, (@Sendable (Event) -> Void)?) = state.withLock { state in
            if number != SIGHUP { state.stops += 1 }
            // Shells use this exit code for a program that a signal terminated.
            if state.stops >= 2 { MotivatorPlatform.exit(128 + number) }
            let event = number == SIGHUP ? Event.reload : .stop
            if state.listener == nil { state.missed.append(event) }
            return (event, state.listener)
        }
        listener?(event)
    }
}

/// The pipe that receives signal numbers from the signal handler. On Linux, a dispatch source can miss a signal:
/// the main thread waits in `sigsuspend`, and may receive the signal before the source's descriptor does.
// Safe: the variable is written once, before the handler is installed. A handler can access only globals.
nonisolated(unsafe) private var signalPipe: Int32 = -1
