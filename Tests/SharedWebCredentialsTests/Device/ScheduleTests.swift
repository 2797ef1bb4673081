import MotivatorPlatform
import Testing

@testable import SharedWebCredentials

@Suite("When the simulated device asks sites again")
struct ScheduleTests {
    static let hour: Int64 = 3_600
    static let day: Int64 = 24 * hour

    @Test("iOS 8 checks a site that responds 503 eight times, every three hours")
    func eightTries() async throws {
        let bench = try await Bench(.iOS8, answers: [Bench.host: [.unavailable]])
        try await bench.device.advance(30 * Self.day)
        #expect(bench.timesAsked == (0..<8).map { $0 * 3 * Self.hour })
        let record = try await bench.record
        #expect(record.siteApproval == .unspecified)
        #expect(record.nextCheck == nil)
        #expect(record.retries == 8)
        #expect(record.failure?.code == "http-status-server-error")
    }

    @Test("Each step of three hours makes one check, and a second less makes none")
    func steps() async throws {
        let bench = try await Bench(.iOS8, answers: [Bench.host: [.unavailable]])
        for round in 1...7 {
            #expect(try await bench.device.advance(3 * Self.hour - 1).isEmpty)
            let checks = try await bench.device.advance(1)
            #expect(checks.map(\.time) == [Bench.start + Int64(round) * 3 * Self.hour])
            #expect(checks.first?.record.retries == round + 1)
        }
    }

    @Test("503 twice and then the file: approved at the third try, and checked again after five days")
    func thirdTry() async throws {
        let bench = try await Bench(.iOS8, answers: [Bench.host: [.unavailable, .unavailable, .good]])
        try await bench.device.advance(6 * Self.hour - 1)
        #expect(try await bench.record.siteApproval == .unspecified)
        try await bench.device.advance(1)
        let record = try await bench.record
        #expect(record.siteApproval == .approved)
        #expect(record.retries == 0)
        #expect(record.failure == nil)
        #expect(record.nextCheck == Bench.start + 6 * Self.hour + 5 * Self.day)
        #expect(bench.timesAsked == [0, 3 * Self.hour, 6 * Self.hour])
    }

    @Test("A call of a credential function checks such a site immediately, and keeps the schedule")
    func byCall() async throws {
        let bench = try await Bench(.iOS8, answers: [Bench.host: [.unavailable]])
        try await bench.device.advance(Self.hour)
        let error = await bench.functions.add(domain: Bench.host, account: "ray", password: "secret")
        #expect(error?.name == "errSecAuthFailed")
        #expect(bench.timesAsked == [0, Self.hour])
        _ = await bench.functions.request(domain: nil, account: nil)
        #expect(bench.timesAsked == [0, Self.hour, Self.hour])
        let record = try await bench.record
        #expect((record.retries, record.nextCheck) == (1, Bench.start + 3 * Self.hour))
        #expect(record.lastChecked == Bench.start + Self.hour)
    }

    @Test("A call finds the file that came meanwhile, also after the eighth try")
    func byCallAfterAll() async throws {
        let bench = try await Bench(
            .iOS8, answers: [Bench.host: Array(repeating: .unavailable, count: 8) + [.good]])
        try await bench.device.advance(2 * Self.day)
        #expect(await bench.functions.add(domain: Bench.host, account: "ray", password: "secret") == nil)
        #expect(await bench.device.passwords().map(\.whole) == ["ray/secret@\(Bench.host)"])
        #expect(bench.timesAsked.count == 9)
    }

    @Test("A call that fails an earlier check does not ask the site")
    func callInVain() async throws {
        let bench = try await Bench(.iOS8, answers: [Bench.host: [.unavailable]])
        _ = await bench.functions.add(domain: "", account: "ray", password: nil)
        _ = await bench.functions.add(domain: "other.test", account: "ray", password: nil)
        _ = await bench.functions.request(domain: Bench.host, account: "")
        await bench.device.setAutoFill(false)
        _ = await bench.functions.request(domain: Bench.host, account: nil)
        #expect(bench.timesAsked == [0])
    }

    @Test("A call does not check a site that approved", arguments: DeviceSystem.allCases)
    func approvedByCall(_ system: DeviceSystem) async throws {
        let bench = try await Bench(system)
        _ = await bench.functions.request(domain: nil, account: nil)
        #expect(bench.timesAsked == [0])
    }

