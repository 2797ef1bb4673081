import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import SourceJSON
import Testing

@testable import SharedWebCredentials

/// A device with several passkeys, and the options of the server that select among them.
@Suite("Passkeys of several accounts and RP IDs") struct PasskeyAccountTests {
    private static let www = "www.\(Bench.host)"

    private func page(_ url: String = "https://www.\(Bench.host)/") throws -> PasskeyCaller { .page(try WebURL(url)) }

    /// Creates a passkey for an account, and returns the response.
    @discardableResult
    private func create(
        _ bench: Bench, _ user: String, _ name: String, rpID: String? = Bench.host, excluded: [String] = []
    ) async throws -> JSONNode {
        let options = PasskeyTests.creation(rpID: rpID, user: user, name: name, excluded: excluded)
        return try await bench.device.createPasskey(try PasskeyRequest(options, for: .create), for: try page())
    }

    /// Returns a device with the passkeys of another device, whose user gives another answer a minute later.
    private func copy(
        of bench: Bench, _ answer: Prompt.Answer
    ) async throws -> (device: SimulatedDevice, prompter: RecordingPrompter) {
        let prompter = RecordingPrompter(answer)
        let device = try SimulatedDevice(
            state: await bench.device.state, network: bench.network, prompter: prompter,
            clock: Clock { Bench.start + 60 })
        return (device, prompter)
    }

    private static func object(_ node: JSONNode) throws -> JSONObject {
        try #require(JSONDocument(node.bytes()).root.object)
    }

    private static func bytes(_ value: JSONValue?) throws -> [UInt8] {
        try #require(value?.string.flatMap { Base64.decode($0.utf8, .urlSafe) })
    }

    @Test("A new passkey replaces only that of the same account (Web Authentication Level 3, 6.3.2, step 7)")
    func twoAccounts() async throws {
        let bench = try await Bench(answer: .yes)
        try await create(bench, "YWRh", "ada")
        try await create(bench, "Ym9i", "bob")
        let first = await bench.device.state.passkeys
        #expect(first.map(\.userName) == ["ada", "bob"])
        try await create(bench, "YWRh", "ada")
        let second = await bench.device.state.passkeys
        #expect(second.map(\.userHandle) == ["Ym9i", "YWRh"])
        #expect(second.first == first.last && second.last?.id != first.first?.id)
    }

    @Test("The user picks among the passkeys of the RP ID, and the picked one signs")
    func picker() async throws {
        let bench = try await Bench(answer: .yes)
        try await create(bench, "Y3k", "cy", rpID: Self.www)
        try await create(bench, "YWRh", "ada")
        await bench.device.setPasskeySync(false)
        try await create(bench, "Ym9i", "bob")
        await bench.device.setPasskeySync(true)
        let (device, prompter) = try await copy(of: bench, .choice(1))
        let used = try await device.usePasskey(
            try PasskeyRequest(PasskeyTests.request(), for: .signIn), for: try page())
        #expect(prompter.asked.map { $0.choices.map(\.account) } == [["ada", "bob"]])
        let passkeys = await device.state.passkeys
        #expect(passkeys.map(\.used) == [nil, nil, Bench.start + 60])
        let object = try Self.object(used)
        #expect(object["id"]?.string == passkeys.last?.id && object["rawId"]?.string == passkeys.last?.id)
        let response = try #require(object["response"]?.object)
        #expect(response["userHandle"]?.string == "Ym9i")
        // UP, UV and BE. The passkey was created without sync, so BS is clear (Web Authentication Level 3, 6.1.3).
        #expect(try Self.bytes(response["authenticatorData"]).dropFirst(32).first == 0x0D)
    }

    @Test("A list without a known type is not an empty list (Web Authentication Level 3, 5.8.3)")
    func unknownTypes() throws {
        let options = #"{"challenge":"AAAA","allowCredentials":[{"type":"other","id":"AAAA"}]}"#
        #expect(throws: PasskeyError.self) { try PasskeyRequest(Array(options.utf8), for: .signIn) }
        let empty = #"{"challenge":"AAAA","allowCredentials":[]}"#
        #expect(throws: Never.self) { try PasskeyRequest(Array(empty.utf8), for: .signIn) }
    }

