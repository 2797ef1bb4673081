import Certificates
import MotivatorPlatform
import Testing

@testable import Passkeys

/// A change to a valid ceremony, and the code of its refusal.
struct CeremonyCase: CustomTestStringConvertible, Sendable {
    let rule: String
    let code: String
    let change: @Sendable (inout Ceremony) throws -> Void

    init(_ rule: String, _ code: String, _ change: @escaping @Sendable (inout Ceremony) throws -> Void) {
        (self.rule, self.code, self.change) = (rule, code, change)
    }

    var testDescription: String { rule }

    /// The client data of both ceremonies.
    static let clientData = [
        CeremonyCase("5 (6): a second byte order mark", "client_data_malformed") {
            $0.changeClientData = { [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + $0 }
        },
        CeremonyCase("5: not UTF-8", "client_data_malformed") {
            $0.changeClientData = { $0.dropLast(2) + [0xFF, 0x7D] }
        },
        CeremonyCase("6: an array", "client_data_malformed") { $0.changeClientData = { [0x5B] + $0 + [0x5D] } },
        CeremonyCase("6: a repeated member", "client_data_malformed") {
            $0.changeClientData = { $0.dropLast() + Array(#","origin":"https://ultra-motivator.test"}"#.utf8) }
        },
        CeremonyCase("6: origin is missing", "client_data_malformed") { $0.clientData["origin"] = nil },
        CeremonyCase("6: challenge is a number", "client_data_malformed") { $0.clientData["challenge"] = .raw("1") },
        CeremonyCase("6: crossOrigin is text", "client_data_malformed") { $0.clientData["crossOrigin"] = "false" },
        CeremonyCase("6: topOrigin is null", "client_data_malformed") { $0.clientData["topOrigin"] = .raw("null") },
        CeremonyCase("the type is of neither ceremony", "client_data_type") {
            $0.clientData["type"] = "webauthn.other"
        },
        CeremonyCase("the challenge is made up", "challenge_invalid") {
            $0.clientData["challenge"] = .text(Base64.encode([UInt8](repeating: 0, count: 56), .urlSafe))
        },
        CeremonyCase("the challenge has padding", "challenge_invalid") {
            if case .text(let challenge)? = $0.clientData["challenge"] {
                $0.clientData["challenge"] = .text(challenge + "=")
            }
        },
        CeremonyCase("a challenge for another RP ID", "challenge_invalid") {
            $0.issue(for: $0.purpose, rpID: "localhost")
        },
        CeremonyCase("a challenge with another secret", "challenge_invalid") {
            let other = Challenges(secret: [UInt8](repeating: 2, count: 32))
            $0.clientData["challenge"] = .text(
                Base64.encode(other.issue(for: $0.purpose, rpID: $0.rp.id, at: Ceremony.now), .urlSafe))
        },
        CeremonyCase("a challenge of 300 seconds ago", "challenge_expired") { $0.now += 300 },
        CeremonyCase("the challenge is used", "challenge_used") { $0.isUsed = true },
        CeremonyCase("another origin", "origin_mismatch") { $0.clientData["origin"] = "https://evil.example" },
        CeremonyCase("another port", "origin_mismatch") {
            $0.clientData["origin"] = "https://ultra-motivator.test:8444"
        },
        CeremonyCase("a trailing slash", "origin_mismatch") {
            $0.clientData["origin"] = "https://ultra-motivator.test:8443/"
        },
        CeremonyCase("an upper-case origin", "origin_mismatch") {
            $0.clientData["origin"] = "https://Ultra-motivator.test:8443"
        },
        CeremonyCase("the page is in a frame of another origin", "cross_origin") {
            $0.clientData["crossOrigin"] = true
        },
        CeremonyCase("topOrigin is present", "cross_origin") { $0.clientData["topOrigin"] = "https://evil.example" },
    ]

    /// The authenticator data of both ceremonies.
    static let data = [
        CeremonyCase("6.1: 36 bytes", "credential_malformed") { $0.changeData = { Array($0.prefix(36)) } },
        CeremonyCase("6.1: a byte is left", "credential_malformed") { $0.changeData = { $0 + [0] } },
        CeremonyCase("6.1: ED without extensions", "credential_malformed") { $0.data.flags.insert(.extensions) },
        CeremonyCase("6.1: extensions without ED", "credential_malformed") {
            $0.data.extensions = .map([])
            $0.data.flags.remove(.extensions)
        },
        CeremonyCase("6.1: the extensions are an array", "cbor_invalid") {
            ($0.data.extensions, $0.data.flags) = (.array([]), $0.data.flags.union(.extensions))
        },
        CeremonyCase("the hash is of another RP ID", "rp_id_mismatch") {
            $0.data.rpIDHash = Digest.sha256(Array("www.ultra-motivator.test".utf8))
        },
        CeremonyCase("UP is clear", "user_not_present") { $0.data.flags.remove(.userPresent) },
        CeremonyCase("UV is clear", "user_not_verified") { $0.data.flags.remove(.userVerified) },
        CeremonyCase("BS without BE", "backup_state_invalid") { $0.data.flags.remove(.backupEligible) },
    ]
}

extension Ceremony {
    mutating func issue(for purpose: Purpose, rpID: String = host) {
        clientData["challenge"] = .text(
            Base64.encode(rp.challenges.issue(for: purpose, rpID: rpID, at: Self.now), .urlSafe))
    }

    /// Attests with the key of the passkey.
    mutating func attestSelf(algorithm: Int? = nil, _ change: @escaping ([UInt8]) -> [UInt8] = { $0 }) {
        let key = key
        attest = { data, hash in
            Self.object(
                "packed",
                .map([
                    .init(.text("alg"), CBOR(algorithm ?? key.algorithm.rawValue)),
                    .init(.text("sig"), .bytes(change(key.sign(data + hash)))),
                ]), data)
        }
    }
}

@Suite("Registration (WebAuthn 7.1)") struct RegistrationTests {
    @Test("A valid registration returns the passkey", arguments: COSEKey.Algorithm.allCases)
    func valid(_ algorithm: COSEKey.Algorithm) throws {
        var ceremony = try Ceremony(algorithm)
        ceremony.response["transports"] = .raw(#"["internal","hybrid"]"#)
        let passkey = try ceremony.register()
        #expect(passkey.credential == ceremony.credential && passkey.rpID == Ceremony.host)
        #expect(passkey.publicKey == ceremony.key.cose.encoded)
        #expect(passkey.isBackupEligible && passkey.isBackedUp && passkey.isUserVerified)
        #expect(passkey.transports == ["internal", "hybrid"] && passkey.signCount == 0)
        #expect(passkey.name == "Passkey" && passkey.created == Ceremony.now && passkey.used == nil)
        ceremony.attestSelf()
        #expect(try ceremony.register(name: "Ada's phone").name == "Ada's phone")
    }

    @Test("The counter, the model and the backup state of the authenticator are stored (WebAuthn 4)")
    func stored() throws {
        var ceremony = try Ceremony()
        ceremony.data.signCount = 0x0102_0304
        ceremony.data.flags.remove(.backedUp)
        let passkey = try ceremony.register()
        #expect(passkey.signCount == 0x0102_0304 && passkey.aaguid == [UInt8](repeating: 0xAA, count: 16))
        #expect(passkey.isBackupEligible && !passkey.isBackedUp)
        ceremony.data.flags.remove(.backupEligible)
        #expect(try !ceremony.register().isBackupEligible)
        // The counter is in bytes 33 to 36, the most significant first (WebAuthn 6.1).
        #expect(Array(ceremony.data.encoded[33..<37]) == [1, 2, 3, 4])
    }

    @Test("A passkey without a name has the name of its provider, if that is known")
    func provider() throws {
        var ceremony = try Ceremony()
        ceremony.data.attested?.aaguid = [
            0xD5, 0x48, 0x82, 0x6E, 0x79, 0xB4, 0xDB, 0x40, 0xA3, 0xD8, 0x11, 0x11, 0x6F, 0x7E, 0x83, 0x49,
        ]
        #expect(try ceremony.register().name == "Bitwarden")
        #expect(try ceremony.register(name: "Ada's phone").name == "Ada's phone")
    }

    @Test(
        "Members, flags and origins that the rules permit are accepted",
        arguments: [
            CeremonyCase("5.8.1: an unknown member and a byte order mark", "") {
                $0.clientData["tokenBinding"] = .object(["status": "supported"])
                $0.changeClientData = { [0xEF, 0xBB, 0xBF] + $0 }
            },
            CeremonyCase("5.8.1: crossOrigin is missing", "") { $0.clientData["crossOrigin"] = nil },
            CeremonyCase("an iOS app has the origin without the port", "") {
                $0.clientData["origin"] = "https://ultra-motivator.test"
            },
            CeremonyCase("6.1: reserved flags", "") { $0.data.flags.formUnion(.init(rawValue: 0x22)) },
            CeremonyCase("6.1: extensions", "") {
                $0.data.extensions = .map([.init(.text("credProtect"), CBOR(2))])
                $0.data.flags.insert(.extensions)
            },
            CeremonyCase("5.1.3: conditional create without UP and UV", "") {
                $0.issue(for: Ceremony.conditional)
                $0.data.flags.subtract([.userPresent, .userVerified])
            },
            CeremonyCase("25: a credential ID of 16 bytes", "") {
                $0.credential = [UInt8](repeating: 1, count: 16)
                $0.data.attested?.credential = $0.credential
            },
            CeremonyCase("25: a credential ID of 1,023 bytes", "") {
                $0.credential = [UInt8](repeating: 1, count: 1023)
                $0.data.attested?.credential = $0.credential
            },
            CeremonyCase("8: the last second of the challenge", "") { $0.now += 299 },
            CeremonyCase("28: credProps.rk is true", "") {
                $0.envelope["clientExtensionResults"] = .object(["credProps": .object(["rk": true])])
            },
        ])
    func tolerant(_ change: CeremonyCase) throws {
        var ceremony = try Ceremony()
        try change.change(&ceremony)
        #expect(try ceremony.register().credential == ceremony.credential)
    }

    private static let own = [
        CeremonyCase("7: the type of a sign-in", "client_data_type") { $0.clientData["type"] = "webauthn.get" },
        CeremonyCase("8: a challenge of a sign-in", "challenge_invalid") { $0.issue(for: .get) },
        CeremonyCase("8: a challenge of a confirmation", "challenge_invalid") { $0.issue(for: Ceremony.confirmation) },
        CeremonyCase("8: a challenge of another account", "challenge_invalid") {
            $0.issue(for: .create(account: 8, session: Ceremony.session, isConditional: false))
        },
        CeremonyCase("8: a challenge of another session", "challenge_invalid") {
            $0.issue(for: .create(account: Ceremony.account, session: [1], isConditional: false))
        },
        CeremonyCase("13: bytes after the attestation object", "cbor_invalid") { $0.changeAttestation = { $0 + [0] } },
        CeremonyCase("13: a fourth member", "cbor_invalid") {
            $0.attest = { data, _ in
                let object = Ceremony.object("none", .map([]), data)
                return .map((object.entries ?? []) + [.init(.text("epAtt"), .boolean(true))])
            }
        },
        CeremonyCase("13: fmt is not text", "cbor_invalid") {
            $0.attest = { data, _ in
                .map([
                    .init(.text("fmt"), CBOR(1)), .init(.text("attStmt"), .map([])),
                    .init(.text("authData"), .bytes(data)),
                ])
            }
        },
        CeremonyCase("6.1: AT is clear", "credential_malformed") {
            $0.data.attested = nil; $0.data.flags.remove(.attestedData)
        },
        CeremonyCase("6.1: a credential without AT", "credential_malformed") { $0.data.flags.remove(.attestedData) },
        CeremonyCase("6.1: the credential ID is incomplete", "credential_malformed") {
            $0.changeData = { Array($0.prefix(70)) }
        },
        CeremonyCase("6.5.1: the key is not a map", "cbor_invalid") { $0.data.attested?.publicKey = .array([]) },
        CeremonyCase("6.5.1: the key is not canonical", "cbor_invalid") {
            // The map begins after the ID. A length in two bytes is not the shortest form.
            $0.changeData = { Array($0.prefix(87)) + [0xB8, 0x05] + $0.dropFirst(88) }
        },
        CeremonyCase("25: a credential ID of 1,024 bytes", "credential_id_too_long") {
            $0.credential = [UInt8](repeating: 1, count: 1024)
            $0.data.attested?.credential = $0.credential
        },
        CeremonyCase("25: a credential ID of 15 bytes", "credential_malformed") {
            $0.credential = [UInt8](repeating: 1, count: 15)
            $0.data.attested?.credential = $0.credential
        },
        CeremonyCase("25: another rawId", "credential_malformed") {
            $0.data.attested?.credential = [UInt8](repeating: 1, count: 32)
        },
        CeremonyCase("20: ES384", "algorithm_not_allowed") {
            $0.data.attested?.publicKey = .map([.init(CBOR(1), CBOR(2)), .init(CBOR(3), CBOR(-35))])
        },
        CeremonyCase("20: a point off the curve", "public_key_invalid") {
            let one = [UInt8](repeating: 1, count: 32)
            $0.data.attested?.publicKey = COSEKey.es256(x: one, y: one)
        },
        CeremonyCase("21: the format fido-u2f", "attestation_not_supported") {
            $0.attest = { data, _ in Ceremony.object("fido-u2f", .map([]), data) }
        },
        CeremonyCase("21: the format None", "attestation_not_supported") {
            $0.attest = { data, _ in Ceremony.object("None", .map([]), data) }
        },
        CeremonyCase("22: none with a statement", "attestation_invalid") {
            $0.attest = { data, _ in Ceremony.object("none", .map([.init(.text("alg"), CBOR(-7))]), data) }
        },
        CeremonyCase("22: packed without a statement", "attestation_invalid") {
            $0.attest = { data, _ in Ceremony.object("packed", .map([]), data) }
        },
        CeremonyCase("22: packed with another algorithm", "attestation_invalid") { $0.attestSelf(algorithm: -8) },
        CeremonyCase("22: packed with a wrong signature", "attestation_invalid") {
            $0.attestSelf { $0.dropLast() + [($0.last ?? 0) ^ 1] }
        },
        CeremonyCase("22: packed with an unknown member", "attestation_invalid") {
            let key = $0.key
            $0.attest = { data, hash in
                let statement: [CBOR.Entry] = [
                    .init(.text("alg"), CBOR(-7)), .init(.text("sig"), .bytes(key.sign(data + hash))),
                    .init(.text("ver"), CBOR(1)),
                ]
                return Ceremony.object("packed", .map(statement), data)
            }
        },
        CeremonyCase("28: credProps.rk is false", "not_discoverable") {
            $0.envelope["clientExtensionResults"] = .object(["credProps": .object(["rk": false])])
        },
    ]

    @Test("Each step refuses its error", arguments: CeremonyCase.clientData + CeremonyCase.data + own)
    func refused(_ change: CeremonyCase) throws {
        var ceremony = try Ceremony()
        try change.change(&ceremony)
        let error = #expect(throws: CeremonyError.self) { try ceremony.register() }
        #expect(error?.code == change.code, "\(error?.sentence ?? "")")
    }

    @Test("The first of several errors is reported: each step precedes the next")
    func order() throws {
        var ceremony = try Ceremony()
        // From the last step to the first: each error hides those before it.
        let steps: [CeremonyCase] = [
            .init("28", "not_discoverable") {
                $0.envelope["clientExtensionResults"] = .object(["credProps": .object(["rk": false])])
            },
            .init("22", "attestation_invalid") {
                $0.attest = { data, _ in Ceremony.object("packed", .map([]), data) }
            },
            .init("21", "attestation_not_supported") {
                $0.attest = { data, _ in Ceremony.object("tpm", .map([]), data) }
            },
            .init("20", "public_key_invalid") { $0.data.attested?.publicKey = COSEKey.es256(x: [], y: []) },
            .init("20", "algorithm_not_allowed") { $0.data.attested?.publicKey = .map([]) },
            .init("17", "backup_state_invalid") { $0.data.flags.remove(.backupEligible) },
            .init("16", "user_not_verified") { $0.data.flags.remove(.userVerified) },
            .init("15", "user_not_present") { $0.data.flags.remove(.userPresent) },
            .init("14", "rp_id_mismatch") { $0.data.rpIDHash = [UInt8](repeating: 0, count: 32) },
            .init("25", "credential_id_too_long") {
                $0.data.attested?.credential = [UInt8](repeating: 1, count: 1024)
            },
            .init("13", "cbor_invalid") { $0.changeAttestation = { $0 + [0] } },
            .init("10", "cross_origin") { $0.clientData["crossOrigin"] = true },
            .init("9", "origin_mismatch") { $0.clientData["origin"] = "null" },
            .init("8", "challenge_used") { $0.isUsed = true },
            .init("8", "challenge_expired") { $0.now += 300 },
            .init("8", "challenge_invalid") { $0.clientData["challenge"] = "AA" },
            .init("7", "client_data_type") { $0.clientData["type"] = "webauthn.get" },
            .init("6", "client_data_malformed") { $0.clientData["topOrigin"] = .raw("1") },
            .init("3", "credential_malformed") { $0.envelope["type"] = "password" },
        ]
        for step in steps {
            try step.change(&ceremony)
            let error = #expect(throws: CeremonyError.self) { try ceremony.register() }
            #expect(error?.code == step.code, "\(step.rule)")
        }
    }
}