    @Test("iOS 8 checks a site that responded 404 only after a new installation")
    func missing() async throws {
        let bench = try await Bench(.iOS8, answers: [Bench.host: [.missing, .good]])
        try await bench.device.advance(300 * Self.day)
        #expect(
            await bench.functions.request(domain: nil, account: nil)
                == .failure(
                    .notApproved(domain: Bench.host, app: bench.app, reason: "the answer has status 404")))
        #expect(bench.timesAsked == [0])
        #expect(try await bench.record.siteApproval == .denied)
        try await bench.device.install(app: bench.app, entries: ["webcredentials:\(Bench.host)"])
        #expect(bench.timesAsked == [0, 300 * Self.day])
        #expect(try await bench.record.siteApproval == .approved)
    }

    @Test("A success is checked again after five days, each time", arguments: DeviceSystem.allCases)
    func success(_ system: DeviceSystem) async throws {
        let bench = try await Bench(system)
        try await bench.device.advance(5 * Self.day - 1)
        #expect(bench.timesAsked == [0])
        try await bench.device.advance(10 * Self.day + 1)
        #expect(bench.timesAsked == [0, 5, 10, 15].map { $0 * Self.day })
    }

    @Test("A current device asks again three hours after a failure of any kind, for ever, and not by a call")
    func current() async throws {
        let bench = try await Bench(answers: [Bench.host: [.missing, .unavailable]])
        #expect(try await bench.record.siteApproval == .denied)
        _ = await bench.functions.request(domain: nil, account: nil)
        try await bench.device.advance(2 * Self.day)
        #expect(bench.timesAsked == (0...16).map { $0 * 3 * Self.hour })
        #expect(try await bench.record.retries == 17)
    }

    @Test(
        "An approval remains while the site cannot respond, and ends when it denies", arguments: DeviceSystem.allCases)
    func holding(_ system: DeviceSystem) async throws {
        let bench = try await Bench(system, answers: [Bench.host: [.good, .unavailable, .missing]])
        try await bench.device.advance(5 * Self.day)
        let record = try await bench.record
        #expect((record.siteApproval, record.failure != nil, record.retries) == (.approved, true, 1))
        try await bench.device.advance(3 * Self.hour)
        #expect(try await bench.record.siteApproval == .denied)
    }

    @Test("On iOS 8, an approval ends with the eighth check without a response")
    func fading() async throws {
        let bench = try await Bench(.iOS8, answers: [Bench.host: [.good, .unavailable]])
        try await bench.device.advance(5 * Self.day + 21 * Self.hour - 1)
        #expect(try await bench.record.siteApproval == .approved)
        try await bench.device.advance(1)
        #expect(try await bench.record.siteApproval == .unspecified)
        #expect(bench.timesAsked.count == 9)
    }

    @Test("Checks of several sites come in the order of their times")
    func order() async throws {
        let bench = try await Bench(
            entries: ["webcredentials:\(Bench.host)", "webcredentials:second.test"],
            answers: [Bench.host: [.unavailable, .good], "second.test": [.good]])
        let checks = try await bench.device.advance(6 * Self.day)
        let expected: [(String, Int64)] = [
            (Bench.host, 3 * Self.hour), ("second.test", 5 * Self.day), (Bench.host, 5 * Self.day + 3 * Self.hour),
        ]
        #expect(checks.map { "\($0.record.domain) \($0.time - Bench.start)" } == expected.map { "\($0.0) \($0.1)" })
    }

    @Test("Time that passed on the machine counts: what was due meanwhile is checked once, at the next step")
    func machineTime() async throws {
        let bench = try await Bench(answers: [Bench.host: [.unavailable]])
        let later = try SimulatedDevice(
            state: await bench.device.state, network: bench.network, clock: .init { Bench.start + 10 * Self.day })
        #expect(try await later.advance(0).map(\.time) == [Bench.start + 10 * Self.day])
        #expect(try await later.advance(0).isEmpty)
    }

    @Test("The device's time is what it was advanced ahead of the machine's", arguments: [0, 1, 366 * day])
    func time(_ seconds: Int64) async throws {
        let bench = try await Bench()
        try await bench.device.advance(seconds)
        #expect(await bench.device.now == Bench.start + seconds)
        let later = try SimulatedDevice(
            state: await bench.device.state, network: bench.network, clock: .init { Bench.start + 60 })
        #expect(await later.now == Bench.start + seconds + 60)
    }

    @Test("A step back, or one of more than 366 days, is refused", arguments: [-1, .min, 366 * day + 1, .max])
    func outOfRange(_ seconds: Int64) async throws {
        let bench = try await Bench()
        await #expect(throws: DeviceError.advanceOutOfRange(seconds)) { try await bench.device.advance(seconds) }
        #expect(await bench.device.now == Bench.start)
    }

    @Test("A machine's clock that went back is reported, up to five minutes are passed over")
    func clockBack() async throws {
        let bench = try await Bench()
        try await bench.device.advance(Self.day)
        let state = await bench.device.state
        #expect(throws: DeviceError.clockWentBack(now: Bench.start + Self.day - 301, latest: Bench.start + Self.day)) {
            try SimulatedDevice(state: state, network: bench.network, clock: .init { Bench.start - 301 })
        }
        let near = try SimulatedDevice(state: state, network: bench.network, clock: .init { Bench.start - 300 })
        #expect(await near.now == Bench.start + Self.day)
    }

    @Test(
        "A machine's clock outside of the years 1970 to 9999 is reported", arguments: [-1, .min, 253_402_300_800, .max])
    func clockWrong(_ time: Int64) {
        #expect(throws: DeviceError.clockOutOfRange(time)) {
            try SimulatedDevice(state: DeviceState(), network: ScriptedNetwork([:]), clock: .init { time })
        }
    }

    @Test("No step leads past the year 9999")
    func endOfTime() async throws {
        let device = try SimulatedDevice(
            state: DeviceState(), network: ScriptedNetwork([:]), clock: .init { 253_402_300_790 })
        try await device.advance(9)
        await #expect(throws: DeviceError.advanceOutOfRange(1)) { try await device.advance(1) }
    }
}
