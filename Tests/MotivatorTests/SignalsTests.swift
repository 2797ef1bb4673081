import Testing

@testable import motivator

@Suite("Pending events") struct PendingEventsTests {
    /// The events to add, and those that are then handled.
    static let cases: [(name: String, added: [Signals.Event], handled: [Signals.Event])] = [
        ("none", [], []),
        ("in order", [.renew, .reload, .remove], [.renew, .reload, .remove]),
        ("equal events count as one", [.reload, .remove, .reload, .reload], [.reload, .remove]),
        ("a stop replaces earlier events", [.reload, .renew, .stop(1)], [.stop(1)]),
        ("nothing follows a stop", [.stop(2), .reload, .stop(15), .renew], [.stop(2)]),
    ]

    @Test("Events are handled once, and a stop takes precedence", arguments: cases)
    func order(_ name: String, _ added: [Signals.Event], _ handled: [Signals.Event]) {
        var pending = PendingEvents()
        for event in added { pending.add(event) }
        var found: [Signals.Event] = []
        while let event = pending.next() { found.append(event) }
        #expect(found == handled, "\(name)")
    }

    @Test("Any number of signals during a reload cause exactly one more reload")
    func duringReload() {
        var pending = PendingEvents()
        pending.add(.reload)
        #expect(pending.next() == .reload)
        // The reload is in progress now.
        for _ in 0..<3_000 { pending.add(.reload) }
        #expect(pending.next() == .reload)
        #expect(pending.next() == nil)
    }

    @Test("The second request to stop is counted, also after the first was handled")
    func stops() {
        var pending = PendingEvents()
        pending.add(.stop(15))
        #expect(pending.next() == .stop(15))
        pending.add(.reload)
        #expect(pending.stops == 1)
        pending.add(.stop(15))
        #expect(pending.stops == 2)
        #expect(pending.next() == nil)
    }
}