    @Test("Only the allowed passkeys of the RP ID are offered (Web Authentication Level 3, 6.3.3)")
    func allowed() async throws {
        let bench = try await Bench(answer: .yes)
        try await create(bench, "Y3k", "cy", rpID: Self.www)
        try await create(bench, "YWRh", "ada")
        try await create(bench, "Ym9i", "bob")
        let ids = await bench.device.state.passkeys.map(\.id)
        let (device, prompter) = try await copy(of: bench, .yes)
        let options = PasskeyTests.request(allowed: ["AAAA"] + ids.filter { $0 != ids[1] })
        let used = try await device.usePasskey(try PasskeyRequest(options, for: .signIn), for: try page())
        #expect(prompter.asked.map { $0.choices.map(\.account) } == [["bob"]])
        #expect(try Self.object(used)["id"]?.string == ids.last)
        let other = try PasskeyRequest(PasskeyTests.request(allowed: [ids[0]]), for: .signIn)
        let error = await #expect(throws: PasskeyError.self) {
            _ = try await device.usePasskey(other, for: try page(), isImmediate: true)
        }
        #expect(error?.code == 1001 && prompter.asked.count == 1)
    }

    @Test("A user who picks nothing does not sign in", arguments: [Prompt.Answer.no, .choice(1), .choice(-1), .never])
    func nothingPicked(_ answer: Prompt.Answer) async throws {
        let bench = try await Bench(answer: .yes)
        try await create(bench, "YWRh", "ada")
        let (device, _) = try await copy(of: bench, answer)
        let error = await #expect(throws: PasskeyError.self) {
            _ = try await device.usePasskey(
                try PasskeyRequest(PasskeyTests.request(), for: .signIn), for: try page())
        }
        #expect(error?.code == 1001 && error?.fix == "Pick a passkey")
        #expect(await device.state.passkeys.map(\.used) == [nil])
    }

    @Test("Deleting one passkey keeps the others")
    func deletion() async throws {
        let bench = try await Bench(answer: .yes)
        try await create(bench, "YWRh", "ada")
        try await create(bench, "Ym9i", "bob")
        let id = try #require(await bench.device.state.passkeys.first).id
        #expect(await bench.device.deletePasskey(id))
        #expect(await bench.device.state.passkeys.map(\.userName) == ["bob"])
    }

    @Test(
        "An excluded passkey is reported only after the user's consent (Web Authentication Level 3, 6.3.2, step 3)",
        arguments: [(.yes, 1006), (.no, 1001)] as [(Prompt.Answer, Int32)])
    func excluded(_ answer: Prompt.Answer, _ code: Int32) async throws {
        let bench = try await Bench(answer: .yes)
        try await create(bench, "YWRh", "ada")
        let id = try #require(await bench.device.state.passkeys.first).id
        let (device, prompter) = try await copy(of: bench, answer)
        let request = try PasskeyRequest(PasskeyTests.creation(excluded: ["AAAA", id]), for: .create)
        let error = await #expect(throws: PasskeyError.self) {
            _ = try await device.createPasskey(request, for: try page())
        }
        #expect(error?.code == code)
        #expect(prompter.asked.map(\.kind) == [.createPasskey])
        #expect(await device.state.passkeys.map(\.id) == [id])
    }

    @Test("A passkey of another RP ID is not excluded")
    func excludedElsewhere() async throws {
        let bench = try await Bench(answer: .yes)
        try await create(bench, "YWRh", "ada", rpID: Self.www)
        let id = try #require(await bench.device.state.passkeys.first).id
        try await create(bench, "YWRh", "ada", excluded: [id])
        #expect(await bench.device.state.passkeys.map(\.rpID) == [Self.www, Bench.host])
    }

    @Test("Without an RP ID in the options, the host of the page is the RP ID")
    func hostOfPage() async throws {
        let bench = try await Bench(answer: .yes)
        try await create(bench, "YWRh", "ada", rpID: nil)
        let passkey = try #require(await bench.device.state.passkeys.first)
        #expect(passkey.rpID == Self.www)
        let used = try await bench.device.usePasskey(
            try PasskeyRequest(PasskeyTests.request(nil), for: .signIn), for: try page())
        #expect(try Self.object(used)["id"]?.string == passkey.id)
        let address = await #expect(throws: PasskeyError.self) {
            _ = try await bench.device.createPasskey(
                try PasskeyRequest(PasskeyTests.creation(rpID: nil), for: .create), for: try page("https://127.0.0.1/"))
        }
        #expect(address?.webName == "SecurityError")
    }

    @Test("A page gets the public key and the authenticator data, and credProps on request", arguments: [true, false])
    func membersOfPage(_ requestsProperties: Bool) async throws {
        let bench = try await Bench(answer: .yes)
        let extensions = "\"extensions\":{\"credProps\":\(requestsProperties)},\"challenge\""
        let options = String(decoding: PasskeyTests.creation(), as: UTF8.self)
            .replacing("\"challenge\"", with: extensions)
        let made = try await bench.device.createPasskey(
            try PasskeyRequest(Array(options.utf8), for: .create), for: try page())
        let object = try Self.object(made)
        #expect(object["authenticatorAttachment"]?.string == "platform")
        let results = try #require(object["clientExtensionResults"]?.object)
        #expect(results["credProps"]?.object?["rk"]?.boolean == (requestsProperties ? true : nil))
        let response = try #require(object["response"]?.object)
        #expect(response["transports"]?.array?.map(\.string) == ["internal"])
        let data = try Self.bytes(response["authenticatorData"])
        // The data are at the end of the attestation object, and the coordinates at the end of the data.
        #expect(try Self.bytes(response["attestationObject"]).suffix(data.count).elementsEqual(data))
        let publicKey = try Self.bytes(response["publicKey"])
        #expect(publicKey.count == 91 && publicKey.suffix(32).elementsEqual(data.suffix(32)))
        #expect(publicKey.dropLast(32).suffix(32).elementsEqual(data.dropLast(35).suffix(32)))
    }

    static let accepted: [(name: String, options: [UInt8])] = [
        ("a user handle of 1 byte", PasskeyTests.creation(user: "AA")),
        (
            "a user handle of 64 bytes",
            PasskeyTests.creation(user: Base64.encode([UInt8](repeating: 7, count: 64), .urlSafe))
        ),
        ("no algorithm, which means ES256 and RS256", PasskeyTests.creation(algorithms: [])),
        ("ES256 after another algorithm", PasskeyTests.creation(algorithms: [-257, -7])),
        (
            "options without publicKey around them",
            Array(PasskeyTests.creation().dropFirst("{\"publicKey\":".utf8.count).dropLast())
        ),
    ]

    @Test("Options at the edge of the rules create a passkey (Web Authentication Level 3, 5.4)", arguments: accepted)
    func edges(_ name: String, _ options: [UInt8]) async throws {
        let bench = try await Bench(answer: .yes)
        _ = try await bench.device.createPasskey(try PasskeyRequest(options, for: .create), for: .app(bench.app))
        #expect(await bench.device.state.passkeys.count == 1, "\(name)")
    }

    @Test("An algorithm or a descriptor of another type does not count (Web Authentication Level 3, 5.8.3)")
    func otherTypes() async throws {
        let bench = try await Bench(answer: .yes)
        func request(_ options: [UInt8], _ old: String, _ new: String) throws -> PasskeyRequest {
            let text = String(decoding: options, as: UTF8.self).replacing(old, with: new)
            return try PasskeyRequest(Array(text.utf8), for: .create)
        }
        let other = try request(
            PasskeyTests.creation(algorithms: [-7]), "\"public-key\",\"alg\"", "\"password\",\"alg\"")
        let error = await #expect(throws: PasskeyError.self) {
            _ = try await bench.device.createPasskey(other, for: .app(bench.app))
        }
        #expect(error?.reason.hasPrefix("The options offer no ES256 key") == true)
        try await create(bench, "YWRh", "ada")
        let id = try #require(await bench.device.state.passkeys.first).id
        let excluded = try request(
            PasskeyTests.creation(user: "YWRh", excluded: [id]), "\"public-key\",\"id\"", "\"password\",\"id\"")
        _ = try await bench.device.createPasskey(excluded, for: .app(bench.app))
        #expect(await bench.device.state.passkeys.count == 1)
        #expect(await bench.device.state.passkeys.first?.id != id)
    }

    static let refusals: [(entry: String, site: SiteResponse?, fix: String)] = [
        (
            "webcredentials:example.com?mode=managed", nil,
            "Install a management profile on the device (motivator device managed on), or remove ?mode=managed from "
                + "the entry and install the app again"
        ),
        (
            "webcredentials:example.com", .missing,
            "Run: motivator association check example.com --passkeys --app D3KQX62K1A.com.example.DemoApp "
                + "--entitlement webcredentials:example.com"
        ),
        (
            "webcredentials:*.example.com", .missing,
            "Run: motivator association check example.com --passkeys --app D3KQX62K1A.com.example.DemoApp "
                + "--entitlement 'webcredentials:*.example.com'"
        ),
        ("applinks:example.com", .good, "Add the entry webcredentials:example.com to the app's entitlement"),
        (
            "webcredentials:example.com:8443", .good,
            "Add the entry webcredentials:example.com to the app's entitlement"
        ),
    ]

    @Test(
        "The fix of an app without approval is the setting of its entry, the missing entry, or a check of both",
        arguments: refusals)
    func fix(_ entry: String, _ site: SiteResponse?, _ fix: String) async throws {
        let response = try site ?? .denied(.modeOff(AssociatedDomain(entry)))
        let bench = try await Bench(entries: [entry], answers: ["example.com": [response]], answer: .yes)
        let error = await #expect(throws: PasskeyError.self) {
            _ = try await bench.device.createPasskey(
                try PasskeyRequest(PasskeyTests.creation(rpID: "example.com"), for: .create), for: .app(bench.app))
        }
        #expect(error?.code == 1004 && error?.fix == fix)
        #expect(bench.prompter.asked.isEmpty)
    }

    @Test("Of two entries with the same host, one approved entry is enough, in any order", arguments: [0, 1])
    func twoEntries(_ approved: Int) async throws {
        let entries = ["webcredentials:example.com", "webcredentials:example.com?mode=developer"]
        let bench = try await Bench(entries: entries, answers: ["example.com": [.missing]], answer: .yes)
        let request = try PasskeyRequest(PasskeyTests.creation(rpID: "example.com"), for: .create)
        await #expect(throws: PasskeyError.self) {
            _ = try await bench.device.createPasskey(request, for: .app(bench.app))
        }
        var state = await bench.device.state
        state.records[approved].siteApproval = .approved
        let device = try SimulatedDevice(
            state: state, network: bench.network, prompter: bench.prompter, clock: Clock { Bench.start })
        _ = try await device.createPasskey(request, for: .app(bench.app))
        #expect(await device.state.passkeys.map(\.rpID) == ["example.com"])
    }

    @Test(
        "A state whose passkey has an impossible time is refused", arguments: ["created", "used"],
        [-1, 253_402_300_800] as [Int64])
    func impossibleTime(_ key: String, _ time: Int64) async throws {
        let bench = try await Bench(answer: .yes)
        try await create(bench, "YWRh", "ada")
        _ = try await bench.device.usePasskey(
            try PasskeyRequest(PasskeyTests.request(), for: .signIn), for: try page())
        let text = String(decoding: try await bench.device.state.encoded(), as: UTF8.self)
        let changed = text.replacing("\"\(key)\" : \(Bench.start)", with: "\"\(key)\" : \(time)")
        #expect(changed != text)
        let error = #expect(throws: ExplainedFailure.self) { try DeviceState(json: Array(changed.utf8)) }
        #expect(error?.problem == "the device's state has an invalid value for \"\(key)\"")
    }
}
