import MotivatorPlatform
import SharedWebCredentials
import Testing

@testable import UltraMotivatorClient

@Suite("Signing up") struct SignUpTests {
    struct FormCase: Sendable, CustomTestStringConvertible {
        let name: String
        let account: String
        let password: NewPassword
        let fault: ExplainedFailure?

        init(_ name: String, _ account: String, _ password: String, _ confirmation: String, _ fault: ExplainedFailure?)
        {
            (self.name, self.account, self.fault) = (name, account, fault)
            self.password = .typed(password, confirmation: confirmation)
        }

        var testDescription: String { name }
    }

    // Specification: shared-credentials.md, "The app's flows", sign-up.
    static let forms = [
        FormCase("five characters each", "raynd", "12345", "12345", nil),
        FormCase("a name of four", "rayn", "12345", "12345", .accountTooShort),
        FormCase("no name", "", "12345", "12345", .accountTooShort),
        FormCase("a password of four", "raynd", "1234", "1234", .passwordTooShort),
        FormCase("no password", "raynd", "", "", .passwordTooShort),
        FormCase("no confirmation", "raynd", "12345", "", .confirmationDiffers),
        FormCase("a confirmation in another case", "raynd", "abcde", "abcdE", .confirmationDiffers),
        FormCase("a confirmation with a space", "raynd", "12345", "12345 ", .confirmationDiffers),
        FormCase("name and password too short", "ray", "123", "123", .accountTooShort),
        FormCase("a short password and another confirmation", "raynd", "123", "124", .passwordTooShort),
        FormCase("five characters of several scalars", "raynd", "e\u{301}👩🏽‍🚀ü10", "e\u{301}👩🏽‍🚀ü10", nil),
        FormCase("four characters of many scalars", "raynd", "👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀", "👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀", .passwordTooShort),
    ]

    @Test("A form that violates the app's own rules is refused, and nothing is sent or saved", arguments: forms)
    func form(_ each: FormCase) async throws {
        let bench = AppBench()
        try await bench.run(ScriptedServer.knowing("", "")) { app in
            let outcome = await app.signUp(account: each.account, password: each.password)
            if let fault = each.fault {
                #expect(outcome == .unacceptable(fault))
                #expect(bench.diary.lines.isEmpty)
            } else {
                guard case .signedUp = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(bench.diary.lines.count == 3)
            }
        }
    }

    @Test("The server comes first, then both stores", arguments: [true, false])
    func order(isGenerated: Bool) async throws {
        let bench = AppBench()
        let password = isGenerated ? ScriptedShared.generated : "typed-secret"
        try await bench.run(ScriptedServer.knowing("", "")) { app in
            let outcome = await app.signUp(
                account: "antoine", password: isGenerated ? .generated : .typed(password, confirmation: password))
            let credential = Credential(account: "antoine", password: password)
            #expect(outcome == .signedUp(AppBench.session("antoine"), credential, saved: AppBench.saved))
        }
        let lines = [
            "POST /api/signup antoine \(password)", "keychain: save app.test antoine \(password)",
            "shared: save app.test antoine \(password)",
        ]
        #expect(bench.diary.lines == (isGenerated ? ["shared: create"] : []) + lines)
    }

    @Test("Failures of the stores are reported, with the password that only the outcome has")
    func storesRefuse() async throws {
        var bench = AppBench()
        bench.keychain.failsToChange = true
        bench.shared.error = .autoFillOff
        try await bench.run(ScriptedServer.knowing("", "")) { app in
            let outcome = await app.signUp(account: "antoine", password: .generated)
            let credential = Credential(account: "antoine", password: ScriptedShared.generated)
            let changes = StoreChanges(keychain: ScriptedKeychain.locked, shared: .failed(.autoFillOff))
            #expect(outcome == .signedUp(AppBench.session("antoine"), credential, saved: changes))
        }
    }

    /// The refusals of the API, and a response that is not from the API.
    static let refusals = [
        RefusalCase.nameTaken, RefusalCase.nameEmpty, RefusalCase.nameTooLong, RefusalCase.nameControlCharacter,
        RefusalCase.passwordTooShort, RefusalCase.passwordTooLong, RefusalCase.passwordCommon,
        RefusalCase.passwordIsName, RefusalCase.throttled, RefusalCase.busy, RefusalCase.unavailable,
        RefusalCase.wrongNameOrPassword, RefusalCase.notSignedIn, RefusalCase.crossSite, RefusalCase.notFound,
    ]

    @Test("Each refusal is the outcome, and nothing is saved", arguments: refusals)
    func refused(refusal: APIRefusal) async throws {
        let bench = AppBench()
        try await bench.run({ _ in refusal.response }) { app in
            let found = await app.signUp(account: "antoine", password: .generated)
            #expect(found == .refused(refusal))
        }
        #expect(bench.diary.lines.count == 2)
    }
}
