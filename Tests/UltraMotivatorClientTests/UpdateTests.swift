import MotivatorPlatform
import SharedWebCredentials
import Testing

@testable import UltraMotivatorClient

@Suite("Changing the password") struct UpdateTests {
    static let new = NewPassword.typed("new-secret", confirmation: "new-secret")

    @Test("The server comes first, then the keychain, then the shared web credentials", arguments: [true, false])
    func order(isGenerated: Bool) async throws {
        let bench = AppBench()
        let password = isGenerated ? ScriptedShared.generated : "new-secret"
        try await bench.run(ScriptedServer.knowing("antoine", "old-secret")) { app in
            let outcome = await app.update(
                account: "antoine", current: "old-secret", new: isGenerated ? .generated : Self.new)
            let credential = Credential(account: "antoine", password: password)
            #expect(outcome == .updated(AppBench.session("antoine"), credential, saved: AppBench.saved))
        }
        let lines = [
            "POST /api/update antoine old-secret \(password)", "keychain: save app.test antoine \(password)",
            "shared: save app.test antoine \(password)",
        ]
        #expect(bench.diary.lines == (isGenerated ? ["shared: create"] : []) + lines)
    }

    static let forms: [(new: NewPassword, fault: ExplainedFailure)] = [
        (.typed("1234", confirmation: "1234"), .passwordTooShort),
        (.typed("12345", confirmation: "12346"), .confirmationDiffers),
    ]

    @Test("A form that violates the app's own rules is refused, and nothing is sent", arguments: forms.indices)
    func form(index: Int) async throws {
        let bench = AppBench()
        try await bench.run(ScriptedServer.knowing("antoine", "old-secret")) { app in
            let outcome = await app.update(account: "antoine", current: "old-secret", new: Self.forms[index].new)
            #expect(outcome == .unacceptable(Self.forms[index].fault))
        }
        #expect(bench.diary.lines.isEmpty)
    }

    @Test("The shared web credentials may refuse the change, which the server and the keychain have made")
    func sharedRefuse() async throws {
        var bench = AppBench(Credential(account: "antoine", password: "old-secret"))
        bench.shared.error = .neverSaved(domain: "app.test")
        try await bench.run(ScriptedServer.knowing("antoine", "old-secret")) { app in
            let outcome = await app.update(account: "antoine", current: "old-secret", new: Self.new)
            let changes = StoreChanges(keychain: nil, shared: .failed(.neverSaved(domain: "app.test")))
            let credential = Credential(account: "antoine", password: "new-secret")
            #expect(outcome == .updated(AppBench.session("antoine"), credential, saved: changes))
        }
        #expect(try await bench.keychain.kept.credential(for: "app.test")?.password == "new-secret")
    }

    static let refusals = [
        RefusalCase.wrongNameOrPassword, RefusalCase.passwordTooShort, RefusalCase.passwordTooLong,
        RefusalCase.passwordCommon, RefusalCase.passwordIsName, RefusalCase.throttled, RefusalCase.busy,
        RefusalCase.unavailable, RefusalCase.nameEmpty, RefusalCase.notSignedIn, RefusalCase.notFound,
    ]

    @Test("Each refusal is the outcome, and the stores stay as they are", arguments: refusals)
    func refused(refusal: APIRefusal) async throws {
        let bench = AppBench()
        try await bench.run({ _ in refusal.response }) { app in
            let found = await app.update(account: "antoine", current: "old-secret", new: Self.new)
            #expect(found == .refused(refusal))
        }
        #expect(bench.diary.lines == ["POST /api/update antoine old-secret new-secret"])
    }
}
