import HTTPTypes
import MotivatorPlatform
import SharedWebCredentials
import Testing

@testable import UltraMotivatorClient

@Suite("Launching and logging in: keychain, shared web credentials, person") struct LogInTests {
    static let right = Credential(account: "ray", password: "right-secret")
    static let stale = Credential(account: "ray", password: "stale-secret")

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var keychain: Credential?
        var keychainFailsToRead = false
        var keychainFailsToChange = false
        var picks: Result<[SharedCredential], SharedCredentialError> = .failure(notFound)
        var addError: SharedCredentialError?
        var user: Credential?
        /// The source of the session, or nil without a session.
        let from: CredentialSource?
        var after: [LogInAttempt] = []
        var saved = AppBench.saved
        let diary: [String]

        var testDescription: String { name }
    }

    static let notFound = SharedCredentialError.notFound(domains: ["app.test"], account: nil)
    static let related = SharedCredentialError.notFound(
        domains: ["app.test"], account: nil, related: ["www.app.test"])
    static let off = SharedCredentialError.autoFillOff

    static func item(_ credential: Credential, server: String = "app.test", port: UInt16? = nil) -> SharedCredential {
        SharedCredential(server: server, account: credential.account, password: credential.password, port: port)
    }

    static let (read, request) = ("keychain: read app.test", "shared: request app.test any")
    static let (sentStale, sentRight) = ("POST /api/signin ray stale-secret", "POST /api/signin ray right-secret")
    static let saves = ["keychain: save app.test ray right-secret", "shared: save app.test ray right-secret"]
    static let nothingKept = LogInAttempt(.keychain, .nothingThere)
    static let nothingShared = LogInAttempt(.sharedWebCredentials, .nothingThere)

    // Specification: shared-credentials.md, "The app's flows", launch and login.
    static let cases = [
        Case(
            name: "what the keychain has is enough", keychain: right, picks: .success([item(stale)]), user: stale,
            from: .keychain, diary: [read, sentRight] + saves),
        Case(
            name: "the keychain is empty, the picker is used", picks: .success([item(right)]), user: stale,
            from: .sharedWebCredentials, after: [nothingKept], diary: [read, request, sentRight] + saves),
        Case(
            name: "both are empty, the person types", user: right, from: .user,
            after: [nothingKept, nothingShared],
            diary: [read, request, "user: asked after 2", sentRight] + saves),
        Case(
            name: "the keychain's is stale", keychain: stale, picks: .success([item(right)]),
            from: .sharedWebCredentials, after: [LogInAttempt(.keychain, .notAccepted(wrong))],
            diary: [read, sentStale, request, sentRight] + saves),
        Case(
            name: "the keychain cannot be read", keychain: right, keychainFailsToRead: true,
            picks: .success([item(right)]), from: .sharedWebCredentials,
            after: [LogInAttempt(.keychain, .keychain(ScriptedKeychain.locked))],
            diary: [read, request, sentRight] + saves),
        Case(
            name: "the picker is cancelled", picks: .failure(.canceled), user: right, from: .user,
            after: [nothingKept, LogInAttempt(.sharedWebCredentials, .declined)],
            diary: [read, request, "user: asked after 2", sentRight] + saves),
        Case(
            name: "only a related host has an item", picks: .failure(related), user: right, from: .user,
            after: [nothingKept, LogInAttempt(.sharedWebCredentials, .shared(related))],
            diary: [read, request, "user: asked after 2", sentRight] + saves),
        Case(
            name: "the function fails", picks: .failure(off), user: right, from: .user,
            after: [nothingKept, LogInAttempt(.sharedWebCredentials, .shared(off))],
            diary: [read, request, "user: asked after 2", sentRight] + saves),
        Case(
            name: "the shared one is stale", picks: .success([item(stale)]), user: right, from: .user,
            after: [nothingKept, LogInAttempt(.sharedWebCredentials, .notAccepted(wrong))],
            diary: [read, request, sentStale, "user: asked after 2", sentRight] + saves),
        Case(
            name: "a wrong one is not sent twice", keychain: stale, picks: .success([item(stale)]), user: right,
            from: .user,
            after: [
                LogInAttempt(.keychain, .notAccepted(wrong)), LogInAttempt(.sharedWebCredentials, .knownToBeWrong),
            ], diary: [read, sentStale, request, "user: asked after 2", sentRight] + saves),
        Case(
            name: "the person types the wrong one again", keychain: stale, user: stale, from: nil,
            after: [
                LogInAttempt(.keychain, .notAccepted(wrong)), nothingShared, LogInAttempt(.user, .knownToBeWrong),
            ], diary: [read, sentStale, request, "user: asked after 2"]),
        Case(
            name: "the same password of another account is another one",
            keychain: Credential(account: "vicki", password: "right-secret"), user: right, from: .user,
            after: [LogInAttempt(.keychain, .notAccepted(wrong)), nothingShared],
            diary: [read, "POST /api/signin vicki right-secret", request, "user: asked after 2", sentRight] + saves),
        Case(
            name: "an item of a subdomain is not sent", picks: .success([item(right, server: "www.app.test")]),
            from: nil,
            after: [
                nothingKept, LogInAttempt(.sharedWebCredentials, .foreign(server: "www.app.test")),
                LogInAttempt(.user, .declined),
            ], diary: [read, request, "user: asked after 2"]),
        Case(
            name: "an item of another port is not sent", picks: .success([item(right, port: 1)]), from: nil,
            after: [
                nothingKept, LogInAttempt(.sharedWebCredentials, .foreign(server: "app.test")),
                LogInAttempt(.user, .declined),
            ], diary: [read, request, "user: asked after 2"]),
        Case(
            name: "an item in upper case is sent", picks: .success([item(right, server: "APP.test")]),
            from: .sharedWebCredentials, after: [nothingKept], diary: [read, request, sentRight] + saves),
        Case(
            name: "the person declines", from: nil,
            after: [nothingKept, nothingShared, LogInAttempt(.user, .declined)],
            diary: [read, request, "user: asked after 2"]),
        Case(
            name: "the person mistypes", user: stale, from: nil,
            after: [nothingKept, nothingShared, LogInAttempt(.user, .notAccepted(wrong))],
            diary: [read, request, "user: asked after 2", sentStale]),
        Case(
            name: "nothing is accepted anywhere", keychain: stale,
            picks: .success([item(Credential(account: "ray", password: "old-secret"))]),
            user: Credential(account: "ray", password: "typed-secret"), from: nil,
            after: [.keychain, .sharedWebCredentials, .user].map { LogInAttempt($0, .notAccepted(wrong)) },
            diary: [
                read, sentStale, request, "POST /api/signin ray old-secret", "user: asked after 2",
                "POST /api/signin ray typed-secret",
            ]),
        Case(
            name: "the keychain cannot be changed, the shared ones are", keychain: right, keychainFailsToChange: true,
            from: .keychain,
            saved: StoreChanges(keychain: ScriptedKeychain.locked, shared: .noErrorReported),
            diary: [read, sentRight] + saves),
        Case(
            name: "the shared ones refuse", keychain: right, addError: off, from: .keychain,
            saved: StoreChanges(keychain: nil, shared: .failed(off)), diary: [read, sentRight] + saves),
    ]

    @Test("The sources are tried in order, and an accepted credential is saved to both stores", arguments: cases)
    func order(_ each: Case) async throws {
        var bench = AppBench(each.keychain)
        bench.keychain.failsToRead = each.keychainFailsToRead
        bench.keychain.failsToChange = each.keychainFailsToChange
        bench.shared.picks = each.picks
        bench.shared.error = each.addError
        bench.user.typed = each.user
        try await bench.run(ScriptedServer.knowing("ray", "right-secret")) { app in
            let outcome = await app.launchAndLogIn()
            let expected: FlowResult =
                each.from.map { .loggedIn(AppBench.session("ray"), from: $0, after: each.after, saved: each.saved) }
                ?? .notLoggedIn(each.after)
            #expect(outcome == expected)
        }
        #expect(bench.diary.lines == each.diary)
    }

    @Test("Each source sends its own request to a server that does not respond")
    func unavailable() async throws {
        var bench = AppBench(Self.right)
        bench.shared.picks = .success([Self.item(Self.right)])
        bench.user.typed = Self.right
        let busy = APIFailure.refused(APIRefusal(status: 503, code: "busy", sentence: "No."))
        try await bench.run({ _ in .failure(.serviceUnavailable, "busy") }) { app in
            let outcome = await app.launchAndLogIn()
            let attempts = CredentialSource.allCases.map { LogInAttempt($0, .notAccepted(busy)) }
            #expect(outcome == .notLoggedIn(attempts))
        }
        #expect(bench.diary.lines.filter { $0 == Self.sentRight }.count == 3)
    }

    @Test("The stores keep the name that was used, not the spelling of the server")
    func spelling() async throws {
        let bench = AppBench(Credential(account: "RAY", password: "right-secret"))
        try await bench.run({ _ in .json(.ok, ScriptedServer.session("Ray")) }) { app in
            let outcome = await app.launchAndLogIn()
            let session = APISession(account: "RAY", name: "Ray", token: ScriptedServer.token)
            #expect(outcome == .loggedIn(session, from: .keychain, after: [], saved: AppBench.saved))
        }
        #expect(
            bench.diary.lines.suffix(2) == [
                "keychain: save app.test RAY right-secret", "shared: save app.test RAY right-secret",
            ])
    }
}
