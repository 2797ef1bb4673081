import Logging
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer
@testable import MotivatorTLS

@Suite("The log of connections that are not served") struct ServerLogTests {
    @Test("Each kind of line has its level and its values, and is written once per second")
    func lines() throws {
        var options = ServerOptions()
        (options.memory, options.bufferedBytes, options.bufferedBytesPerClient) = (4_000, 640, 16)
        let recorded = RecordingLog()
        let log = ServerLog(recorded.logger, Clock { 10 }, options)
        let address = try #require(SocketAddress("192.0.2.1", port: 50_000))
        let error = SystemError("accept", code: EMFILE)
        for _ in 0..<2 {
            log.handshakeFailed(address, .truncated)
            log.connectionRefused(address, total: 30, ConnectionLimiter(limit: 32))
            log.proxyFailed(address, .version(1))
            for excess in [MemoryBudget.Excess.content, .memory] { log.budgetExceeded(address, excess) }
            log.acceptFailed(error, pause: 500)
        }
        #expect(
            recorded.lines == [
                "info: TLS handshake with 192.0.2.1 failed: unexpected eof while reading",
                "warning: connection from 192.0.2.1 refused: "
                    + "30 connections are open, the limits are 32 in total and 8 per client",
                "warning: connection from the trusted proxy 192.0.2.1 closed: "
                    + "PROXY protocol version 1; configure the proxy to send version 2",
                "warning: request from 192.0.2.1 rejected: "
                    + "too much unfinished content (at most 640 bytes, 16 per client)",
                "warning: connection from 192.0.2.1 closed: "
                    + "too much memory in use (at most 4000 bytes, 1000 per client)",
                "warning: accept: \(error.reason); no new connections for 500 ms. Raise the limit (ulimit -n).",
            ])
    }

    @Test("Each second has its own lines, and the first line after suppressed lines has their number")
    func rate() {
        let (recorded, now) = (RecordingLog(), Guarded<UnixTime>(10))
        let log = RateLimitedLogger(recorded.logger, Clock { now.withLock { $0 } }, linesPerSecond: 2)
        var due: [Bool] = []
        for (time, text) in [(10, "a"), (10, "b"), (10, "c"), (10, "d"), (11, "e"), (11, "f"), (9, "g")] {
            now.withLock { $0 = UnixTime(time) }
            due.append(log.isDue)
            log.write(.info, "\(text)")
        }
        #expect(recorded.lines == ["info: a", "info: b", "info: e, unreported: 2", "info: f", "info: g"])
        #expect(due == [true, true, false, false, true, true, true])
    }
}
