import Accounts
import Certificates
import MotivatorPlatform
import Testing
import UltraMotivatorClient

@testable import UltraMotivator

@Suite("The API's client and the demo") struct APIClientTests {
    static let antoine = Credential(account: "Antoine", password: "four small red foxes")

    @Test("Every call does at the demo what it is for")
    func calls() async throws {
        try await DemoServer.run { server in
            let api = try server.client()
            let first = try await api.signUp(Self.antoine)
            #expect(first.account == "Antoine" && first.name == "Antoine")
            #expect(try await !api.motivation(for: first).text.isEmpty)

            let second = try await api.signIn(Credential(account: "antoine", password: Self.antoine.password))
            #expect(second.account == "antoine" && second.name == "Antoine")
            #expect(second.token != first.token)

            let third = try await api.update(Self.antoine, to: "seven slow grey geese")
            for session in [first, second] {
                let failure = await #expect(throws: APIFailure.self) { try await api.motivation(for: session) }
                #expect(failure?.refusal?.code == "not_signed_in")
            }
            #expect(try await !api.motivation(for: third).author.isEmpty)

            try await api.signOut(third)
            let failure = await #expect(throws: APIFailure.self) { try await api.signOut(third) }
            #expect(failure?.refusal?.code == "not_signed_in")

            let new = Credential(account: "Antoine", password: "seven slow grey geese")
            let last = try await api.signIn(new)
            try await api.deleteAccount(of: last, password: new.password)
            let gone = await #expect(throws: APIFailure.self) { try await api.signIn(new) }
            #expect(gone?.refusal?.code == "wrong_name_or_password")
        }
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let account: String
        let password: String
        let status: Int
        let code: String

        init(_ account: String, _ password: String, _ status: Int, _ code: String) {
            (self.account, self.password, self.status, self.code) = (account, password, status, code)
        }

        var testDescription: String { code }
    }

    static let refused = [
        Refused("Antoine", "seven slow grey geese", 409, "name_taken"),
        Refused("", "seven slow grey geese", 422, "name_empty"),
        Refused(String(repeating: "a", count: 65), "seven slow grey geese", 422, "name_too_long"),
        Refused("a\nb", "seven slow grey geese", 422, "name_control_character"),
        Refused("r\u{AD}ay", "seven slow grey geese", 422, "name_invisible_character"),
        Refused("r\u{430}y", "seven slow grey geese", 422, "name_mixed_scripts"),
        Refused("\u{430}", "seven slow grey geese", 422, "name_looks_latin"),
        Refused("\u{FF52}ay", "seven slow grey geese", 422, "name_variant_character"),
        Refused("ray", "Motivator2026", 422, "password_is_site_name"),
        Refused("ray", "seven", 422, "password_too_short"),
        Refused("ray", String(repeating: "a", count: 1025), 422, "password_too_long"),
        Refused("ray", "password", 422, "password_common"),
        Refused("raymond9", "RAYMOND9", 422, "password_is_name"),
    ]

    @Test("A refusal of the demo has its code and its sentence")
    func refusals() async throws {
        try await DemoServer.run { server in
            let api = try server.client()
            _ = try await api.signUp(Self.antoine)
            for each in Self.refused {
                let credential = Credential(account: each.account, password: each.password)
                let failure = await #expect(throws: APIFailure.self) { try await api.signUp(credential) }
                #expect(failure?.refusal?.status == each.status, "\(each.code)")
                #expect(failure?.refusal?.code == each.code)
            }
            let taken = Credential(account: "antoine", password: "seven slow grey geese")
            let failure = await #expect(throws: APIFailure.self) { try await api.signUp(taken) }
            #expect(failure?.refusal?.sentence == "That user name is taken. Choose another name.")
        }
    }

    @Test("Every code of the API is known")
    func codes() {
        let errors: [AccountError] = [
            .refusedName(.empty), .refusedName(.tooLong(codePoints: 1)), .refusedName(.controlCharacter(at: 1)),
            .refusedName(.extraSpace), .refusedName(.invisibleCharacter(at: 1)), .refusedName(.variantCharacter(at: 1)),
            .refusedName(.mixedScripts), .refusedName(.looksLatin), .refusedPassword(.isSiteName(word: "Ultra")),
            .refusedPassword(.tooShort(minimum: 1)), .refusedPassword(.tooLong(maximumBytes: 1)),
            .refusedPassword(.common), .refusedPassword(.isUserName), .nameTaken, .wrongNameOrPassword, .notSignedIn,
            .throttled(retryAfter: 1), .busy, .unavailable,
        ]
        let calls: [Explanation] = [.crossSite, .notJSON, .malformed(""), .missing("username")]
        let codes = errors.map(\.explanation.code) + calls.map(\.code)
        #expect(Set(codes) == APIRefusal.codes)
    }
}
