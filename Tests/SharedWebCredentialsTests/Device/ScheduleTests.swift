import MotivatorPlatform
import Testing

@testable import SharedWebCredentials

@Suite("When the simulated device asks sites again")
struct ScheduleTests {
    static let hour: Int64 = 3_600
    static let day: Int64 = 24 * hour

    static let oldSystems = DeviceSystem.allCases.filter(\.isBeforeIOS14)

    /// A system's schedule after a response. The sources are the rows of "Three systems".
    struct Row: Sendable, CustomStringConvertible {
        let name: String
        let systems: [DeviceSystem]
        let answers: [SiteResponse]
        /// The elapsed time.
        let during: Int64
        /// The hours at which the device checks the site.
        let hours: [Int64]
        let approval: Approval
        var retries = 0
        /// The hours from the start to the next check, or nil if no check is scheduled.
        var next: Int64?

        var description: String { name }
    }

    static let rows: [Row] = [
        .init(
            name: "success, up to iOS 13: never fetched again", systems: oldSystems, answers: [.good, .missing],
            during: 300 * day, hours: [0], approval: .approved),
        .init(
            name: "success, current: fetched again every 5 days", systems: [.current], answers: [.good],
            during: 16 * day, hours: [0, 120, 240, 360], approval: .approved, next: 480),
        .init(
            name: "success and then 404, current: the new result replaces the old one", systems: [.current],
            answers: [.good, .missing], during: 5 * day, hours: [0, 120], approval: .denied, retries: 1, next: 123),
        .init(
            name: "404, up to iOS 13: denied until the app is installed again", systems: oldSystems,
            answers: [.missing, .good], during: 300 * day, hours: [0], approval: .denied),
        .init(
            name: "not listed, up to iOS 13: the same", systems: oldSystems,
            answers: [.naming("D3KQX62K1A.com.example.Other"), .good], during: 300 * day, hours: [0],
            approval: .denied),
        .init(
            name: "404, current: growing intervals up to 5 days", systems: [.current], answers: [.missing],
            during: 20 * day, hours: [0, 3, 9, 21, 45, 93, 189, 309, 429], approval: .denied, retries: 9, next: 549),
        .init(
            name: "404 and then the file, current", systems: [.current], answers: [.missing, .missing, .good],
            during: 10 * hour, hours: [0, 3, 9], approval: .approved, next: 129),
        .init(
            name: "503, up to iOS 13: every 3 hours, 8 times in all", systems: oldSystems, answers: [.unavailable],
            during: 30 * day, hours: (0..<8).map { $0 * 3 }, approval: .unspecified, retries: 8),
        .init(
            name: "503 twice and then the file, up to iOS 13", systems: oldSystems,
            answers: [.unavailable, .unavailable, .good], during: 9 * hour, hours: [0, 3, 6], approval: .approved),
        .init(
            name: "503 and then 404, up to iOS 13: denied", systems: oldSystems,
            answers: [.unavailable, .missing, .good], during: 9 * hour, hours: [0, 3], approval: .denied),
        .init(
            name: "503, current: growing intervals", systems: [.current], answers: [.unavailable],
            during: 2 * day, hours: [0, 3, 9, 21, 45], approval: .unspecified, retries: 5, next: 93),
        .init(
            name: "success and then 503, current: the approval stays", systems: [.current],
            answers: [.good, .unavailable], during: 5 * day + 10 * hour, hours: [0, 120, 123, 129],
            approval: .approved, retries: 3, next: 141),
        .init(
            name: "404 and then 503, current: no decision", systems: [.current], answers: [.missing, .unavailable],
            during: 4 * hour, hours: [0, 3], approval: .unspecified, retries: 2, next: 9),
    ]

    @Test("Each system follows its schedule", arguments: rows)
    func schedule(_ row: Row) async throws {
        for system in row.systems {
            let bench = try await Bench(system, answers: [Bench.host: row.answers])
            try await bench.device.advance(row.during)
            #expect(bench.timesAsked == row.hours.map { $0 * Self.hour }, "\(row), \(system)")
            let record = try await bench.record
            #expect(record.siteApproval == row.approval, "\(row), \(system)")
            #expect(record.retries == row.retries, "\(row), \(system)")
            #expect(record.nextCheck == row.next.map { Bench.start + $0 * Self.hour }, "\(row), \(system)")
        }
    }

    @Test("Each step of three hours makes one check, and a second less makes none", arguments: oldSystems)
    func steps(_ system: DeviceSystem) async throws {
        let bench = try await Bench(system, answers: [Bench.host: [.unavailable]])
        for round in 1...7 {
            #expect(try await bench.device.advance(3 * Self.hour - 1).isEmpty)
            let checks = try await bench.device.advance(1)
            #expect(checks.map(\.time) == [Bench.start + Int64(round) * 3 * Self.hour])
            #expect(checks.first?.record.retries == round + 1)
            #expect(checks.first?.record.failure?.code == "http-status-server-error")
        }
    }

