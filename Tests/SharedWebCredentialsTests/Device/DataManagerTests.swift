import AssociatedDomains
import Testing

@testable import SharedWebCredentials

@Suite("ASCredentialDataManager on the simulated device")
struct DataManagerTests {
    struct Case: Sendable, CustomStringConvertible {
        let name: String
        var entries = ["webcredentials:\(Bench.host)"]
        var site = SiteResponse.good
        var autoFill = true
        var never: [String] = []
        var saved: [SharedCredential] = []
        var domain = Bench.host
        var answer = Prompt.Answer.yes
        var prompts: [Prompt.Kind] = []
        /// Apple's error number, or nil for success.
        var code: Int32?
        /// The saved passwords after the call, or nil if they do not change.
        var after: [SharedCredential]?

        var description: String { name }
    }

    private static let ray = SharedCredential.demo("ray")
    private static let old = SharedCredential.demo("ray", "old")

    static let rows: [Case] = [
        .init(name: "a new password", prompts: [.save], after: [ray]),
        .init(name: "another password", saved: [old], prompts: [.update], after: [ray]),
        .init(name: "the same password", saved: [ray]),
        .init(name: "declined", answer: .no, prompts: [.save], code: 1001),
        .init(name: "declined forever", answer: .never, prompts: [.save], code: 1001),
        .init(name: "a declined update", saved: [old], answer: .no, prompts: [.update], code: 1001),
        .init(name: "a domain without an entry", domain: "other.test", code: 1004),
        .init(name: "a domain of another service", entries: ["applinks:\(Bench.host)"], code: 1004),
        .init(name: "a subdomain", domain: "www.\(Bench.host)", code: 1004),
        .init(name: "an empty domain", domain: "", code: 1004),
        .init(name: "the site denies", site: .missing, code: 1004),
        .init(name: "AutoFill off", autoFill: false, code: 1004),
        .init(name: "never for this host", never: [Bench.host], code: 1004),
    ]

    @Test("Each call has its error, prompts and effect", arguments: rows)
    func row(_ test: Case) async throws {
        let bench = try await Bench(
            entries: test.entries, answers: [Bench.host: [test.site]], answer: test.answer
        ) { state in
            state.autoFill = test.autoFill
            state.neverSaved = test.never
            state.credentials = test.saved
        }
        let error = await bench.device.saveWithDataManager(
            bench.app, domain: test.domain, account: "ray", password: "secret")
        #expect(error?.code == test.code)
        #expect(bench.prompter.asked.map(\.kind) == test.prompts)
        #expect(await bench.device.state.credentials.map(\.whole) == (test.after ?? test.saved).map(\.whole))
    }

    @Test("Each error has Apple's number and name, and states the reason")
    func errors() {
        let failed = DataManagerError.failed(.neverSaved(domain: "a.test"))
        #expect(failed.problem.hasSuffix("password for \"a.test\" (ASAuthorizationError.failed 1004)"))
        #expect(failed.fix == SharedCredentialError.neverSaved(domain: "a.test").fix)
        #expect(DataManagerError.canceled.problem.hasSuffix("(ASAuthorizationError.canceled 1001)"))
    }
}
