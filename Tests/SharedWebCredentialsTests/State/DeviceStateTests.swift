import AssociatedDomains
import MotivatorPlatform
import TestSupport
import Testing

@testable import SharedWebCredentials

@Suite("The device's state as JSON")
struct DeviceStateTests {
    /// A state that contains every kind of record.
    static func full() async throws -> DeviceState {
        let bench = try await Bench(
            .iOS8, entries: ["webcredentials:*.\(Bench.host):8443", "applinks:\(Bench.host)", "broken"],
            answers: [
                Bench.host: [
                    .json(#"{"applinks":{"details":[{"appID":"D3KQX62K1A.com.example.DemoApp","paths":["*"]}]}}"#)
                ]
            ]
        ) { state in
            state.credentials = [.demo("ray \"\u{0}\n é", "hunter2\u{2028}", port: 8443), .demo("")]
            state.neverSaved = ["never.test"]
            state.autoFill = false
            state.prompts = PromptPolicy(
                .account("yes"), rules: [.save: .never, .pick: .account("ray"), .update: .yes])
        }
        let clip = try AppIdentifier("D3KQX62K1A.com.example.Clip")
        try await bench.device.install(app: clip, version: "", entries: [], isAppClip: true)
        try await bench.device.advance(7)
        await bench.device.setDeveloperMode(true)
        await bench.device.setManaged(true)
        return await bench.device.state
    }

    @Test("Reading what was written gives the same state")
    func roundTrip() async throws {
        let state = try await Self.full()
        let read = try DeviceState(json: state.encoded())
        #expect(read == state)
        #expect(try read.encoded() == state.encoded())
        #expect(state.records.map(\.siteApproval) == [.denied, .approved])
        #expect(
            try DeviceSystem.allCases.allSatisfy { try DeviceState(json: DeviceState($0).encoded()) == DeviceState($0) }
        )
    }

    @Test("A truncated state is refused, and no error contains a password")
    func cutOff() async throws {
        let bytes = try await Self.full().encoded()
        for count in 0..<bytes.count - 2 {
            do throws(ExplainedFailure) {
                _ = try DeviceState(json: Array(bytes.prefix(count)))
                Issue.record("\(count) bytes were accepted as a state")
            } catch {
                #expect(!"\(error.problem) \(error.fix)".contains("hunter"))
            }
        }
    }

