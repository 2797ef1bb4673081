import Accounts
import MotivatorPlatform
import Passkeys
import SourceJSON
import Testing

@testable import UltraMotivator

/// The rules are in docs/passkeys.md. The numbers are steps of WebAuthn Level 3, §7.1 and §7.2.
@Suite("Ceremonies of the API") struct PasskeyAPITests {
    /// A backend whose limiter never refills.
    private static func backend(burst: Int) throws -> Backend {
        try Backend { $0.ceremonyLimiter = RateLimiter(burst: burst, interval: .seconds(1), now: { .zero }) }
    }

    @Test("(7.1, 1) Creation options name the algorithms, the account, its passkeys and the user verification")
    func creationOptions() async throws {
        let caller = Caller(try Backend())
        let token = try await caller.signUp("Ada")
        var client = try PasskeyClient(caller)
        try await client.add(to: token)
        let options = try await client.creationOptions(token)
        let algorithms = options["pubKeyCredParams"]?.array?.map { $0.object?["alg"]?.integer }
        #expect(algorithms == [-7, -8, -257])
        #expect(options["rp"]?.object?["id"]?.string == "one.test")
        #expect(options["user"]?.object?["name"]?.string == "Ada")
        #expect(options["attestation"]?.string == "none")
        #expect(options["timeout"]?.integer == 300_000)
        let excluded = options["excludeCredentials"]?.array?.map { $0.object?["id"]?.string }
        #expect(excluded == [Base64.encode(client.credential, .urlSafe)])
        let selection = try #require(options["authenticatorSelection"]?.object)
        #expect(selection["userVerification"]?.string == "required" && selection["residentKey"]?.string == "required")
        #expect(selection["requireResidentKey"]?.boolean == true)
        let upgrade = try await client.creationOptions(token, ["mediation": "conditional"])
        #expect(upgrade["authenticatorSelection"]?.object?["userVerification"]?.string == "preferred")
        for mediation: JSONNode in ["silent", "", 1, .null] {
            let reply = try await client.call("/api/passkeys/options", ["mediation": mediation], token: token)
            #expect(reply.status == 422 && reply.code == "mediation_unknown")
        }
    }

    @Test("(7.2, 1) Request options require user verification, and only a session's options name passkeys")
    func requestOptions() async throws {
        let caller = Caller(try Backend())
        let token = try await caller.signUp("Ada")
        var client = try PasskeyClient(caller)
        try await client.add(to: token)
        let confirmation = try await client.options("/api/confirm/passkey/options", token: token)
        let expected: [(JSONObject, [String?])] = [
            (try await client.signInOptions(), []), (confirmation, [Base64.encode(client.credential, .urlSafe)]),
        ]
        for (options, allowed) in expected {
            #expect(options["userVerification"]?.string == "required" && options["rpId"]?.string == "one.test")
            #expect(options["timeout"]?.integer == 300_000)
            #expect(options["allowCredentials"]?.array?.map { $0.object?["id"]?.string } == allowed)
        }
        let credential = try client.assertion(confirmation)
        #expect(try await client.call("/api/confirm/passkey", ["credential": credential], token: token).status == 200)
    }

    @Test("Conditional create needs a password of the last 5 minutes, other options a confirmation of the last 10")
    func confirmation() async throws {
        let backend = try Backend()
        let token = try await Caller(backend).signUp("Ada")
        var client = try PasskeyClient(Caller(backend))
        try await client.add(to: token)
        func statuses(_ token: String) async throws -> [Int] {
            [
                try await client.call("/api/passkeys/options", token: token).status,
                try await client.call("/api/passkeys/options", ["mediation": "conditional"], token: token).status,
            ]
        }
        #expect(try await statuses(token) == [200, 200])
        backend.time.withLock { $0 += 301 }
        #expect(try await statuses(token) == [200, 403])
        backend.time.withLock { $0 += 300 }
        #expect(try await statuses(token) == [403, 403])
        // A passkey confirms a session, but it is not a password.
        let signedIn = try #require(try await client.signIn().members?["token"])
        #expect(try await statuses(signedIn) == [200, 403])
        let reply = try await client.call("/api/passkeys/options", ["mediation": "conditional"], token: signedIn)
        #expect(reply.code == "confirmation_required")
    }

