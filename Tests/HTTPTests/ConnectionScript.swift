import MotivatorHTTP
import Testing

/// An event on a connection.
enum ConnectionEvent: Sendable, CustomStringConvertible {
    case receive(String)
    case end
    case proceed
    case proceedUpTo(Int)
    case deferContent
    case respondNow
    case answered
    case drain
    case timeOut
    case refuse

    var description: String {
        switch self {
        case .receive(let text): "receive \(text.utf8.count) bytes"
        case .end: "end"
        case .proceed: "proceed"
        case .proceedUpTo(let limit): "proceed, content limit \(limit)"
        case .deferContent: "deferContent"
        case .respondNow: "respondNow"
        case .answered: "answered"
        case .drain: "drain"
        case .timeOut: "timeOut"
        case .refuse: "refuse"
        }
    }
}

/// An event, the actions until the connection waits, and its phase at that time.
struct ConnectionStep: Sendable {
    let event: ConnectionEvent
    let actions: [ServerConnection.Action]
    let phase: ServerConnection.Phase?
    let persistence: ServerConnection.Persistence?

    init(
        _ event: ConnectionEvent, _ actions: [ServerConnection.Action], _ phase: ServerConnection.Phase? = nil,
        says persistence: ServerConnection.Persistence? = nil
    ) {
        self.event = event
        self.actions = actions
        self.phase = phase
        self.persistence = persistence
    }
}

/// A rule for the lifecycle of a connection.
struct ConnectionCase: Sendable, CustomTestStringConvertible {
    let rule: String
    let source: String
    let steps: [ConnectionStep]
    let limits: Limits

    init(_ rule: String, _ source: String, limits: Limits = Limits(), _ steps: [ConnectionStep]) {
        self.rule = rule
        self.source = source
        self.steps = steps
        self.limits = limits
    }

    var testDescription: String { "\(rule) (\(source))" }
}

extension ServerConnection {
    mutating func take(_ event: ConnectionEvent) {
        switch event {
        case .receive(let text): latin1(text).withFieldBytes { received($0) }
        case .end: inputEnded()
        case .proceed: proceed()
        case .proceedUpTo(let limit): proceed(contentLimit: limit)
        case .deferContent: deferContent()
        case .respondNow: respondNow()
        case .answered: responseWritten()
        case .drain: drain()
        case .timeOut: abort(phase == .content ? .contentTooSlow : .headTooSlow)
        case .refuse: refuse(.plainRequestOnTLSPort)
        }
    }

    /// Returns the actions until the connection waits. While it waits, the last action repeats.
    mutating func actions() -> [Action] {
        var actions: [Action] = []
        while actions.count < 20 {
            let action = next()
            actions.append(action)
            switch action {
            case .read, .wait, .close, .reject:
                #expect(next() == action, "A second call must return the same action")
                return actions
            case .route, .sendContinue, .respond, .shutDown: break
            }
        }
        return actions
    }
}

func check(_ table: ConnectionCase) {
    var connection = ServerConnection(limits: table.limits)
    for (number, step) in table.steps.enumerated() {
        connection.take(step.event)
        let actions = connection.actions()
        #expect(actions == step.actions, "step \(number + 1), \(step.event)")
        if let phase = step.phase { #expect(connection.phase == phase, "step \(number + 1), \(step.event)") }
        if let persistence = step.persistence {
            #expect(connection.persistence == persistence, "step \(number + 1), \(step.event)")
        }
        let wantsInput = actions.last == .read
        #expect(connection.wantsInput == wantsInput, "It must want input to read: step \(number + 1), \(step.event)")
    }
}
