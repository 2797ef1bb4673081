import Testing

@testable import MotivatorServer

@Suite("Memory budget and transfer rate") struct MemoryBudgetTests {
    @Test("One client gets its share, all together get the total")
    func limits() {
        let budget = MemoryBudget(total: 10, perClient: 4)
        #expect(budget.charge(4, to: [1]))
        #expect(!budget.charge(1, to: [1]))
        #expect(budget.charge(4, to: [2]))
        #expect(!budget.charge(3, to: [3]), "the total would be 11 bytes")
        #expect(budget.charge(2, to: [3]))
        #expect(budget.charged == 10)
    }

    @Test("A charge that fails charges nothing, and returned bytes can be charged again")
    func returned() {
        let budget = MemoryBudget(total: 10, perClient: 10)
        #expect(!budget.charge(11, to: [1]))
        #expect(budget.charged == 0)
        #expect(budget.charge(10, to: [1]))
        #expect(budget.charge(-4, to: [1]))
        #expect(!budget.charge(5, to: [2]))
        #expect(budget.charge(4, to: [2]))
        #expect(budget.charge(-6, to: [1]) && budget.charge(-4, to: [2]))
        #expect(budget.charged == 0)
    }

    private func isBelow(_ rate: inout TransferRate, at now: Int64) -> Bool {
        rate.isBelow(500, over: 10_000, now: now)
    }

    @Test("The rate is below the minimum when a whole window had too few bytes")
    func rate() {
        var rate = TransferRate(now: 1_000)
        rate.add(4_999)
        let at10_999 = isBelow(&rate, at: 10_999)
        #expect(!at10_999, "the window must not end yet")
        let at11_000 = isBelow(&rate, at: 11_000)
        #expect(at11_000)
        rate.add(5_000)
        let at21_000 = isBelow(&rate, at: 21_000)
        #expect(!at21_000)
        let at30_999 = isBelow(&rate, at: 30_999)
        #expect(!at30_999)
        let at31_000 = isBelow(&rate, at: 31_000)
        #expect(at31_000, "bytes of an earlier window must not count")
    }

    @Test("A window that ends late requires bytes for its whole length")
    func lateWindow() {
        var rate = TransferRate(now: 0, bytes: 5_000)
        let at12_000 = isBelow(&rate, at: 12_000)
        #expect(at12_000)
    }
}
