import COpenSSL
import Certificates
import MotivatorPlatform
import SourceJSON
import TestSupport
import Testing

@testable import Passkeys

@Suite("RP ID, origins and the form of responses") struct RelyingPartyTests {
    private static func settings(shared: String? = nil) -> PasskeySettings {
        var settings = PasskeySettings()
        settings.domains = ["a.test", "b.test"]
        settings.sharedDomain = shared
        settings.origins = ["https://mapped.test:9443"]
        settings.fingerprints = [[0xFF, 0xFE]]
        return settings
    }

    @Test(
        "The host selects the RP ID and the origins",
        arguments: [
            ("a.test", 8443, nil, "a.test", ["https://a.test:8443", "https://a.test"]),
            ("A.Test", 443, nil, "a.test", ["https://a.test", "https://a.test"]),
            ("localhost", 8443, "a.test", "localhost", ["https://localhost:8443", "https://localhost"]),
            ("b.test", 8443, "a.test", "a.test", ["https://a.test:8443", "https://b.test:8443", "https://a.test"]),
            ("B.test", 443, nil, "b.test", ["https://b.test", "https://b.test"]),
        ] as [(String, UInt16, String?, String, [String])])
    func origins(_ host: String, _ port: UInt16, _ shared: String?, _ id: String, _ origins: [String]) throws {
        let found = Self.settings(shared: shared).relyingParty(host: host, port: port, secret: [])
        let rp = try #require(found)
        #expect(rp.id == id)
        #expect(rp.origins == origins + ["android:apk-key-hash:__4", "https://mapped.test:9443"])
    }

    @Test("Other hosts have no passkeys", arguments: ["127.0.0.1", "[::1]", "c.test", "www.a.test", ""])
    func none(_ host: String) {
        #expect(Self.settings().relyingParty(host: host, port: 443, secret: []) == nil)
    }

    @Test(
        "An additional origin has exactly one spelling",
        arguments: [
            ("https://a.test", true), ("https://a.test:8443", true), ("http://a.test", false),
            ("https://my-app2.test:65535", true), ("https://a.test:1", true), ("https://a_b.test", false),
            ("https://a.test:", false), ("https://a.test:8443:1", false), ("https://a.test:+1", false),
            ("https://a.test/", false), ("https://a.test/x", false), ("https://A.test", false), ("null", false),
            ("https://a.test:443", false), ("https://a.test:0", false), ("https://a.test:08", false),
            ("https://a.test:65536", false), ("https://", false), ("https://:1", false), ("https://u@a.test", false),
        ])
    func origin(_ text: String, _ isValid: Bool) {
        #expect((PasskeySettings.problem(ofOrigin: text) == nil) == isValid)
    }

