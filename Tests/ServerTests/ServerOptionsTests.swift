import Testing

@testable import MotivatorServer

/// Tests of deadlines and limits set their own values to save time. The values here are from docs/http.md.
@Suite("The default limits of a server") struct ServerOptionsTests {
    private let options = ServerOptions()

    @Test("The deadlines are those of the documentation (docs/http.md, Time)")
    func time() {
        #expect(options.handshakeTimeout == 10_000 && options.headTimeout == 10_000)
        #expect(options.contentTimeout == 15_000 && options.contentTotalTimeout == 60_000)
        #expect(options.minimumRate == 500)
        #expect(options.contentRateWindow == 10_000 && options.writeRateWindow == 30_000)
        #expect(options.writeTimeout == 30_000 && options.idleTimeout == 60_000 && options.lingerTimeout == 2_000)
    }

    @Test("The limits are those of the documentation (docs/http.md, Memory budget and Connections)")
    func sizes() {
        #expect(options.memory == 256 << 20)
        #expect(options.bufferedBytes == 64 << 20 && options.bufferedBytesPerClient == 4 << 20)
        #expect(Connection.turnLimit == 512 << 10)
        #expect(ProxyHeader.longest == 4 << 10)
        #expect(options.connections == nil && options.trustedProxies.isEmpty)
    }
}
