import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import SourceJSON
import Testing

@testable import Passkeys
@testable import SharedWebCredentials

/// The device's responses, verified by the server's rules (Web Authentication Level 3, 7.1 and 7.2).
@Suite("Passkeys of the device at the server") struct PasskeyServerTests {
    private static let page = "https://\(Bench.host):8443"
    private static let session: [UInt8] = [1]
    private let challenges = Challenges(secret: [UInt8](repeating: 7, count: 32))

    private func server(_ origins: [String] = ["https://\(Bench.host)", page]) -> RelyingParty {
        RelyingParty(id: Bench.host, origins: origins, challenges: challenges)
    }

    private static func caller(_ page: String?) throws -> PasskeyCaller {
        if let page { .page(try WebURL(page)) } else { .app(try AppIdentifier("D3KQX62K1A.com.example.DemoApp")) }
    }

    private static func object(_ node: JSONNode) throws -> JSONObject {
        try #require(JSONDocument(node.bytes()).root.object)
    }

    /// Creates a passkey on the device, and verifies it.
    private func register(
        _ bench: Bench, _ caller: PasskeyCaller, isConditional: Bool = false, isUsed: Bool = false,
        origins: [String]? = nil
    ) async throws -> Passkey {
        let purpose = Purpose.create(account: 1, session: Self.session, isConditional: isConditional)
        let challenge = challenges.issue(for: purpose, rpID: Bench.host, at: Bench.start)
        let options = PasskeyTests.creation(
            user: Base64.encode(challenges.userHandle(ofAccount: 1), .urlSafe),
            challenge: Base64.encode(challenge, .urlSafe))
        let made = try await bench.device.createPasskey(
            try PasskeyRequest(options, for: .create), for: caller, isConditional: isConditional)
        let server = origins.map(server) ?? server()
        let pending = try server.begin(
            try RegistrationResponse(try Self.object(made)), account: 1, session: Self.session, at: Bench.start)
        return try server.finish(pending, isUsed: isUsed, name: nil, at: Bench.start)
    }

    @Test("The server accepts both ceremonies of an app and of a page", arguments: [nil, page])
    func ceremonies(_ page: String?) async throws {
        let bench = try await Bench(answer: .yes)
        let caller = try Self.caller(page)
        let passkey = try await register(bench, caller)
        #expect(passkey.isBackupEligible && passkey.isBackedUp && passkey.isUserVerified && passkey.signCount == 0)
        let challenge = challenges.issue(for: .get, rpID: Bench.host, at: Bench.start)
        let options = "{\"challenge\":\"\(Base64.encode(challenge, .urlSafe))\",\"rpId\":\"\(Bench.host)\"}"
        let used = try await bench.device.usePasskey(
            try PasskeyRequest(Array(options.utf8), for: .signIn), for: caller)
        let response = try AuthenticationResponse(try Self.object(used))
        #expect(response.credential == passkey.credential)
        let pending = try server().begin(response, for: .get, owner: 1, at: Bench.start)
        _ = try server().finish(pending, passkey: passkey, isUsed: false)
    }

    @Test("The server accepts a passkey that was created without a prompt")
    func conditional() async throws {
        let bench = try await Bench(answer: .yes)
        _ = await bench.functions.add(domain: Bench.host, account: "ada", password: "secret")
        let passkey = try await register(bench, .app(bench.app), isConditional: true)
        #expect(!passkey.isUserVerified)
    }

    @Test("The hosts with faults name the server's errors")
    func faults() async throws {
        let bench = try await Bench(answer: .yes)
        let withoutPort = await #expect(throws: CeremonyError.self) {
            _ = try await register(bench, try Self.caller(Self.page), origins: ["https://\(Bench.host)"])
        }
        #expect(withoutPort?.code == "origin_mismatch")
        let twice = await #expect(throws: CeremonyError.self) {
            _ = try await register(bench, try Self.caller(Self.page), isUsed: true)
        }
        #expect(twice?.code == "challenge_used")
    }
}
