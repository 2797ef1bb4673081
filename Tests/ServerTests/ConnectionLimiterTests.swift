import Logging
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer

@Suite("Connection limits") struct ConnectionLimiterTests {
    private static func address(_ last: UInt8) -> [UInt8] { [192, 0, 2, last] }

    @Test("One address gets a quarter, all together get the limit")
    func limits() {
        let limiter = ConnectionLimiter(limit: 8)
        #expect(limiter.limitForClient == 2)
        for last in UInt8(1)...4 {
            #expect(limiter.enter(Self.address(last)).isAdmitted)
            #expect(limiter.enter(Self.address(last)).isAdmitted)
            #expect(!limiter.enter(Self.address(last)).isAdmitted)
        }
        #expect(!limiter.enter(Self.address(5)).isAdmitted)
        limiter.leave(Self.address(1))
        #expect(!limiter.enter(Self.address(2)).isAdmitted)
        #expect(limiter.enter(Self.address(5)) == ConnectionLimiter.Entry(isAdmitted: true, total: 8))
    }

    @Test("A free slot goes to the next connection, also of the same address")
    func leaving() {
        let limiter = ConnectionLimiter(limit: 4)
        for _ in 0..<100 {
            #expect(limiter.enter(Self.address(1)).isAdmitted)
            #expect(!limiter.enter(Self.address(1)).isAdmitted)
            limiter.leave(Self.address(1))
        }
    }

    @Test("A small limit still leaves a slot", arguments: [0, 1, 2, 3, -5])
    func smallest(_ limit: Int) {
        let limiter = ConnectionLimiter(limit: limit)
        #expect(limiter.limitForClient == 1)
        #expect(limiter.enter(Self.address(1)).isAdmitted)
    }

    @Test("A refusal distinguishes a full server from a client with too many connections")
    func reasons() {
        let limiter = ConnectionLimiter(limit: 8)
        for _ in 0..<2 { #expect(limiter.enter(Self.address(1)).isAdmitted) }
        #expect(limiter.enter(Self.address(1)) == ConnectionLimiter.Entry(isAdmitted: false, total: 2))
        for last in UInt8(2)...4 {
            for _ in 0..<2 { #expect(limiter.enter(Self.address(last)).isAdmitted) }
        }
        let full = ConnectionLimiter.Entry(isAdmitted: false, isServerFull: true, total: 8)
        #expect(limiter.enter(Self.address(5)) == full)
        #expect(limiter.enter(Self.address(1)) == full)
    }

    @Test("A proxy's connections count for the clients that it names")
    func proxies() {
        let limiter = ConnectionLimiter(limit: 8)
        for _ in 0..<3 { #expect(limiter.enter(nil).isAdmitted) }
        #expect(limiter.assign(Self.address(1)))
        #expect(limiter.assign(Self.address(1)))
        #expect(!limiter.assign(Self.address(1)))
        limiter.leave(nil)
        limiter.leave(Self.address(1))
        #expect(limiter.enter(Self.address(1)) == ConnectionLimiter.Entry(isAdmitted: true, total: 2))
        for _ in 0..<6 { #expect(limiter.enter(nil).isAdmitted) }
        #expect(!limiter.enter(nil).isAdmitted)
    }

    @Test(
        "From 15/16 of the limit on, each new connection evicts another",
        arguments: [(16, 15), (8, 7), (20_000, 18_750)])
    func highWaterMark(_ limit: Int, _ mark: Int) {
        #expect(ConnectionLimiter(limit: limit).highWaterMark == mark)
    }

    @Test("Refusals are logged once per second, with their number")
    func refusals() throws {
        let (lines, now) = (Mailbox<String>(), Guarded<UnixTime>(10))
        let logger = RecordingLog { lines.put($0) }.logger
        let log = ServerLog(logger, Clock { now.withLock { $0 } }, ServerOptions())
        let limiter = ConnectionLimiter(limit: 8)
        let address = try #require(SocketAddress("192.0.2.1", port: 1))
        for count in [22, 1, 1] {
            for _ in 0..<count { log.connectionRefused(address, total: 8, limiter) }
            now.withLock { $0 += 1 }
        }
        let line =
            "warning: connection from 192.0.2.1 refused: 8 connections are open, "
            + "the limits are 8 in total and 2 per client"
        #expect(lines.values == [line, line + ", unreported: 21", line])
    }

    @Test("The system's descriptor limit leaves some for files and listeners")
    func descriptors() {
        #expect(ConnectionLimiter.limitFromDescriptors() >= 8)
        #expect(ConnectionLimiter.limitFromDescriptors() <= (1 << 20) - 64)
    }
}