    @Test("A challenge has 56 bytes, differs each time, and lasts for its lifetime")
    func challenge() throws {
        let challenges = Challenges(secret: Ceremony.secret, lifetime: 10)
        let one = challenges.issue(for: .get, rpID: "a.test", at: 100)
        #expect(one.count == 56 && one != challenges.issue(for: .get, rpID: "a.test", at: 100))
        let text = Base64.encode(one, .urlSafe)
        let (challenge, _) = try challenges.verify(text, for: [.get], rpID: "a.test", at: 109)
        #expect(challenge == Challenge(bytes: one, expires: 110))
        #expect(throws: CeremonyError.challengeExpired(seconds: 2)) {
            try challenges.verify(text, for: [.get], rpID: "a.test", at: 112)
        }
        // The random bytes and the expiry are authenticated.
        for index in [0, 23] {
            var changed = one
            changed[index] ^= 1
            #expect(throws: CeremonyError.challengeInvalid) {
                try challenges.verify(Base64.encode(changed, .urlSafe), for: [.get], rpID: "a.test", at: 100)
            }
        }
    }

    @Test("A user handle is 32 bytes that identify the account")
    func userHandle() {
        let challenges = Challenges(secret: Ceremony.secret)
        #expect(challenges.userHandle(ofAccount: 1).count == 32)
        #expect(challenges.userHandle(ofAccount: 1) == challenges.userHandle(ofAccount: 1))
        #expect(challenges.userHandle(ofAccount: 1) != challenges.userHandle(ofAccount: 2))
        #expect(challenges.userHandle(ofAccount: 1) != Challenges(secret: [1]).userHandle(ofAccount: 1))
    }

    private static let forms = [
        CeremonyCase("type is missing", "") { $0.envelope["type"] = .some(nil) },
        CeremonyCase("response is text", "") { $0.envelope["response"] = "x" },
        CeremonyCase("rawId is missing", "") { $0.envelope["rawId"] = .some(nil) },
        CeremonyCase("id is not rawId", "") { $0.envelope["id"] = "AA" },
        CeremonyCase("rawId has padding", "") { ($0.envelope["id"], $0.envelope["rawId"]) = ("AA==", "AA==") },
        CeremonyCase("rawId has the standard alphabet", "") {
            ($0.envelope["id"], $0.envelope["rawId"]) = ("+_8", "+_8")
        },
        CeremonyCase("rawId has trailing bits", "") { ($0.envelope["id"], $0.envelope["rawId"]) = ("AB", "AB") },
        CeremonyCase("clientDataJSON is missing", "") { $0.response["clientDataJSON"] = .some(nil) },
        CeremonyCase("clientDataJSON is a number", "") { $0.response["clientDataJSON"] = .raw("1") },
        CeremonyCase("clientDataJSON has 8,193 bytes", "") {
            $0.changeClientData = { $0 + [UInt8](repeating: 0x20, count: 8193 - $0.count) }
        },
        CeremonyCase("clientExtensionResults is an array", "") { $0.envelope["clientExtensionResults"] = .raw("[]") },
        CeremonyCase("authenticatorAttachment is a number", "") { $0.envelope["authenticatorAttachment"] = .raw("1") },
    ]

    @Test("(3, 4) A response in another form is malformed", arguments: forms)
    func form(_ change: CeremonyCase) throws {
        var (registration, signIn) = (try Ceremony(), try Ceremony.signIn())
        try change.change(&registration)
        try change.change(&signIn)
        for error in [
            #expect(throws: CeremonyError.self) { try registration.register() },
            #expect(throws: CeremonyError.self) { try signIn.authenticate() },
        ] {
            #expect(error?.code == "credential_malformed")
        }
    }

    @Test(
        "(3) The members of one ceremony have their limits",
        arguments: [
            ("attestationObject", .text(String(repeating: "A", count: 21_848))), ("attestationObject", nil),
            ("transports", .raw(#"["a","a","a","a","a","a","a","a","a"]"#)), ("transports", .raw("[1]")),
            ("transports", .raw(#"[""]"#)), ("transports", .raw(#"["é"]"#)), ("transports", "internal"),
            ("transports", .raw(#"["\#(String(repeating: "a", count: 33))"]"#)),
        ] as [(String, Draft?)])
    func registrationMembers(_ name: String, _ value: Draft?) throws {
        var ceremony = try Ceremony()
        ceremony.response[name] = .some(value)
        let error = #expect(throws: CeremonyError.self) { try ceremony.register() }
        #expect(error?.code == "credential_malformed")
    }

    @Test(
        "(3) The members of a sign-in have their limits",
        arguments: [
            ("authenticatorData", .text(String(repeating: "A", count: 5464))), ("authenticatorData", nil),
            ("signature", .text(String(repeating: "A", count: 1368))), ("signature", ""),
            ("userHandle", .text(String(repeating: "A", count: 87))), ("userHandle", ""), ("userHandle", .raw("null")),
        ] as [(String, Draft?)])
    func signInMembers(_ name: String, _ value: Draft?) throws {
        var ceremony = try Ceremony.signIn()
        ceremony.response[name] = .some(value)
        let error = #expect(throws: CeremonyError.self) { try ceremony.authenticate() }
        #expect(error?.code == "credential_malformed")
    }

    /// Adds an extension of the size that makes the data as long as a limit.
    private static func fill(_ ceremony: inout Ceremony, to limit: Int, _ count: (AuthenticatorData) -> Int) {
        func extend(_ size: Int) {
            ceremony.data.extensions = .map([.init(.text("x"), .bytes([UInt8](repeating: 0, count: size)))])
            ceremony.data.flags.insert(.extensions)
        }
        extend(1000)
        extend(1000 + limit - count(ceremony.data))
    }

    @Test("(3) Members at their limits are accepted")
    func largest() throws {
        var ceremony = try Ceremony()
        let transports = [String](repeating: "\"" + String(repeating: "a", count: 32) + "\"", count: 8)
        ceremony.response["transports"] = .raw("[\(transports.joined(separator: ","))]")
        ceremony.changeClientData = { $0 + [UInt8](repeating: 0x20, count: 8192 - $0.count) }
        Self.fill(&ceremony, to: 16_384) { Ceremony.object("none", .map([]), $0.encoded).encoded.count }
        #expect(Ceremony.object("none", .map([]), ceremony.data.encoded).encoded.count == 16_384)
        #expect(try ceremony.register().transports.count == 8)
        var signIn = try Ceremony.signIn()
        Self.fill(&signIn, to: 4096) { $0.encoded.count }
        #expect(signIn.data.encoded.count == 4096)
        _ = try signIn.authenticate()
    }

    @Test("A packed statement verifies with the key of its first certificate", arguments: [1, 5, 6])
    func certificates(_ count: Int) throws {
        let identity = try Authority.temporary().issue(hosts: ["localhost"], days: 1)
        let der = identity.certificate.der
        var ceremony = try Ceremony()
        ceremony.attest = { data, hash in
            let signature = Self.sign(data + hash, identity.key)
            return Ceremony.object(
                "packed",
                .map([
                    .init(.text("alg"), CBOR(-7)), .init(.text("sig"), .bytes(signature)),
                    .init(.text("x5c"), .array([CBOR](repeating: .bytes(der), count: count))),
                ]), data)
        }
        if count <= 5 {
            #expect(try ceremony.register().credential == ceremony.credential)
            ceremony.changeClientData = { $0 + [0x20] }
            let attest = ceremony.attest
            ceremony.attest = { data, _ in attest(data, []) }
        }
        let error = #expect(throws: CeremonyError.self) { try ceremony.register() }
        #expect(error?.code == "attestation_invalid")
    }

    private static func sign(_ message: [UInt8], _ key: PrivateKey) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = 128
        var signature = [UInt8](repeating: 0, count: count)
        EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer)
        EVP_DigestSign(context, &signature, &count, message, message.count)
        return Array(signature.prefix(count))
    }
}
