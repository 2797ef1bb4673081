import AssociatedDomains
import MotivatorPlatform
import SourceJSON
import Testing

@testable import SharedWebCredentials

@Suite("Apps and their association records")
struct AppTests {
    @Test("Every entry is checked immediately and has a record, in the order of the entitlement")
    func installation() async throws {
        let entries = ["applinks:second.test", "webcredentials:\(Bench.host)", "webcredentials:third.test:8443"]
        let bench = try await Bench(entries: entries, answers: ["third.test": [.missing]])
        let records = await bench.device.state.records
        #expect(records.map { "\($0.entry)" } == entries)
        #expect(records.map(\.siteApproval) == [.unspecified, .approved, .denied])
        #expect(records.map(\.domain) == ["second.test", Bench.host, "third.test:8443"])
        #expect(records.allSatisfy { $0.lastChecked == Bench.start && $0.app == bench.app && $0.appVersion == "1.0" })
        #expect(bench.network.asked.map(\.entry) == entries.sorted())
    }

    @Test(
        "Entries that a device drops are reported with the reason",
        arguments: [
            (DeviceSystem.current, "webcredentials:https://a.test", "webcredentials:https://a.test"),
            (.current, "webcredential:a.test", "webcredential:a.test"), (.current, "", ""),
            (.iOS8, "appclips:a.test", "appclips"), (.iOS9, "appclips:a.test", "appclips"),
        ])
    func dropped(_ system: DeviceSystem, _ entry: String, _ named: String) async throws {
        let bench = try await Bench(system, entries: [])
        let installation = try await bench.device.install(
            app: bench.app, entries: [entry, "webcredentials:\(Bench.host)"])
        #expect(installation.dropped.map(\.text) == [entry])
        #expect(installation.dropped.allSatisfy { !$0.reason.isEmpty && !$0.fix.isEmpty })
        #expect(named.isEmpty || installation.dropped.first?.reason.contains(named) == true)
        #expect(installation.records.map(\.domain) == [Bench.host])
    }

    @Test("Entries that a device does not distinguish have one record")
    func duplicates() async throws {
        let bench = try await Bench(entries: ["webcredentials:\(Bench.host)", "webcredentials:ULTRA-motivator.test"])
        #expect(await bench.device.state.records.count == 1)
    }

    @Test("Installing an app again resets its records, and keeps other apps' records and the passwords")
    func reinstallation() async throws {
        let bench = try await Bench(answers: [Bench.host: [.missing, .missing, .good]], answer: .yes) { state in
            state.credentials = [.demo("ray")]
        }
        let other = try AppIdentifier("D3KQX62K1A.com.example.Other")
        try await bench.device.install(app: other, entries: ["webcredentials:\(Bench.host)"])
        let installation = try await bench.device.install(
            app: bench.app, version: "2.0", entries: ["webcredentials:\(Bench.host)"])
        #expect(installation.isReinstallation)
        #expect(installation.records.map(\.siteApproval) == [.approved])
        let records = await bench.device.state.records
        #expect(records.map(\.app) == [other, bench.app])
        #expect(records.map(\.siteApproval) == [.denied, .approved])
        #expect(records.map(\.appVersion) == ["1.0", "2.0"])
        #expect(await bench.device.state.credentials == [.demo("ray")])
    }

    @Test("Uninstalling removes the app and its records; the passwords are the person's and stay")
    func uninstallation() async throws {
        let bench = try await Bench { $0.credentials = [.demo("ray")] }
        try await bench.device.uninstall(bench.app)
        #expect(await bench.device.state.records.isEmpty)
        #expect(await bench.device.state.apps.isEmpty)
        #expect(await bench.device.state.credentials == [.demo("ray")])
        let error = await bench.functions.add(domain: Bench.host, account: "ray", password: nil)
        #expect(error?.name == "errSecMissingEntitlement")
        let again = await #expect(throws: ExplainedFailure.self) { try await bench.device.uninstall(bench.app) }
        #expect(again?.problem == ExplainedFailure.notInstalled(bench.app).problem)
        #expect(again?.fix == "List the apps with: motivator device status")
    }