    @Test("A call of a credential function checks a site that could not respond, and keeps the schedule")
    func byCall() async throws {
        let bench = try await Bench(answers: [Bench.host: [.unavailable]])
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

    @Test("Up to iOS 13, each call checks such a site, and is not one of the eight tries", arguments: oldSystems)
    func byCallBetweenTries(_ system: DeviceSystem) async throws {
        let bench = try await Bench(system, answers: [Bench.host: [.unavailable]])
        var times: [Int64] = [0]
        for tries in 1...8 {
            #expect(await bench.functions.request(domain: nil, account: nil).failureCode == -25293)
            let error = await bench.functions.add(domain: Bench.host, account: "ray", password: "secret")
            #expect(error?.code == -25293)
            let record = try await bench.record
            #expect(record.retries == tries)
            let next = Bench.start + Int64(tries) * 3 * Self.hour
            #expect(record.nextCheck == (tries < 8 ? next : nil))
            times += [times.last ?? 0, times.last ?? 0]
            try await bench.device.advance(3 * Self.hour)
            if tries < 8 { times.append(Int64(tries) * 3 * Self.hour) }
            #expect(bench.timesAsked == times)
        }
    }

    @Test("Up to iOS 13, a call that finds the file ends the tries", arguments: oldSystems, [1, 8])
    func byCallWithSuccess(_ system: DeviceSystem, _ tries: Int) async throws {
        let bench = try await Bench(
            system, answers: [Bench.host: Array(repeating: .unavailable, count: tries) + [.good]])
        try await bench.device.advance(Int64(tries - 1) * 3 * Self.hour)
        #expect(await bench.functions.add(domain: Bench.host, account: "ray", password: "secret") == nil)
        #expect(await bench.device.state.credentials.map(\.whole) == ["ray/secret@\(Bench.host)"])
        let record = try await bench.record
        #expect(record.siteApproval == .approved && record.nextCheck == nil && record.retries == 0)
        try await bench.device.advance(30 * Self.day)
        #expect(bench.timesAsked.count == tries + 1)
    }

    @Test("A call that fails an earlier check does not ask the site")
    func callInVain() async throws {
        let bench = try await Bench(answers: [Bench.host: [.unavailable]])
        _ = await bench.functions.add(domain: "", account: "ray", password: nil)
        _ = await bench.functions.add(domain: "other.test", account: "ray", password: nil)
        _ = await bench.functions.request(domain: Bench.host, account: "")
        await bench.device.setAutoFill(false)
        _ = await bench.functions.request(domain: Bench.host, account: nil)
        #expect(bench.timesAsked == [0])
    }

    @Test("A call does not check a site that decided", arguments: DeviceSystem.allCases, [SiteResponse.good, .missing])
    func decidedByCall(_ system: DeviceSystem, _ response: SiteResponse) async throws {
        let bench = try await Bench(system, answers: [Bench.host: [response]])
        _ = await bench.functions.request(domain: nil, account: nil)
        #expect(bench.timesAsked == [0])
    }

    @Test("Up to iOS 13, a site that responded 404 is checked after a new installation", arguments: oldSystems)
    func missing(_ system: DeviceSystem) async throws {
        let bench = try await Bench(system, answers: [Bench.host: [.missing, .good]])
        try await bench.device.advance(300 * Self.day)
        let fix =
            "If you repaired the site after 2027-01-15T08:00:00Z, the device checks it again when you install the app "
            + "again. To find the cause, run: motivator association check \(Bench.host) --entitlement "
            + "webcredentials:\(Bench.host) --app \(bench.app) --profile \(system.rawValue)"
        #expect(
            await bench.functions.request(domain: nil, account: nil)
                == .failure(
                    .notApproved(domain: Bench.host, app: bench.app, reason: "the answer has status 404", fix: fix)))
        try await bench.device.install(app: bench.app, entries: ["webcredentials:\(Bench.host)"])
        #expect(bench.timesAsked == [0, 300 * Self.day])
        #expect(try await bench.record.siteApproval == .approved)
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
        let error = await #expect(throws: ExplainedFailure.self) { try await bench.device.advance(seconds) }
        #expect(error?.problem.hasPrefix("\(seconds) seconds is not between 0 and ") == true)
        #expect(await bench.device.now == Bench.start)
    }

    @Test("A machine's clock that went back is reported, up to five minutes are passed over")
    func clockBack() async throws {
        let bench = try await Bench()
        try await bench.device.advance(Self.day)
        let state = await bench.device.state
        let error = #expect(throws: ExplainedFailure.self) {
            try SimulatedDevice(state: state, network: bench.network, clock: .init { Bench.start - 301 })
        }
        let (latest, now) = (Timestamp.text(Bench.start + Self.day), Timestamp.text(Bench.start + Self.day - 301))
        #expect(error?.problem.contains("would go back from \(latest) to \(now)") == true)
        let near = try SimulatedDevice(state: state, network: bench.network, clock: .init { Bench.start - 300 })
        #expect(await near.now == Bench.start + Self.day)
    }

    @Test(
        "A machine's clock outside of the years 1970 to 9999 is reported", arguments: [-1, .min, 253_402_300_800, .max])
    func clockWrong(_ time: Int64) {
        let error = #expect(throws: ExplainedFailure.self) {
            try SimulatedDevice(state: DeviceState(), network: ScriptedNetwork([:]), clock: .init { time })
        }
        #expect(error?.problem == "the machine's clock is wrong: \(time) seconds since 1970")
    }

    @Test("No step leads past the year 9999")
    func endOfTime() async throws {
        let device = try SimulatedDevice(
            state: DeviceState(), network: ScriptedNetwork([:]), clock: .init { 253_402_300_790 })
        try await device.advance(9)
        let error = await #expect(throws: ExplainedFailure.self) { try await device.advance(1) }
        #expect(error?.problem.hasPrefix("1 seconds is not between 0 and ") == true)
    }
}

extension Result<[SharedCredential], SharedCredentialError> {
    fileprivate var failureCode: Int32 {
        switch self {
        case .success: 0
        case .failure(let error): error.code
        }
    }
}
