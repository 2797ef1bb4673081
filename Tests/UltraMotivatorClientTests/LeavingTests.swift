import HTTPTypes
import MotivatorPlatform
import SharedWebCredentials
import Testing

@testable import UltraMotivatorClient

@Suite("Signing out, and deleting the account") struct LeavingTests {
    static let kept = Credential(account: "antoine", password: "the-secret")
    static let session = AppBench.session("antoine")
    static let forgotten = StoreChanges(keychain: nil, shared: .untouched)

    static let signOuts: [(answer: APIRefusal?, outcome: @Sendable (APIRefusal?) -> FlowResult)] = [
        (nil, { _ in .signedOut(forgotten) }),
        (RefusalCase.notSignedIn, { _ in .sessionWasOver(forgotten) }),
        (RefusalCase.unavailable, { .onlyHere(.refused($0 ?? RefusalCase.notFound), forgotten) }),
        (RefusalCase.notFound, { .onlyHere(.refused($0 ?? RefusalCase.unavailable), forgotten) }),
    ]

    @Test("Signing out forgets the keychain's credential and keeps the shared ones", arguments: signOuts.indices)
    func signOut(index: Int) async throws {
        let (answer, outcome) = Self.signOuts[index]
        let bench = AppBench(Self.kept)
        try await bench.run({ _ in answer?.response ?? .json(.ok, "{}") }) { app in
            #expect(await app.signOut(Self.session) == outcome(answer))
        }
        #expect(bench.diary.lines == ["POST /api/signout", "keychain: remove app.test antoine"])
        #expect(try await bench.keychain.kept.credential(for: "app.test") == nil)
    }

    @Test("Signing out reports a credential that is still in the keychain")
    func signOutKeychainFails() async throws {
        var bench = AppBench(Self.kept)
        bench.keychain.failsToChange = true
        try await bench.run({ _ in .json(.ok, "{}") }) { app in
            let changes = StoreChanges(keychain: ScriptedKeychain.locked, shared: .untouched)
            #expect(await app.signOut(Self.session) == .signedOut(changes))
        }
    }

    @Test("Signing out of one account leaves another one in the keychain")
    func signOutOfAnother() async throws {
        let bench = AppBench(Credential(account: "ray", password: "other-secret"))
        try await bench.run({ _ in .json(.ok, "{}") }) { app in
            #expect(await app.signOut(Self.session) == .signedOut(Self.forgotten))
        }
        #expect(try await bench.keychain.kept.credential(for: "app.test")?.account == "ray")
    }

    @Test("Deleting asks the server first, then removes the account from both stores")
    func deletion() async throws {
        let bench = AppBench(Self.kept)
        let token = Guarded<String?>(nil)
        try await bench.run({ call in
            token.withLock { $0 = call.fields["authorization"] }
            return .json(.ok, "{}")
        }) { app in
            #expect(await app.deleteAccount(Self.session, password: "the-secret") == .deleted(AppBench.saved))
        }
        #expect(
            bench.diary.lines == [
                "DELETE /api/account the-secret", "keychain: remove app.test antoine",
                "shared: remove app.test antoine",
            ])
        #expect(token.withLock { $0 } == "Bearer \(ScriptedServer.token)")
        #expect(try await bench.keychain.kept.credential(for: "app.test") == nil)
    }

    @Test("Failures of the stores are reported")
    func deletionStoresRefuse() async throws {
        var bench = AppBench(Self.kept)
        bench.keychain.failsToChange = true
        bench.shared.error = .autoFillOff
        try await bench.run({ _ in .json(.ok, "{}") }) { app in
            let changes = StoreChanges(keychain: ScriptedKeychain.locked, shared: .failed(.autoFillOff))
            #expect(await app.deleteAccount(Self.session, password: "the-secret") == .deleted(changes))
        }
    }

    static let refusals = [
        RefusalCase.wrongNameOrPassword, RefusalCase.notSignedIn, RefusalCase.throttled, RefusalCase.busy,
        RefusalCase.unavailable, RefusalCase.passwordTooLong, RefusalCase.notFound,
    ]

    @Test("An account that the server keeps stays in both stores", arguments: refusals)
    func deletionRefused(refusal: APIRefusal) async throws {
        let bench = AppBench(Self.kept)
        try await bench.run({ _ in refusal.response }) { app in
            let found = await app.deleteAccount(Self.session, password: "the-secret")
            #expect(found == .refused(refusal))
        }
        #expect(bench.diary.lines == ["DELETE /api/account the-secret"])
        #expect(try await bench.keychain.kept.credential(for: "app.test") == Self.kept)
    }
}