    @Test("Too many entries are refused, and nothing is installed")
    func tooMany() async throws {
        let bench = try await Bench(entries: [])
        let entries = (0...SimulatedDevice.maximumEntries).map { "webcredentials:a\($0).test" }
        let error = await #expect(throws: ExplainedFailure.self) {
            try await bench.device.install(app: bench.app, entries: entries)
        }
        #expect(error?.problem == "the app has 1001 entries, more than the limit of 1000")
        try await bench.device.install(app: bench.app, entries: Array(entries.dropLast()))
        #expect(await bench.device.state.records.count == SimulatedDevice.maximumEntries)
    }

    @Test("Switching developer mode checks the sites of entries with the mode, and no others")
    func developerMode() async throws {
        let bench = try await Bench(
            entries: ["webcredentials:\(Bench.host)?mode=developer", "webcredentials:second.test"])
        try await bench.device.advance(60)
        await bench.device.setDeveloperMode(true)
        await bench.device.setDeveloperMode(true)
        #expect(
            bench.network.asked.map { "\($0.entry) \($0.time - Bench.start)" } == [
                "webcredentials:second.test 0", "webcredentials:\(Bench.host)?mode=developer 0",
                "webcredentials:\(Bench.host)?mode=developer 60",
            ])
    }

    @Test("A management profile checks the sites of entries with the mode, and no others")
    func managed() async throws {
        let bench = try await Bench(
            entries: ["webcredentials:\(Bench.host)?mode=managed", "webcredentials:second.test?mode=developer"])
        try await bench.device.advance(60)
        await bench.device.setManaged(true)
        await bench.device.setManaged(true)
        #expect(
            bench.network.asked.map { "\($0.entry) \($0.time - Bench.start)" } == [
                "webcredentials:second.test?mode=developer 0", "webcredentials:\(Bench.host)?mode=managed 0",
                "webcredentials:\(Bench.host)?mode=managed 60",
            ])
        #expect(await bench.device.state.isManaged)
        await bench.device.setManaged(false)
        #expect(await !bench.device.state.isManaged)
    }

    @Test("A record is written as swcutil does it")
    func text() async throws {
        let bench = try await Bench(
            entries: ["webcredentials:*.\(Bench.host):8443?mode=developer"], answers: [Bench.host: [.unavailable]])
        #expect(
            try await bench.record.text == """
                Service:              webcredentials
                App ID:               D3KQX62K1A.com.example.DemoApp
                App Version:          1.0
                Domain:               *.ultra-motivator.test:8443?mode=developer
                User Approval:        unspecified
                Site/Fmwk Approval:   unspecified
                Last Checked:         2027-01-15 08:00:00 +0000
                Next Check:           2027-01-15 11:00:00 +0000
                Error:                the answer has status 503 [http-status-server-error]
                Retries:              1
                """)
    }

    @Test("A version cannot begin a new line")
    func hostileVersion() async throws {
        let bench = try await Bench(entries: [])
        let installation = try await bench.device.install(
            app: bench.app, version: "1\nSite/Fmwk Approval: approved", entries: ["webcredentials:\(Bench.host)"])
        #expect(installation.records.first?.text.split(separator: "\n").count == 10)
    }

    @Test("As JSON a record has all its fields, null where there is nothing")
    func json() async throws {
        let node = try await Bench(answers: [Bench.host: [.missing]], { $0.system = .iOS8 }).record.json
        let root = try #require(try JSONDocument(node.bytes()).root.object)
        #expect(
            root.members.map(\.key) == [
                "service", "app", "app_version", "domain", "entry", "user_approval", "site_approval", "last_checked",
                "next_check", "error", "retries",
            ])
        #expect(root["last_checked"]?.string == "2027-01-15T08:00:00Z")
        #expect(root["next_check"]?.kind == .null)
        #expect(root["error"]?.object?["code"]?.string == "http-status-refused")
    }

    @Test("An app has one keychain item for each domain, and removes only the item of the account")
    func keychain() async throws {
        let bench = try await Bench()
        let other = try AppIdentifier("D3KQX62K1A.com.example.Other")
        func keep(_ account: String, _ domain: String, app: AppIdentifier? = nil) async {
            await bench.device.keep(
                KeychainItem(app: app ?? bench.app, domain: domain, account: account, password: "secret"))
        }
        func accounts() async -> [String?] {
            [
                await bench.device.keychainItem(of: bench.app, for: "a.test")?.account,
                await bench.device.keychainItem(of: bench.app, for: "b.test")?.account,
                await bench.device.keychainItem(of: other, for: "a.test")?.account,
            ]
        }
        await keep("ray", "a.test")
        await keep("ray", "b.test")
        await keep("ray", "a.test", app: other)
        await keep("vicki", "a.test")
        #expect(await accounts() == ["vicki", "ray", "ray"])
        await bench.device.forget("ray", of: bench.app, for: "a.test")
        #expect(await accounts() == ["vicki", "ray", "ray"])
        await bench.device.forget("vicki", of: bench.app, for: "a.test")
        #expect(await accounts() == [nil, "ray", "ray"])
    }
}
