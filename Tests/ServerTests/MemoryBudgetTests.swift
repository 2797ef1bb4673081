import MotivatorPlatform
import Testing

@testable import MotivatorServer

@Suite("Memory budget and transfer rate") struct MemoryBudgetTests {
    private typealias Charge = MemoryBudget.Charge

    private static func budget(memory: Int = 64, content: Int = 10, ofClient: Int = 4) -> MemoryBudget {
        var options = ServerOptions()
        (options.memory, options.bufferedBytes, options.bufferedBytesPerClient) = (memory, content, ofClient)
        return MemoryBudget(options)
    }

    /// Charges a new connection.
    private func charge(_ budget: MemoryBudget, _ charge: Charge, of client: UInt8) -> MemoryBudget.Excess? {
        budget.charge(from: Charge(), to: charge, of: [client])
    }

    @Test("One client gets its share of the content, all together get the total")
    func content() {
        let budget = Self.budget()
        #expect(charge(budget, Charge(content: 4), of: 1) == nil)
        #expect(charge(budget, Charge(content: 1), of: 1) == .content)
        #expect(charge(budget, Charge(content: 4), of: 2) == nil)
        #expect(charge(budget, Charge(content: 3), of: 3) == .content, "the total would be 11 bytes")
        #expect(charge(budget, Charge(content: 2), of: 3) == nil)
        #expect(budget.charged == 10)
    }

    @Test("One client gets a quarter of the memory, and idle connections count only in total")
    func memory() {
        let budget = Self.budget()
        #expect(charge(budget, Charge(idle: 20), of: 1) == nil)
        #expect(charge(budget, Charge(idle: 4, buffers: 14), of: 1) == nil)
        #expect(charge(budget, Charge(content: 3), of: 1) == .memoryOfClient, "the client would have 17 bytes")
        #expect(charge(budget, Charge(buffers: 16), of: 2) == nil)
        #expect(charge(budget, Charge(idle: 11), of: 3) == .memory, "the total would be 65 bytes")
        #expect(!budget.isNearlyExhausted)
        #expect(charge(budget, Charge(idle: 7), of: 3) == nil)
        #expect(budget.isNearlyExhausted, "61 of 64 bytes are charged")
    }

    @Test("Only clients with a small share can use the last sixteenth of the memory")
    func reserve() {
        let budget = Self.budget(memory: 640)
        #expect(charge(budget, Charge(idle: 450), of: 1) == nil)
        #expect(charge(budget, Charge(buffers: 11), of: 1) == nil)
        #expect(
            charge(budget, Charge(buffers: 140), of: 1) == .memory, "601 bytes would be charged, and 40 are reserved")
        #expect(charge(budget, Charge(buffers: 139), of: 1) == nil)
        #expect(charge(budget, Charge(buffers: 10), of: 2) == nil)
        #expect(charge(budget, Charge(buffers: 20), of: 2) == nil)
        #expect(charge(budget, Charge(buffers: 1), of: 2) == .memory, "the client has more than a small share")
        #expect(charge(budget, Charge(buffers: 10), of: 3) == nil)
        #expect(charge(budget, Charge(buffers: 1), of: 4) == .memory, "the total would be 641 bytes")
    }

    @Test("A charge that fails charges nothing, and refunded bytes can be charged again")
    func refund() {
        let budget = Self.budget(ofClient: 10)
        #expect(charge(budget, Charge(content: 11), of: 1) == .content)
        #expect(budget.charged == 0)
        #expect(charge(budget, Charge(content: 10), of: 1) == nil)
        #expect(budget.charge(from: Charge(content: 10), to: Charge(content: 6), of: [1]) == nil)
        #expect(charge(budget, Charge(content: 5), of: 2) == .content)
        #expect(charge(budget, Charge(content: 4), of: 2) == nil)
        budget.refund(Charge(content: 6), of: [1])
        budget.refund(Charge(content: 4), of: [2])
        #expect(budget.charged == 0)
    }

    @Test("Nothing is kept about a client whose connections are idle or have ended, in any order of the charges")
    func clients() {
        let budget = Self.budget()
        let idle = Charge(idle: 4)
        let steps = [Charge(idle: 4, buffers: 2), idle, Charge(idle: 4, content: 2), idle, Charge()]
        for (old, new) in zip([Charge()] + steps, steps) {
            #expect(budget.charge(from: old, to: new, of: [1]) == nil)
            #expect(budget.charges.withLock { $0.byClient.count } == (new.buffers + new.content > 0 ? 1 : 0), "\(new)")
        }
        #expect(charge(budget, Charge(idle: 4, content: 2), of: 1) == nil)
        budget.refund(Charge(idle: 4, content: 2), of: [1])
        #expect(budget.charges.withLock { $0.byClient.isEmpty } && budget.charged == 0)
    }

    @Test("A limit does not apply to a value that does not rise")
    func falling() {
        let budget = Self.budget(memory: 16, content: 100, ofClient: 100)
        #expect(charge(budget, Charge(idle: 10, buffers: 4), of: 1) == nil)
        #expect(charge(budget, Charge(buffers: 2), of: 2) == nil)
        #expect(budget.charge(from: Charge(idle: 10, buffers: 4), to: Charge(idle: 11, buffers: 3), of: [1]) == nil)
        #expect(budget.charge(from: Charge(buffers: 2), to: Charge(content: 2), of: [2]) == nil)
        #expect(budget.charged == 16)
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