    @Test("A state with random changes is refused, or can be written again")
    func damaged() async throws {
        let bytes = try await Self.full().encoded()
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<changed.count, using: &generator)
                changed[index] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let state = try? DeviceState(json: changed) else { continue }
            #expect(try DeviceState(json: state.encoded()) == state)
        }
    }

    /// A state from the version before `Codable`, with nulls and with members in another order.
    static let old = """
        {
          "format": "ultra-motivator device state", "version": 1, "reading": "ios8", "developer_mode": false,
          "autofill": true, "ahead": 60, "latest": 1795344439,
          "prompts": {"pick": {"account": "ray"}, "save": "never", "fallback": "no"},
          "apps": [
            {
              "identifier": "D3KQX62K1A.com.example.DemoApp", "version": "1.0", "app_clip": false,
              "entries": ["webcredentials:ray.test", "broken"]
            }
          ],
          "records": [
            {
              "app": "D3KQX62K1A.com.example.DemoApp", "app_version": "1.0", "entry": "webcredentials:ray.test",
              "user_approval": "approved", "site_approval": "denied", "last_checked": 1795344379, "next_check": null,
              "error": {"code": "app-not-listed", "message": "webcredentials does not name it"}, "retries": 0, "links": ""
            },
            {
              "app": "D3KQX62K1A.com.example.DemoApp", "app_version": "1.0", "entry": "applinks:ray.test",
              "user_approval": "unspecified", "site_approval": "approved", "last_checked": null,
              "next_check": 1795344500, "error": null, "retries": 2, "links": "{\\"applinks\\":{}}"
            }
          ],
          "credentials": [
            {"srvr": "ray.test", "acct": "ray \\u00e9", "spwd": "hunter2", "port": 8443},
            {"srvr": "ray.test", "acct": "", "spwd": ""}
          ],
          "keychain": [
            {"app": "D3KQX62K1A.com.example.DemoApp", "domain": "ray.test", "account": "ray", "password": "hunter2"}
          ],
          "never_saved": ["never.test"]
        }
        """

    @Test("A state of an earlier program is read whole. On iOS 8, its approvals are not fetched again")
    func oldFormat() throws {
        let state = try DeviceState(json: Array(Self.old.utf8))
        let app = try AppIdentifier("D3KQX62K1A.com.example.DemoApp")
        #expect(state.system == .iOS8 && state.autoFill && !state.developerMode)
        #expect(state.ahead == 60 && state.latest == 1_795_344_439)
        #expect(state.prompts == PromptPolicy(.no, rules: [.pick: .account("ray"), .save: .never]))
        #expect(
            state.apps == [
                InstalledApp(
                    identifier: app, version: "1.0", entries: ["webcredentials:ray.test", "broken"], isAppClip: false)
            ])
        var denied = AssociationRecord(
            app: app, appVersion: "1.0", entry: try AssociatedDomain("webcredentials:ray.test"))
        (denied.userApproval, denied.siteApproval, denied.lastChecked) = (.approved, .denied, 1_795_344_379)
        denied.failure = AssociationFailure(code: "app-not-listed", message: "webcredentials does not name it")
        var approved = AssociationRecord(app: app, appVersion: "1.0", entry: try AssociatedDomain("applinks:ray.test"))
        (approved.siteApproval, approved.nextCheck, approved.retries) = (.approved, nil, 2)
        approved.links = #"{"applinks":{}}"#
        #expect(state.records == [denied, approved])
        #expect(
            state.credentials == [
                SharedCredential(server: "ray.test", account: "ray \u{e9}", password: "hunter2", port: 8443),
                SharedCredential(server: "ray.test", account: "", password: ""),
            ])
        #expect(
            state.keychain == [KeychainItem(app: app, domain: "ray.test", account: "ray", password: "hunter2")])
        #expect(state.neverSaved == ["never.test"])
        #expect(try DeviceState(json: state.encoded()) == state)
    }

    static let edits: [(name: String, of: String, with: String, problem: String)] = [
        ("a later version", #""version" : 2"#, #""version" : 3"#, "has version 3"),
        ("a later version with other keys", #""version" : 2"#, #""version" : 3, "new" : 1"#, "has version 3"),
        ("version 0", #""version" : 2"#, #""version" : 0"#, "not the state of a simulated device"),
        ("no version", ",\n  \"version\" : 2", "", "not the state of a simulated device"),
        ("another format", "device state", "other state", "not the state of a simulated device"),
        ("an unknown system", #""system" : "ios8""#, #""system" : "ios7""#, #"invalid value for "system""#),
        ("a missing key", #""autofill" : false,"#, "", #"lacks "autofill""#),
        ("a switch of another kind", #""autofill" : false"#, #""autofill" : 0"#, #"invalid value for "autofill""#),
        ("time that goes back", #""ahead" : 7"#, #""ahead" : -7"#, #"invalid value for "ahead""#),
        (
            "a number past the machine's", #""ahead" : 7"#, #""ahead" : 99999999999999999999"#,
            "invalid value for a number"
        ),
        ("a fraction", #""ahead" : 7"#, #""ahead" : 7.5"#, "invalid value for a number"),
        ("a check before 1970", #""last_checked" : 1800000000"#, #""last_checked" : -1"#, #"value for "last_checked""#),
        ("a time after the year 9999", #""latest" : 1800000007"#, #""latest" : 253402300800"#, #"value for "latest""#),
        ("a negative number of checks", #""retries" : 0"#, #""retries" : -1"#, #"invalid value for "retries""#),
        ("port 0", #""port" : 8443"#, #""port" : 0"#, #"invalid value for "port""#),
        (
            "a broken identifier", #""app" : "D3KQX62K1A."#, #""app" : "D3KQX."#,
            "invalid value: "
        ),
        ("a broken entry", #""entry" : "applinks:"#, #""entry" : "links:"#, "invalid value: "),
        ("a list with a number", #""never.test""#, "7", #"invalid value for "never_saved""#),
        ("an unknown answer", #""save" : "never""#, #""save" : "perhaps""#, #"invalid value for "save""#),
    ]

    @Test("A state from another program is refused with the reason", arguments: edits)
    func edited(_ name: String, _ old: String, _ new: String, _ problem: String) async throws {
        let text = String(decoding: try await Self.full().encoded(), as: UTF8.self)
        let range = try #require(text.firstRange(of: old), "\(name)")
        let edited = text.replacingCharacters(in: range, with: new)
        do throws(ExplainedFailure) {
            _ = try DeviceState(json: Array(edited.utf8))
            Issue.record("\(name): it was accepted")
        } catch {
            #expect(error.problem.contains(problem), "\(name): \(error)")
        }
    }

    @Test("Other files are foreign", arguments: ["{}", "[]", "7", #"{"format":"x","version":1}"#, #"{"version":1}"#])
    func foreign(_ text: String) {
        #expect(throws: ExplainedFailure.foreignState) { try DeviceState(json: Array(text.utf8)) }
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        var changed = self
        changed.replaceSubrange(range, with: text)
        return changed
    }
}