    /// A ceremony of Ada's client that differs from a valid one, and the code of its refusal.
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        /// Returns the credential to sign in with.
        let attack: @Sendable (_ client: inout PasskeyClient, _ other: PasskeyClient, String) async throws -> JSONNode

        init(
            _ rule: String, _ code: String,
            _ attack: @escaping @Sendable (inout PasskeyClient, PasskeyClient, String) async throws -> JSONNode
        ) {
            (testDescription, self.code, self.attack) = (rule, code, attack)
        }
    }

    private static let attacks = [
        Attack("the challenge of a registration", "challenge_invalid") { client, _, token in
            try client.assertion(try await client.creationOptions(token))
        },
        Attack("the challenge of a confirmation", "challenge_invalid") { client, _, token in
            try client.assertion(try await client.options("/api/confirm/passkey/options", token: token))
        },
        Attack("the port of another server", "origin_mismatch") { client, _, _ in
            client.origin += ":8443"
            return try client.assertion(try await client.signInOptions())
        },
        Attack("another RP ID", "rp_id_mismatch") { client, _, _ in
            client.rpID = "localhost"
            return try client.assertion(try await client.signInOptions())
        },
        Attack("the user handle of another account", "unknown_passkey") { client, other, _ in
            client.userHandle = other.userHandle
            return try client.assertion(try await client.signInOptions())
        },
        Attack("the credential ID of another account", "unknown_passkey") { client, other, _ in
            client.credential = other.credential
            return try client.assertion(try await client.signInOptions())
        },
        Attack("the credential ID and the user handle of another account", "signature_invalid") { client, other, _ in
            (client.credential, client.userHandle) = (other.credential, other.userHandle)
            return try client.assertion(try await client.signInOptions())
        },
        Attack("the stored counter", "counter_regression") { client, _, _ in
            client.signCount = 5
            return try client.assertion(try await client.signInOptions())
        },
        Attack("a counter of 0", "counter_regression") { client, _, _ in
            client.signCount = 0
            return try client.assertion(try await client.signInOptions())
        },
    ]

    @Test("A sign-in with a part of another ceremony or account is refused", arguments: attacks)
    func refused(_ attack: Attack) async throws {
        let caller = Caller(try Backend())
        let (token, other) = (try await caller.signUp("Ada"), try await caller.signUp("Grace"))
        var (client, second) = (try PasskeyClient(caller), try PasskeyClient(caller))
        client.signCount = 5
        try await client.add(to: token)
        try await second.add(to: other)
        let valid = client
        let credential = try await attack.attack(&client, second, token)
        let reply = try await client.call("/api/signin/passkey", ["credential": credential])
        #expect(reply.status == 401 && reply.code == attack.code, "\(reply.text)")
        // The refusal changed nothing.
        client = valid
        client.signCount = 6
        #expect(try await client.signIn().members?["username"] == "Ada")
    }

    @Test("Options work once, in the session that requested them, and for their lifetime")
    func challenges() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let (token, other) = (try await caller.signUp("Ada"), try await caller.signUp("Grace"))
        var client = try PasskeyClient(caller)
        let options = try await client.creationOptions(token)
        for stolen in [options, try await client.signInOptions()] {
            let reply = try await client.register(stolen, token: other)
            #expect(reply.status == 422 && reply.code == "challenge_invalid", "\(reply.text)")
        }
        #expect(try await client.register(options, token: token).status == 201)
        let replay = try await client.register(options, token: token)
        #expect(replay.status == 422 && replay.code == "challenge_used")
        let signIn = try await client.signInOptions()
        let credential: JSONNode = ["credential": try client.assertion(signIn)]
        let late: JSONNode = ["credential": try client.assertion(try await client.signInOptions())]
        #expect(try await client.call("/api/signin/passkey", credential).status == 200)
        let again = try await client.call("/api/signin/passkey", credential)
        #expect(again.status == 401 && again.code == "challenge_used")
        backend.time.withLock { $0 += 300 }
        #expect(try await client.call("/api/signin/passkey", late).code == "challenge_expired")
        // A cleaned challenge has expired, so it still does not work.
        backend.time.withLock { $0 += 60 }
        await backend.accounts.removeExpired()
        #expect(try await client.call("/api/signin/passkey", credential).code == "challenge_expired")
    }

    @Test("The passkey of a deleted account is unknown, also with earlier options")
    func deleted() async throws {
        let caller = Caller(try Backend())
        let token = try await caller.signUp("Ada")
        var client = try PasskeyClient(caller)
        try await client.add(to: token)
        let credential: JSONNode = ["credential": try client.assertion(try await client.signInOptions())]
        let content = Caller.object(["password": Browser.password])
        #expect(try await caller.call("/api/account", content, method: "DELETE", token: token).status == 200)
        let reply = try await client.call("/api/signin/passkey", credential)
        #expect(reply.status == 401 && reply.code == "unknown_passkey")
        // A new account with the name does not get the passkey.
        _ = try await caller.signUp("Ada")
        #expect(try await client.signIn().code == "unknown_passkey")
    }

    @Test("A success costs the client nothing, and the failures of a client delay no other client")
    func limits() async throws {
        let backend = try Self.backend(burst: 2)
        let token = try await Caller(backend).signUp("Ada")
        var client = try PasskeyClient(Caller(backend))
        try await client.add(to: token)
        for _ in 0..<4 { #expect(try await client.signIn().status == 200) }
        let stranger = try PasskeyClient(Caller(backend, from: "192.0.2.2"))
        for _ in 0..<2 { #expect(try await stranger.signIn().status == 400) }
        let reply = try await stranger.signIn()
        #expect(reply.status == 429 && reply.code == "throttled" && reply["Retry-After"] == ["1"])
        #expect(try await client.signIn().status == 200)
    }

    @Test("An account cannot fill the database with sessions: above 60 successes, each takes a token of its client")
    func successes() async throws {
        let backend = try Self.backend(burst: 2)
        var client = try PasskeyClient(Caller(backend))
        try await client.add(to: try await Caller(backend).signUp("Ada"))
        var replies: [Reply] = []
        // The account's tokens return slowly, so the number is not exact.
        while replies.last?.status ?? 200 == 200, replies.count < 200 { replies.append(try await client.signIn()) }
        #expect(replies.last?.code == "throttled" && (61..<200).contains(replies.count), "\(replies.count)")
    }

    @Test("An account has options until it has 20 passkeys")
    func limit() async throws {
        let caller = Caller(try Backend())
        let token = try await caller.signUp("Ada")
        let options = try await PasskeyClient(caller).creationOptions(token)
        for _ in 0..<19 {
            var client = try PasskeyClient(caller)
            try await client.add(to: token)
        }
        var last = try PasskeyClient(caller)
        try await last.add(to: token)
        let reply = try await last.call("/api/passkeys/options", token: token)
        #expect(reply.status == 409 && reply.code == "passkey_limit")
        /// Calls the API at another host, for which the account has no passkeys.
        func elsewhere(_ path: String, _ content: String) async throws -> Reply {
            let lines = ["Host: localhost", "Content-Type: application/json", "Authorization: Bearer \(token)"]
            return try await caller.backend.send("POST", path, lines, content: content, from: caller.address)
        }
        #expect(try await elsewhere("/api/passkeys/options", "{}").code == "passkey_limit")
        let id = Base64.encode(last.credential, .urlSafe)
        #expect(try await elsewhere("/api/passkeys/rename", #"{"id":"\#(id)","name":"b"}"#).status == 200)
        var late = try PasskeyClient(caller)
        let refused = try await late.register(options, token: token)
        #expect(refused.status == 409 && refused.code == "passkey_limit")
    }

    @Test("The list has the properties of each passkey, and the user handle of the account")
    func list() async throws {
        let caller = Caller(try Backend())
        let token = try await caller.signUp("Ada")
        var client = try PasskeyClient(caller)
        try await client.add(to: token)
        let list = try await caller.call("/api/passkeys", method: "GET", token: token)
        let object = try #require(try JSONDocument(list.content).root.object)
        #expect(object["rp_id"]?.string == "one.test" && object["user_id"]?.string == client.userHandle)
        let passkey = try #require(object["passkeys"]?.array?.first?.object)
        #expect(passkey["id"]?.string == Base64.encode(client.credential, .urlSafe))
        #expect(passkey["aaguid"]?.string == "00000000-0000-0000-0000-000000000000", "RFC 9562, section 4")
        #expect(passkey["rp_id"]?.string == "one.test" && passkey["algorithm"]?.integer == -7)
        #expect(passkey["created"]?.integer == 1_800_000_000 && passkey["last_used"]?.kind == .null)
        #expect(passkey["backup_eligible"]?.boolean == true && passkey["backed_up"]?.boolean == false)
        let other = try await caller.call("/api/passkeys", method: "GET", token: try await caller.signUp("Grace"))
        #expect(try JSONDocument(other.content).root.object?["passkeys"]?.array?.isEmpty == true)
    }

    @Test("Only the passkey's own account removes it, within 10 minutes of a confirmation")
    func removal() async throws {
        let backend = try Backend()
        let caller = Caller(backend)
        let (token, other) = (try await caller.signUp("Ada"), try await caller.signUp("Grace"))
        var client = try PasskeyClient(caller)
        try await client.add(to: token)
        func remove(_ id: String, _ token: String) async throws -> Reply {
            try await caller.call("/api/passkeys", Caller.object(["id": id]), method: "DELETE", token: token)
        }
        let id = Base64.encode(client.credential, .urlSafe)
        for (id, token) in [(id, other), ("AAAA", token), ("?", token), ("", token), (id + "=", token)] {
            let reply = try await remove(id, token)
            #expect(reply.status == 404 && reply.code == "passkey_not_found", "\(id)")
        }
        backend.time.withLock { $0 += 601 }
        let unconfirmed = try await remove(id, token)
        #expect(unconfirmed.status == 403 && unconfirmed.code == "confirmation_required")
        let password = Caller.object(["password": Browser.password])
        #expect(try await caller.call("/api/confirm", password, token: token).status == 200)
        let removed = try await remove(id, token)
        #expect(removed.status == 200 && removed.text == "{}\n")
        #expect(try await remove(id, token).status == 404)
        #expect(try await client.signIn().code == "unknown_passkey")
    }

    @Test("A sign-in stores the backup state, and a rename returns the new name")
    func stored() async throws {
        let caller = Caller(try Backend())
        let token = try await caller.signUp("Ada")
        var client = try PasskeyClient(caller)
        try await client.add(to: token)
        client.flags.insert(.backedUp)
        #expect(try await client.signIn().status == 200)
        let list = try await caller.call("/api/passkeys", method: "GET", token: token)
        let passkeys = try JSONDocument(list.content).root.object?["passkeys"]?.array
        let passkey = try #require(passkeys?.first?.object)
        #expect(passkey["backed_up"]?.boolean == true && passkey["last_used"]?.integer == 1_800_000_000)
        let change: JSONNode = ["id": .base64url(client.credential), "name": "Work phone"]
        let renamed = try await client.call("/api/passkeys/rename", change, token: token)
        #expect(try JSONDocument(renamed.content).root.object?["name"]?.string == "Work phone")
        let unnamed = try await client.call("/api/passkeys/rename", ["id": "AAAA", "name": ""], token: token)
        #expect(unnamed.status == 422 && unnamed.members?["error"] == "Enter a passkey name.")
    }

    @Test("A name must be a string, and the content may have 32 KiB")
    func content() async throws {
        let caller = Caller(try Backend())
        let token = try await caller.signUp("Ada")
        var client = try PasskeyClient(caller)
        let options = try await client.creationOptions(token)
        let credential = try client.registration(options)
        let reply = try await client.call("/api/passkeys", ["credential": credential, "name": 1], token: token)
        #expect(reply.status == 400 && reply.code == "missing_member")
        // 16,000 bytes are 21,334 characters.
        client.extensions = .map([.init(.text("x"), .bytes([UInt8](repeating: 0, count: 16_000)))])
        #expect(try await client.register(options, token: token).status == 201)
    }
}
