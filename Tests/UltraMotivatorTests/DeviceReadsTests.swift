import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer
@testable import UltraMotivator

@Suite("The phones of a local network") struct DeviceReadsTests {
    private static let path = "/.well-known/apple-app-site-association"
    private static let daemon = "swcd (unknown version) CFNetwork/1494.0.7 Darwin/23.4.0"

    private struct Reads {
        let log = RecordingLog()
        let reads: DeviceReads
        private let lane: TrafficRecorder.Lane

        init() {
            reads = DeviceReads(log: log.logger)
            lane = DeviceReads.recorder(limit: 1, for: reads).makeLane()
        }

        func add(
            _ path: String, agent: String?, address: String = "10.20.30.41", tls: String? = "TLSv1.3", status: Int = 200
        ) throws {
            let fields = agent.map { "User-Agent: \($0)\r\n" } ?? ""
            let peer = Peer(address: try #require(SocketAddress(address, port: 1)), tlsVersion: tls)
            lane.record(
                peer, try Bench.head("GET", path, host: "laptop.local", fields: fields), time: 0, duration: 0,
                status: status, bytes: 0, content: nil)
        }
    }

    @Test(
        "Only a device that receives the file over TLS has read it",
        arguments: [
            ("a device", path, daemon, "TLSv1.3", 200, true),
            ("the root path", "/apple-app-site-association", daemon, "TLSv1.3", 200, true),
            ("another program", path, "curl/8.14.1", "TLSv1.3", 200, false),
            ("no User-Agent", path, nil, "TLSv1.3", 200, false),
            ("another path", "/", daemon, "TLSv1.3", 200, false),
            ("the plain port", path, daemon, nil, 200, false),
            ("an error", path, daemon, "TLSv1.3", 404, false),
        ] as [(String, String, String?, String?, Int, Bool)])
    func reads(
        _ name: String, _ path: String, _ agent: String?, _ tls: String?, _ status: Int, _ expected: Bool
    ) throws {
        let reads = Reads()
        #expect(!reads.reads.hasFile)
        try reads.add(path, agent: agent, tls: tls, status: status)
        #expect(reads.reads.hasFile == expected, "\(name)")
        #expect(reads.log.lines.contains { $0.hasPrefix("notice: the device 10.20.30.41 has read") } == expected)
        #expect(reads.log.lines.contains { $0.hasPrefix("warning") && $0.contains("404") } == (status == 404))
    }

    @Test("The log reports each device once, and a bounded number of devices")
    func bounds() throws {
        let reads = Reads()
        for _ in 0..<2 {
            for last in 1...100 { try reads.add(Self.path, agent: Self.daemon, address: "10.20.30.\(last)") }
        }
        #expect(reads.log.lines.count == 64)
    }

    @Test("The name of the machine comes before its addresses")
    func urls() throws {
        let addresses = try ["10.20.30.40", "fd00::40"].map { try #require(SocketAddress($0, port: 8080)) }
        let reads = DeviceReads(log: RecordingLog.silent)
        let named = PhoneAccess(addresses: addresses, name: "laptop.local", reads: reads)
        let byAddress = ["http://10.20.30.40:8080/", "http://[fd00::40]:8080/"]
        #expect(named?.urls == ["http://laptop.local:8080/"] + byAddress)
        #expect(PhoneAccess(addresses: addresses, name: nil, reads: reads)?.urls == byAddress)
        #expect(PhoneAccess(addresses: [], name: "laptop.local", reads: reads) == nil)
    }
}
