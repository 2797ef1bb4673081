import Certificates
import MotivatorPlatform
import Testing

@testable import Passkeys

@Suite("Sign-in and confirmation (WebAuthn 7.2)") struct AuthenticationTests {
    @Test("A valid sign-in returns the counter and the flags", arguments: COSEKey.Algorithm.allCases)
    func valid(_ algorithm: COSEKey.Algorithm) throws {
        var ceremony = try Ceremony.signIn(algorithm)
        ceremony.data.signCount = 5
        #expect(try ceremony.authenticate().signCount == 5)
    }

    @Test("A confirmation needs no user handle")
    func confirmation() throws {
        var ceremony = try Ceremony.signIn(.es256, Ceremony.confirmation)
        ceremony.response["userHandle"] = .some(nil)
        #expect(try ceremony.authenticate().flags.contains(.userVerified))
        // (5) The passkey of another account, and an unknown passkey.
        ceremony.known = ceremony.known.map { ($0.passkey, 8) }
        #expect(throws: CeremonyError.passkeyNotAllowed) { try ceremony.authenticate() }
        ceremony.known = nil
        #expect(throws: CeremonyError.passkeyNotAllowed) { try ceremony.begin() }
    }

    @Test("A confirmation with the user handle of another account is refused")
    func confirmationOfAnother() throws {
        var ceremony = try Ceremony.signIn(.es256, Ceremony.confirmation)
        #expect(try ceremony.authenticate().flags.contains(.userVerified))
        ceremony.response["userHandle"] = .text(
            Base64.encode(ceremony.rp.challenges.userHandle(ofAccount: 8), .urlSafe))
        #expect(throws: CeremonyError.unknownPasskey) { try ceremony.authenticate() }
    }

    @Test("A counter above the stored one is accepted, and 0 if the stored one is 0", arguments: [(0, 0), (6, 5)])
    func counter(_ count: UInt32, _ stored: UInt32) throws {
        var ceremony = try Ceremony.signIn()
        (ceremony.data.signCount, ceremony.storedCount) = (count, stored)
        #expect(try ceremony.authenticate().signCount == count)
    }

    private static let own = [
        CeremonyCase("6: no user handle", "user_handle_missing") { $0.response["userHandle"] = .some(nil) },
        CeremonyCase("6: the user handle of another account", "unknown_passkey") {
            $0.response["userHandle"] = .text(Base64.encode($0.rp.challenges.userHandle(ofAccount: 8), .urlSafe))
        },
        CeremonyCase("10: the type of a registration", "client_data_type") {
            $0.clientData["type"] = "webauthn.create"
        },
        CeremonyCase("11: a challenge of a registration", "challenge_invalid") { $0.issue(for: Ceremony.creation) },
        CeremonyCase("11: a challenge of a confirmation", "challenge_invalid") { $0.issue(for: Ceremony.confirmation) },
        CeremonyCase("6.1: AT is set", "credential_malformed") {
            $0.data.attested = .init(
                aaguid: [UInt8](repeating: 0, count: 16), credential: $0.credential, publicKey: $0.key.cose)
            $0.data.flags.insert(.attestedData)
        },
        CeremonyCase("19: BE differs from the stored value", "backup_eligibility_changed") {
            $0.data.flags.subtract([.backupEligible, .backedUp])
        },
        CeremonyCase("21: another signature", "signature_invalid") {
            $0.changeSignature = { $0.dropLast() + [($0.last ?? 0) ^ 1] }
        },
        CeremonyCase("20: other client data", "signature_invalid") {
            // The signature is over the client data before the change.
            let key = $0.key
            let data = $0.data.encoded
            $0.changeSignature = { _ in key.sign(data + Digest.sha256([])) }
        },
        CeremonyCase("22: the counter is 0 after 5", "counter_regression") { $0.storedCount = 5 },
        CeremonyCase("22: the counter stays at 5", "counter_regression") {
            ($0.data.signCount, $0.storedCount) = (5, 5)
        },
    ]

    @Test("Each step refuses its error", arguments: CeremonyCase.clientData + CeremonyCase.data + own)
    func refused(_ change: CeremonyCase) throws {
        var ceremony = try Ceremony.signIn()
        try change.change(&ceremony)
        let error = #expect(throws: CeremonyError.self) { try ceremony.authenticate() }
        #expect(error?.code == change.code, "\(error?.sentence ?? "")")
    }

    @Test("(6) The server knows no passkey with the ID")
    func unknown() throws {
        var ceremony = try Ceremony.signIn()
        ceremony.known = nil
        #expect(throws: CeremonyError.unknownPasskey) { try ceremony.begin() }
    }

    @Test("(11) A challenge of a confirmation is bound to the account and the session")
    func confirmationChallenge() throws {
        var ceremony = try Ceremony.signIn(.es256, Ceremony.confirmation)
        ceremony.issue(for: .confirm(account: Ceremony.account, session: [1]))
        #expect(throws: CeremonyError.challengeInvalid) { try ceremony.authenticate() }
        ceremony.issue(for: .get)
        #expect(throws: CeremonyError.challengeInvalid) { try ceremony.authenticate() }
    }

    @Test("The first of several errors is reported: each step precedes the next")
    func order() throws {
        var ceremony = try Ceremony.signIn()
        let steps: [CeremonyCase] = [
            .init("22", "counter_regression") { $0.storedCount = 5 },
            .init("21", "signature_invalid") { $0.changeSignature = { _ in [0] } },
            .init("19", "backup_eligibility_changed") { $0.data.flags.subtract([.backupEligible, .backedUp]) },
            .init("18", "backup_state_invalid") { $0.data.flags.insert(.backedUp) },
            .init("17", "user_not_verified") { $0.data.flags.remove(.userVerified) },
            .init("16", "user_not_present") { $0.data.flags.remove(.userPresent) },
            .init("15", "rp_id_mismatch") { $0.data.rpIDHash = [UInt8](repeating: 0, count: 32) },
            .init("6.1", "credential_malformed") { $0.changeData = { $0 + [0] } },
            .init("13", "cross_origin") { $0.clientData["crossOrigin"] = true },
            .init("12", "origin_mismatch") { $0.clientData["origin"] = "null" },
            .init("11", "challenge_used") { $0.isUsed = true },
            .init("11", "challenge_expired") { $0.now += 300 },
            .init("11", "challenge_invalid") { $0.clientData["challenge"] = "AA" },
            .init("10", "client_data_type") { $0.clientData["type"] = "webauthn.create" },
            .init("9", "client_data_malformed") { $0.clientData["topOrigin"] = .raw("1") },
            .init("6", "unknown_passkey") { $0.response["userHandle"] = "AA" },
            .init("6", "user_handle_missing") { $0.response["userHandle"] = .some(nil) },
            .init("3", "credential_malformed") { $0.envelope["type"] = "password" },
        ]
        for step in steps {
            try step.change(&ceremony)
            let error = #expect(throws: CeremonyError.self) { try ceremony.authenticate() }
            #expect(error?.code == step.code, "\(step.rule)")
        }
    }
}

extension Ceremony {
    /// The stored counter of the passkey.
    var storedCount: UInt32 {
        get { known?.passkey.signCount ?? 0 }
        set {
            guard var passkey = known?.passkey else { return }
            passkey.signCount = newValue
            known = (passkey, Self.account)
        }
    }

    /// Verifies the owner, the type and the challenge.
    func begin() throws {
        _ = try rp.begin(try AuthenticationResponse(try assertion()), for: purpose, owner: known?.account, at: now)
    }
}
