import AssociatedDomains
import Platform
import TestSupport
import Testing

@testable import SharedWebCredentials

@Suite("The device's state as JSON")
struct DeviceStateTests {
    /// A state with something of everything in it.
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
        return await bench.device.state
    }

    @Test("Reading what was written gives the same state")
    func roundTrip() async throws {
        let state = try await Self.full()
        let read = try DeviceState(json: state.json.bytes())
        #expect(read == state)
        #expect(read.json.bytes() == state.json.bytes())
        #expect(state.records.map(\.siteApproval) == [.denied, .approved])
        #expect(try DeviceState(json: DeviceState(.current).json.bytes()) == DeviceState(.current))
    }

    @Test("A state that was cut off anywhere is refused, and no error shows a password")
    func cutOff() async throws {
        let bytes = try await Self.full().json.bytes()
        for count in 0..<bytes.count - 2 {
            do throws(DeviceState.Malformed) {
                _ = try DeviceState(json: Array(bytes.prefix(count)))
                Issue.record("\(count) bytes were taken for a state")
            } catch {
                #expect(!"\(error.problem) \(error.remedy)".contains("hunter"))
            }
        }
    }

    @Test("Bytes changed at random crash nothing, and what is read can be written again")
    func damaged() async throws {
        let bytes = try await Self.full().json.bytes()
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<changed.count, using: &generator)
                changed[index] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let state = try? DeviceState(json: changed) else { continue }
            #expect(try DeviceState(json: state.json.bytes()) == state)
        }
    }

    static let edits: [(name: String, of: String, with: String, problem: String)] = [
        ("a later version", #""version": 1"#, #""version": 2"#, "has version 2"),
        ("a later version with other keys", #""version": 1"#, #""version": 2, "new": 1"#, "has version 2"),
        ("version 0", #""version": 1"#, #""version": 0"#, "a number from 1 to 1"),
        ("no version", #""version": 1,"#, "", "no state of a simulated device"),
        ("another format", "device state", "other state", "no state of a simulated device"),
        ("an unknown reading", #""reading": "ios8""#, #""reading": "ios9""#, "one of"),
        ("an unknown key", #""autofill": false"#, #""autofill": false, "x": 1"#, #"unknown "x""#),
        ("a key twice", #""autofill": false"#, #""autofill": false, "autofill": true"#, #""autofill" again"#),
        ("a missing key", #""autofill": false,"#, "", #"lacks "autofill""#),
        ("a switch of another kind", #""autofill": false"#, #""autofill": 0"#, "true or false"),
        ("time that goes back", #""ahead": 7"#, #""ahead": -7"#, "a number from 0"),
        ("a number past the machine's", #""ahead": 7"#, #""ahead": 99999999999999999999"#, "a number from 0"),
        ("a fraction", #""ahead": 7"#, #""ahead": 7.5"#, "a number from 0"),
        ("port 0", #""port": 8443"#, #""port": 0"#, "a number from 1 to 65535"),
        ("a broken identifier", #""app": "D3KQX62K1A."#, #""app": "D3KQX."#, "an application identifier"),
        ("a broken entry", #""entry": "applinks:"#, #""entry": "links:"#, "an entry of an entitlement"),
        ("a list with a number", #""never.test""#, "7", "an array of strings"),
        ("an unknown answer", #""save": "never""#, #""save": "perhaps""#, "an answer"),
        ("an answer for nothing", #""save": "never""#, #""buy": "never""#, #"unknown "buy""#),
    ]

    @Test("A state that this program did not write is refused with what is wrong", arguments: edits)
    func edited(_ name: String, _ old: String, _ new: String, _ problem: String) async throws {
        let text = String(decoding: try await Self.full().json.bytes(), as: UTF8.self)
        let range = try #require(text.firstRange(of: old), "\(name)")
        let edited = text.replacingCharacters(in: range, with: new)
        do throws(DeviceState.Malformed) {
            _ = try DeviceState(json: Array(edited.utf8))
            Issue.record("\(name): it was taken")
        } catch {
            #expect(error.problem.contains(problem), "\(name): \(error)")
        }
    }

    @Test("Other files are foreign", arguments: ["{}", "[]", "7", #"{"format":"x","version":1}"#, #"{"version":1}"#])
    func foreign(_ text: String) {
        #expect(throws: DeviceState.Malformed.foreign) { try DeviceState(json: Array(text.utf8)) }
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
        var changed = self
        changed.replaceSubrange(range, with: text)
        return changed
    }
}
