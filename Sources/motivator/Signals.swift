import Dispatch
import Platform

/// The signals that a server obeys, caught from the moment this is made, told about once somebody listens; and its clock.
final class Signals {
    enum Event: Sendable {
        case stop, reload, renew, remove
    }

    let queue = DispatchQueue(label: "signals")
    private let state = Guarded<State>(State())
    private let source: any DispatchSourceRead

    private struct NoPipe: ExplainedError {
        let reason: String
        var problem: String { "signals cannot be watched for: \(reason)" }
        var remedy: String { "Let the process open more files, with ulimit -n" }
        let exitCode = Platform.ExitCode.temporary
    }

    private struct State: Sendable {
        var listener: (@Sendable (Event) -> Void)?
        var missed: [Event] = []
        var stops = 0
    }

    /// - Throws: when the process may open no more files.
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
                // Only what a handler may do (signal-safety(7)), and errno as it was.
                let before = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = unsafe write(signalPipe, &byte, 1)
                errno = before
            }
        }
    }

    /// Passes on what has been caught, and what will be.
    func forward(to listener: @escaping @Sendable (Event) -> Void) {
        let missed = state.withLock { state in
            state.listener = listener
            defer { state.missed = [] }
            return state.missed
        }
        for event in missed { listener(event) }
    }

    /// Calls `body` again and again until the timer is cancelled.
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
            // The shell's way to say which signal ended a program.
            if state.stops >= 2 { Platform.exit(128 + number) }
            let event = number == SIGHUP ? Event.reload : .stop
            if state.listener == nil { state.missed.append(event) }
            return (event, state.listener)
        }
        listener?(event)
    }
}

/// Where the signal handler writes the numbers of signals. On Linux a dispatch source for signals loses some: the main
/// thread, which waits in `sigsuspend`, may take a signal before the source's descriptor has it.
// Unsafe only in name: written once, before there is a handler; a handler can be given nothing but a global.
nonisolated(unsafe) private var signalPipe: Int32 = -1
