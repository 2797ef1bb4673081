import AssociatedDomains
import Certificates
import HTTPSClient
import MotivatorPlatform
import Testing

@testable import SharedWebCredentials

@Suite("Passkeys of the device") struct PasskeyTests {
    static let fixedChallenge: String = "AAECAwQFBgcICQoLDA0ODw"

    /// Returns the options for a new passkey.
    static func creation(
        rpID: String? = Bench.host, user: String = "dXNlcg", name: String = "ada", algorithms: [Int] = [-7, -257],
        excluded: [String] = [], challenge: String = fixedChallenge
    ) -> [UInt8] {
        let party = rpID.map { "{\"id\":\"\($0)\",\"name\":\"Demo\"}" } ?? "{\"name\":\"Demo\"}"
        let parameters = algorithms.map { "{\"type\":\"public-key\",\"alg\":\($0)}" }.joined(separator: ",")
        let ids = excluded.map { "{\"type\":\"public-key\",\"id\":\"\($0)\"}" }.joined(separator: ",")
        return Array(
            """
            {"publicKey":{"rp":\(party),"user":{"id":"\(user)","name":"\(name)","displayName":"A"},\
            "challenge":"\(challenge)","pubKeyCredParams":[\(parameters)],"excludeCredentials":[\(ids)]}}
            """.utf8)
    }

