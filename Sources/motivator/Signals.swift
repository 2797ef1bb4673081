import Dispatch
import Platform

/// The signals that a server obeys, caught from the moment this is made, told about once somebody listens; and its clock.
final class Signals {
    enum Event: Sendable {
        case stop, reload, renew, remove
    }

    let queue = DispatchQueue(label: "signals")
    private let state = Guarded<State>(State())
    private let sources: [any DispatchSourceSignal]

    private struct State: Sendable {
        var listener: (@Sendable (Event) -> Void)?
        var missed: [Event] = []
        var stops = 0
    }

    init() {
        let (queue, state) = (queue, state)
        sources = [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                // Two at once are one event that counts two.
                for _ in 0..<max(source.data, 1) { Self.caught(number, state) }
            }
            source.activate()
            return source
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
