import Testing

@testable import MotivatorServer

@Suite("Deadline wheel") struct DeadlineWheelTests {
    private let start: Int64 = 1_000_000
    private func slot(_ index: Int) -> SlotID { SlotID(index: Int32(index), generation: 0) }

    @Test("A check is due at the first tick that is not before its time")
    func due() {
        var wheel = DeadlineWheel(interval: 100, now: start)
        wheel.add(slot(1), at: start + 101)
        wheel.add(slot(2), at: start + 200)
        wheel.add(slot(3), at: start + 201)
        #expect(wheel.takeDue(start + 199).isEmpty)
        #expect(wheel.takeDue(start + 200).map(\.slot) == [slot(1), slot(2)])
        #expect(wheel.takeDue(start + 299).isEmpty)
        #expect(wheel.takeDue(start + 1_000).map(\.slot) == [slot(3)])
        #expect(wheel.takeDue(start + 100_000).isEmpty)
    }

    @Test("A time that has passed is due at the next tick")
    func past() {
        var wheel = DeadlineWheel(interval: 100, now: start)
        #expect(wheel.takeDue(start + 1_000).isEmpty)
        wheel.add(slot(1), at: start)
        #expect(wheel.takeDue(start + 1_099).isEmpty)
        #expect(wheel.takeDue(start + 1_100).map(\.time) == [start])
    }

    @Test("A time beyond the wheel is due at its last tick, with its own time")
    func far() {
        var wheel = DeadlineWheel(interval: 100, now: start)
        wheel.add(slot(1), at: start + 1_000_000)
        #expect(wheel.takeDue(start + 51_199).isEmpty)
        #expect(wheel.takeDue(start + 51_200) == [DeadlineWheel.Entry(slot: slot(1), time: start + 1_000_000)])
    }

    @Test("After a long pause, each check is due once")
    func pause() {
        var wheel = DeadlineWheel(interval: 100, now: start)
        for index in 0..<600 { wheel.add(slot(index), at: start + Int64(index) * 100) }
        #expect(wheel.takeDue(start + 10_000_000).count == 600)
        #expect(wheel.takeDue(start + 20_000_000).isEmpty)
    }
}
