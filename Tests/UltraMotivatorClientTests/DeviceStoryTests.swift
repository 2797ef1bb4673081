import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import SharedWebCredentials
import Testing

@testable import UltraMotivatorClient

/// The tutorial on a single machine: the demo, the simulated device, and the app without its screens.
@Suite("The app on the simulated device") struct DeviceStoryTests {
    /// A user who never answers.
    private struct Nobody: User {
        func credential(after attempts: [LogInAttempt]) async -> Credential? { nil }
    }

    private struct Story: Sendable {
        let server: LoopbackServer
        let device: SimulatedDevice
        let keychain = MemoryKeychain()
        let app: MotivatorApp

        init(_ server: LoopbackServer, _ policy: PromptPolicy) async throws {
            self.server = server
            var state = DeviceState(.current)
            state.prompts = policy
            device = try SimulatedDevice(
                state: state,
                network: HTTPSAssociationSource(
                    .current, options: try server.options, trust: [server.root], assumesPublic: true))
            let identifier = try AppIdentifier(DemoServer.app)
            try await device.install(
                app: identifier, entries: ["webcredentials:\(DemoServer.host):\(server.port)"])
            app = MotivatorApp(
                domain: "\(DemoServer.host):\(server.port)", api: try server.client(), keychain: keychain,
                shared: device.credentials(of: identifier), user: Nobody())
        }

        /// Returns the passwords on the device.
        func shared() async -> [String] { await device.state.credentials.map(\.password) }
    }

    @Test("An account from the web signs in to the app, changes its password there, and is deleted everywhere")
    func whole() async throws {
        try await DemoServer.run { server in
            let story = try await Story(server, PromptPolicy(.yes))
            // On the web, the user creates an account, and the browser saves its password.
            _ = try await server.client().signUp(Credential(account: "antoine", password: "four small red foxes"))
            let page = try WebURL("https://\(DemoServer.host):\(server.port)/signup")
            let isSaved = await story.device.saveInBrowser(
                page, account: "antoine", password: "four small red foxes")
            #expect(isSaved)

            let launched = await story.app.launchAndLogIn()
            guard case .loggedIn(let first, .sharedWebCredentials, let after, AppBench.saved) = launched else {
                Issue.record("\(launched)")
                return
            }
            #expect(after == [LogInAttempt(.keychain, .nothingThere)])
            let kept = Credential(account: "antoine", password: "four small red foxes")
            #expect(try await story.keychain.credential(for: story.app.domain) == kept)

            // The app changes the password. After that, the site accepts only the new password.
            let updated = await story.app.update(account: first.account, current: kept.password, new: .generated)
            guard case .updated(let second, let new, AppBench.saved) = updated else {
                Issue.record("\(updated)")
                return
            }
            #expect(await story.shared() == [new.password])
            await #expect(throws: APIFailure.self) { try await server.client().signIn(kept) }
            _ = try await server.client().signIn(new)

            // Signing out keeps the shared password, so the next launch requires no typing.
            #expect(await story.app.signOut(second) == .signedOut(StoreChanges(keychain: nil, shared: .untouched)))
            #expect(try await story.keychain.credential(for: story.app.domain) == nil)
            #expect(await story.shared() == [new.password])
            let again = await story.app.launchAndLogIn()
            guard case .loggedIn(let third, .sharedWebCredentials, _, AppBench.saved) = again else {
                Issue.record("\(again)")
                return
            }

            #expect(await story.app.deleteAccount(third, password: new.password) == .deleted(AppBench.saved))
            #expect(await story.shared().isEmpty)
            #expect(try await story.keychain.credential(for: story.app.domain) == nil)
            let gone = await story.app.launchAndLogIn()
            guard case .notLoggedIn(let attempts) = gone else {
                Issue.record("\(gone)")
                return
            }
            let troubles = attempts.map(\.trouble)
            #expect(troubles == [.nothingThere, .nothingThere, .declined])
        }
    }

    @Test("An app that signed up shares its password only when the person agrees, and the outcome is the same")
    func declined() async throws {
        for (rule, count) in [(PromptPolicy.Rule.yes, 1), (.no, 0)] {
            try await DemoServer.run { server in
                let story = try await Story(server, PromptPolicy(rule))
                let outcome = await story.app.signUp(account: "antoine", password: .generated)
                guard case .signedUp(_, let credential, AppBench.saved) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(credential.password.utf8.count == PasswordGenerator.length)
                #expect(await story.shared().count == count)
                #expect(try await story.keychain.credential(for: story.app.domain) == credential)
            }
        }
    }

    @Test("When the person cancels the change of the shared password, the old one is tried and refused at a launch")
    func cancelledChange() async throws {
        try await DemoServer.run { server in
            let story = try await Story(server, PromptPolicy(.yes, rules: [.update: .no]))
            let old = Credential(account: "antoine", password: "four small red foxes")
            let typed = NewPassword.typed(old.password, confirmation: old.password)
            guard case .signedUp = await story.app.signUp(account: old.account, password: typed) else {
                Issue.record("the sign-up failed")
                return
            }
            let updated = await story.app.update(account: old.account, current: old.password, new: .generated)
            guard case .updated(let session, _, AppBench.saved) = updated else {
                Issue.record("\(updated)")
                return
            }
            #expect(await story.shared() == [old.password])
            _ = await story.app.signOut(session)
            guard case .notLoggedIn(let attempts) = await story.app.launchAndLogIn() else {
                Issue.record("the login with an old password succeeded")
                return
            }
            guard case .notAccepted(.refused(let refusal)) = attempts[1].trouble else {
                Issue.record("\(attempts)")
                return
            }
            #expect(refusal.code == "wrong_name_or_password")
        }
    }
}