    static func request(_ rpID: String? = Bench.host, allowed: [String] = []) -> [UInt8] {
        let ids = allowed.map { "{\"type\":\"public-key\",\"id\":\"\($0)\"}" }.joined(separator: ",")
        return Array(
            "{\"challenge\":\"\(fixedChallenge)\",\"allowCredentials\":[\(ids)]\(rpID.map { ",\"rpId\":\"\($0)\"" } ?? "")}"
                .utf8)
    }

    /// A ceremony that fails, and the error that its caller gets (Apple forums 756425; Web Authentication Level 3, 5.1).
    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var page: String?
        var entries = ["webcredentials:\(Bench.host)"]
        var site = SiteResponse.good
        var answer = Prompt.Answer.yes
        var options: [UInt8] = PasskeyTests.creation()
        var change: @Sendable (inout DeviceState) -> Void = { _ in }
        let code: Int32
        let web: String
        var reason = ""

        init(_ name: String, _ code: Int32, _ web: String, _ reason: String = "", _ edit: (inout Failure) -> Void) {
            (testDescription, self.code, self.web, self.reason) = (name, code, web, reason)
            edit(&self)
        }
    }

    private static let app = "D3KQX62K1A.com.example.DemoApp"
    private static let denied = "Application with identifier \(app) is not associated with domain \(Bench.host)"

    static let failures: [Failure] = [
        Failure("no entry", 1004, "SecurityError", denied) { $0.entries = ["applinks:\(Bench.host)"] },
        Failure("an entry with a port", 1004, "SecurityError", denied) {
            $0.entries = ["webcredentials:\(Bench.host):8443"]
        },
        Failure("the site denies", 1004, "SecurityError", denied) { $0.site = .missing },
        Failure(
            "no result yet", 1004, "SecurityError",
            "Unable to verify webcredentials association of \(app) with domain \(Bench.host). Please try again in a few "
                + "seconds."
        ) { $0.site = .unavailable },
        Failure(
            "the user cancels", 1001, "NotAllowedError",
            "The operation couldn’t be completed. (com.apple.AuthenticationServices.AuthorizationError error 1001.)"
        ) { $0.answer = .no },
        Failure("no ES256", 1004, "NotAllowedError", "The options offer no ES256") {
            $0.options = creation(algorithms: [-35])
        },
        Failure("no RP ID for an app", 1004, "NotAllowedError") { $0.options = creation(rpID: nil) },
        Failure("an IP address as RP ID", 1004, "NotAllowedError", "The RP ID") {
            $0.options = creation(rpID: "192.0.2.1")
        },
        Failure("AutoFill off", 1004, "NotAllowedError", "AutoFill") { $0.change = { $0.autoFill = false } },
        Failure("a user handle of 65 bytes", 1004, "TypeError", "user.id has 65 bytes") {
            $0.options = creation(user: Base64.encode([UInt8](repeating: 7, count: 65), .urlSafe))
        },
        Failure("an empty user handle", 1004, "TypeError", "user.id has 0 bytes") { $0.options = creation(user: "") },
        Failure("a challenge with padding", 1004, "EncodingError", "The value of challenge") {
            $0.options = creation(challenge: "AA==")
        },
        Failure("no JSON", 1004, "TypeError") { $0.options = Array("<html>".utf8) },
        Failure("a page of another host", 1004, "SecurityError") { $0.page = "https://evil.example/" },
        Failure("a page whose host ends with the RP ID", 1004, "SecurityError") {
            $0.page = "https://bad\(Bench.host)/"
        },
    ]

    @Test("A ceremony that fails changes nothing, and each side has its error", arguments: failures)
    func failing(_ one: Failure) async throws {
        let bench = try await Bench(
            entries: one.entries, answers: [Bench.host: [one.site]], answer: one.answer, one.change)
        let caller = try one.page.map { PasskeyCaller.page(try WebURL($0)) } ?? .app(bench.app)
        let error = await #expect(throws: PasskeyError.self) {
            _ = try await bench.device.createPasskey(try PasskeyRequest(one.options, for: .create), for: caller)
        }
        #expect(error?.code == one.code && error?.webName == one.web, "\(error?.reason ?? "")")
        #expect(error?.reason.hasPrefix(one.reason) == true, "\(error?.reason ?? "")")
        #expect(await bench.device.state.passkeys.isEmpty)
    }

    /// The members of a response.
    private static func members(_ node: JSONNode, _ path: String...) -> [String: JSONNode] {
        var node = node
        for name in path {
            if case .members(let members) = node, let next = members.first(where: { $0.key == name }) {
                node = next.value
            }
        }
        guard case .members(let members) = node else { return [:] }
        return Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    }

    private static func bytes(_ node: JSONNode?) throws -> [UInt8] {
        guard case .text(let text)? = node else { return [] }
        return try #require(Base64.decode(text.utf8, .urlSafe))
    }

    @Test("An app creates a passkey and signs in with it")
    func app() async throws {
        let bench = try await Bench(answer: .yes)
        let created = try await bench.device.createPasskey(
            try PasskeyRequest(Self.creation(), for: .create), for: .app(bench.app))
        #expect(Set(Self.members(created).keys) == ["id", "rawId", "type", "response"])
        let response = Self.members(created, "response")
        #expect(Set(response.keys) == ["clientDataJSON", "attestationObject"])
        let client =
            "{\"type\":\"webauthn.create\",\"challenge\":\"\(Self.fixedChallenge)\",\"origin\":\"https://\(Bench.host)\"}"
        #expect(try Self.bytes(response["clientDataJSON"]) == Array(client.utf8))
        let object = try Self.bytes(response["attestationObject"])
        // Flags and counter, after the map's keys and the hash of the RP ID (Web Authentication Level 3, 6.1).
        let data = object.suffix(object.count - 30)
        #expect(Array(data.prefix(32)) == Digest.sha256(Array(Bench.host.utf8)))
        #expect(Array(data.dropFirst(32).prefix(5)) == [0x5D, 0, 0, 0, 0])
        let passkey = try #require(await bench.device.state.passkeys.first)
        #expect(passkey.userHandle == "dXNlcg" && passkey.isSynced && passkey.created == Bench.start)

        let used = try await bench.device.usePasskey(
            try PasskeyRequest(Self.request(), for: .signIn), for: .app(bench.app))
        #expect(Self.members(used, "response").count == 4)
        #expect(try Self.bytes(Self.members(used, "response")["authenticatorData"]).count == 37)
        #expect(await bench.device.state.passkeys.first?.used == Bench.start)
        #expect(bench.prompter.asked.map(\.kind) == [.createPasskey, .usePasskey])
    }

    @Test("A page has its origin with the port, and an excluded passkey is an error")
    func page() async throws {
        let bench = try await Bench(answer: .yes)
        let caller = PasskeyCaller.page(try WebURL("https://www.\(Bench.host):8443/account"))
        let created = try await bench.device.createPasskey(
            try PasskeyRequest(Self.creation(), for: .create), for: caller)
        let client = try Self.bytes(Self.members(created, "response")["clientDataJSON"])
        #expect(
            String(decoding: client, as: UTF8.self).contains("\"origin\":\"https://www.\(Bench.host):8443\",\"cross"))
        let id = try #require(await bench.device.state.passkeys.first).id
        let again = try PasskeyRequest(Self.creation(excluded: [id]), for: .create)
        let error = await #expect(throws: PasskeyError.self) {
            _ = try await bench.device.createPasskey(again, for: caller)
        }
        #expect(error?.code == 1006 && error?.webName == "InvalidStateError")
        // The same account replaces its passkey (Web Authentication Level 3, 6.3.2, step 7).
        _ = try await bench.device.createPasskey(try PasskeyRequest(Self.creation(), for: .create), for: caller)
        #expect(await bench.device.state.passkeys.map(\.id).contains(id) == false)
        #expect(await bench.device.state.passkeys.count == 1)
        // An account of another RP ID may have the same user handle.
        let other = try PasskeyRequest(Self.creation(rpID: "www.\(Bench.host)"), for: .create)
        _ = try await bench.device.createPasskey(other, for: caller)
        #expect(await bench.device.state.passkeys.map(\.rpID) == [Bench.host, "www.\(Bench.host)"])
    }

    @Test("A related origin may use the RP ID")
    func related() async throws {
        let bench = try await Bench(answer: .yes)
        let origin = try WebURL("https://shop.example:8443")
        bench.network.setRelatedOrigins([origin], of: Bench.host)
        _ = try await bench.device.createPasskey(try PasskeyRequest(Self.creation(), for: .create), for: .page(origin))
        await #expect(throws: PasskeyError.self) {
            _ = try await bench.device.createPasskey(
                try PasskeyRequest(Self.creation(), for: .create), for: .page(try WebURL("https://shop.example")))
        }
    }

    @Test("A passkey is created without a prompt only right after its password was used")
    func conditional() async throws {
        let bench = try await Bench(answer: .yes)
        let request = try PasskeyRequest(Self.creation(), for: .create)
        func create() async -> Int32 {
            do {
                _ = try await bench.device.createPasskey(request, for: .app(bench.app), isConditional: true)
                return 0
            } catch {
                return error.code
            }
        }
        #expect(await create() == 1001)
        _ = await bench.functions.add(domain: Bench.host, account: "bob", password: "secret")
        #expect(await create() == 1001, "the password is of another account")
        _ = await bench.functions.add(domain: Bench.host, account: "ada", password: "secret")
        #expect(await create() == 0)
        #expect(!bench.prompter.asked.map(\.kind).contains(.createPasskey))
        try await bench.device.advance(300)
        #expect(await create() == 0, "five minutes later")
        try await bench.device.advance(1)
        #expect(await create() == 1001, "a second after that")
        _ = await bench.functions.request(domain: Bench.host, account: "ada")
        #expect(await create() == 0)
        _ = await bench.functions.add(domain: Bench.host, account: "ada", password: nil)
        #expect(await create() == 1001, "the password is deleted")
    }

    @Test("Without a passkey, the sign-in is canceled, and an immediate one has no prompt")
    func missing() async throws {
        let bench = try await Bench(answer: .yes)
        let request = try PasskeyRequest(Self.request(allowed: ["AAAA"]), for: .signIn)
        for isImmediate in [true, false] {
            let error = await #expect(throws: PasskeyError.self) {
                _ = try await bench.device.usePasskey(request, for: .app(bench.app), isImmediate: isImmediate)
            }
            #expect(error?.code == 1001)
            #expect(bench.prompter.asked.count == (isImmediate ? 0 : 1))
        }
    }

    @Test("An ID on a command line is never an option")
    func identifiers() {
        for _ in 0..<1_000 {
            let id = PasskeyAuthenticator.newID()
            #expect(id.count == 32 && !Base64.encode(id, .urlSafe).hasPrefix("-"))
        }
    }

    @Test("The state keeps the passkeys, and a state without them still loads")
    func state() async throws {
        let bench = try await Bench(answer: .yes)
        let old = try await bench.device.state.encoded()
        #expect(try DeviceState(json: old).passkeys.isEmpty)
        #expect(!String(decoding: old, as: UTF8.self).contains("passkey"))
        await bench.device.setPasskeySync(false)
        _ = try await bench.device.createPasskey(
            try PasskeyRequest(Self.creation(), for: .create), for: .app(bench.app))
        let state = await bench.device.state
        let read = try DeviceState(json: state.encoded())
        #expect(read == state && read.passkeys.first?.isSynced == false && !read.syncsPasskeys)
        let passkey = try #require(state.passkeys.first)
        #expect(!"\(passkey) \(passkey.debugDescription)".contains("PRIVATE KEY"))
        #expect(await bench.device.deletePasskey(passkey.id))
        #expect(await !bench.device.deletePasskey(passkey.id))
    }
}
