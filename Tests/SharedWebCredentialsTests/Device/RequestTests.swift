import AssociatedDomains
import MotivatorPlatform
import Testing

@testable import SharedWebCredentials

@Suite("SecRequestSharedWebCredential on the simulated device")
struct RequestTests {
    struct Case: Sendable, CustomStringConvertible {
        let name: String
        let source: String
        var system = DeviceSystem.current
        var entries = ["webcredentials:\(Bench.host)"]
        var answers: [String: [SiteResponse]] = [:]
        var autoFill = true
        var saved: [SharedCredential] = [.demo("ray")]
        var isIdentified = true
        var domain: String? = Bench.host
        var account: String?
        var allDomains = false
        var answer = Prompt.Answer.yes
        /// Apple's error number, or 0 for success.
        var code: Int32 = 0
        /// A part of the error's message.
        var words = ""
        /// The accounts that the picker shows, or nil for no picker.
        var picker: [String]?
        var result: [SharedCredential] = []

        var description: String { "\(name) (\(source))" }
    }

    static let two = ["webcredentials:\(Bench.host)", "webcredentials:second.test"]
    static let onTwo: [SharedCredential] = [.demo("vicki", server: "second.test"), .demo("ray")]

    static let rows: [Case] = [
        .init(name: "empty domain", source: "−50", domain: "", code: -50),
        .init(name: "empty account", source: "−50", account: "", code: -50),
        .init(
            name: "no domain at all", source: "−50", entries: [], domain: nil, code: -50,
            words: "no domain provided"),
        .init(
            name: "no domain, only links", source: "−50", entries: ["applinks:\(Bench.host)"], domain: nil, code: -50),
        .init(name: "AutoFill off", source: "−909", autoFill: false, code: -909),
        .init(name: "no identifier", source: "−34018", isIdentified: false, code: -34018),
        .init(
            name: "another host", source: "−34018", domain: "other.test", code: -34018,
            words: "not found in com.apple.developer.associated-domains entitlement"),
        .init(name: "a subdomain", source: "−34018", domain: "www.\(Bench.host)", code: -34018),
        .init(name: "another port", source: "−34018", domain: "\(Bench.host):8443", code: -34018),
        .init(name: "site denies", source: "−25293", answers: [Bench.host: [.missing]], code: -25293),
        .init(name: "site does not answer", source: "−25293", answers: [Bench.host: [.unavailable]], code: -25293),
        .init(name: "nothing saved", source: "−25300", saved: [], code: -25300),
        .init(name: "another account", source: "−25300", account: "vicki", code: -25300),
        .init(
            name: "items of a subdomain", source: "not returned", saved: [.demo("ray", server: "www.\(Bench.host)")],
            code: -25300),
        .init(name: "an item of another port", source: "−25300", saved: [.demo("ray", port: 8443)], code: -25300),
        .init(name: "one match", source: "picker", picker: ["ray"], result: [.demo("ray")]),
        .init(
            name: "one match of two accounts", source: "picker", saved: [.demo("vicki"), .demo("ray")], account: "ray",
            picker: ["ray"], result: [.demo("ray")]),
        .init(
            name: "the second of two", source: "picker", saved: [.demo("ray"), .demo("vicki")], answer: .choice(1),
            picker: ["ray", "vicki"], result: [.demo("vicki")]),
        .init(name: "cancelled", source: "−25300", answer: .no, code: -25300, picker: ["ray"]),
        .init(name: "never is cancelled", source: "−25300", answer: .never, code: -25300, picker: ["ray"]),
        .init(
            name: "a line that is not there", source: "−25300", answer: .choice(1), code: -25300, picker: ["ray"]),
        .init(
            name: "a line before the first", source: "−25300", answer: .choice(-1), code: -25300, picker: ["ray"]),
        .init(
            name: "the entry's port", source: "port when not 443", entries: ["webcredentials:\(Bench.host):8443"],
            saved: [.demo("ray", port: 8443), .demo("vicki")], picker: ["ray"], result: [.demo("ray", port: 8443)]),
        .init(
            name: "no domain, iOS 8", source: "every entry", system: .iOS8, entries: two,
            answers: ["second.test": [.good]], saved: onTwo, domain: nil, picker: ["ray", "vicki"],
            result: [.demo("ray")]),
        .init(
            name: "no domain, iOS 9", source: "every entry", system: .iOS9, entries: two,
            answers: ["second.test": [.good]], saved: onTwo, domain: nil, picker: ["ray", "vicki"],
            result: [.demo("ray")]),
        .init(
            name: "no domain, current, all domains", source: "every entry", entries: two,
            answers: ["second.test": [.good]], saved: onTwo, domain: nil, allDomains: true, picker: ["ray", "vicki"],
            result: [.demo("ray")]),
        .init(
            name: "a domain and all domains", source: "only the domain", entries: two,
            answers: ["second.test": [.good]], saved: onTwo, allDomains: true, picker: ["ray"],
            result: [.demo("ray")]),
        .init(
            name: "no domain, current", source: "the first entry", entries: two, answers: ["second.test": [.good]],
            saved: onTwo, domain: nil, picker: ["ray"], result: [.demo("ray")]),
        .init(
            name: "no domain, current, the first has nothing", source: "the first entry", entries: two,
            answers: ["second.test": [.good]], saved: [.demo("vicki", server: "second.test")], domain: nil, code: -25300
        ),
        .init(
            name: "no domain, iOS 8, one of two approved", source: "every entry", system: .iOS8, entries: two,
            answers: ["second.test": [.missing]], saved: onTwo, domain: nil, picker: ["ray"], result: [.demo("ray")]),
        .init(
            name: "no domain, iOS 8, neither approved", source: "−25300", system: .iOS8, entries: two,
            answers: [Bench.host: [.missing], "second.test": [.missing]], saved: onTwo, domain: nil, code: -25300),
        .init(
            name: "no domain, iOS 9, neither approved", source: "−25300", system: .iOS9, entries: two,
            answers: [Bench.host: [.missing], "second.test": [.missing]], saved: onTwo, domain: nil, code: -25300),
        .init(
            name: "no domain, iOS 8, only one entry, not approved", source: "−25293", system: .iOS8,
            answers: [Bench.host: [.missing]], domain: nil, code: -25293),
        .init(
            name: "one domain of two, iOS 8, neither approved", source: "−25293", system: .iOS8, entries: two,
            answers: [Bench.host: [.missing], "second.test": [.missing]], saved: onTwo, code: -25293),
        .init(
            name: "no domain, current, neither approved", source: "−25293", entries: two,
            answers: [Bench.host: [.missing], "second.test": [.missing]], saved: onTwo, domain: nil, code: -25293),
        .init(
            name: "a wildcard", source: "its bare host", entries: ["webcredentials:*.\(Bench.host)"], domain: nil,
            picker: ["ray"], result: [.demo("ray")]),
        .init(
            name: "capital letters", source: "case-insensitive", domain: "ULTRA-motivator.test", picker: ["ray"],
            result: [.demo("ray")]),
    ]

    static let orders: [Case] = [
        .init(name: "empty domain, AutoFill off", source: "−50 before −909", autoFill: false, domain: "", code: -50),
        .init(name: "empty account, AutoFill off", source: "−50 before −909", autoFill: false, account: "", code: -50),
        .init(
            name: "no domain at all, AutoFill off", source: "−50 before −909", entries: [], autoFill: false,
            domain: nil,
            code: -50),
        .init(
            name: "empty account, another host", source: "−50 before −34018", domain: "other.test", account: "",
            code: -50),
        .init(
            name: "no domain at all, no identifier", source: "−50 before −34018", isIdentified: false, domain: nil,
            code: -50),
        .init(
            name: "AutoFill off, another host", source: "−909 before −34018", autoFill: false, domain: "other.test",
            code: -909),
        .init(
            name: "AutoFill off, no identifier", source: "−909 before −34018", autoFill: false, isIdentified: false,
            code: -909),
        .init(
            name: "AutoFill off, site denies", source: "−909 before −25293", answers: [Bench.host: [.missing]],
            autoFill: false, code: -909),
        .init(
            name: "another host, site denies", source: "−34018 before −25293", answers: [Bench.host: [.missing]],
            domain: "other.test", code: -34018),
        .init(
            name: "another host, nothing saved", source: "−34018 before −25300", saved: [], domain: "other.test",
            code: -34018),
        .init(
            name: "site denies, nothing saved", source: "−25293 before −25300", answers: [Bench.host: [.missing]],
            saved: [], code: -25293),
        .init(
            name: "nothing found, who would cancel", source: "−25300 before the picker", saved: [], answer: .no,
            code: -25300),
    ]

    @Test("Each rule has its result", arguments: rows)
    func row(_ test: Case) async throws { try await check(test) }

    @Test("Of two rules that apply the first decides", arguments: orders)
    func order(_ test: Case) async throws { try await check(test) }

    private func check(_ test: Case) async throws {
        let bench = try await Bench(
            test.system, entries: test.entries, answers: test.answers, answer: test.answer
        ) { state in
            state.autoFill = test.autoFill
            state.credentials = test.saved
        }
        let functions = bench.device.credentials(
            of: test.isIdentified ? bench.app : nil, searchesAllDomains: test.allDomains)
        switch await functions.request(domain: test.domain, account: test.account) {
        case .success(let found):
            #expect(test.code == 0, "\(test)")
            #expect(found.map(\.whole) == test.result.map(\.whole), "\(test)")
        case .failure(let error):
            #expect(error.code == test.code, "\(test): \(error)")
            #expect(test.words.isEmpty || error.problem.contains(test.words), "\(test): \(error.problem)")
        }
        #expect(bench.prompter.asked.map { $0.choices.map(\.account) } == (test.picker.map { [$0] } ?? []), "\(test)")
        #expect(bench.prompter.asked.allSatisfy { $0.kind == .pick }, "\(test)")
        #expect(await bench.device.state.credentials == test.saved, "\(test)")
    }

    @Test(
        "Errors speak in the words of Apple's functions",
        arguments: [
            (SharedCredentialError.noDomain, "no domain provided"),
            (.notInEntitlement(domain: "a.test", app: demoApp), "not found in"),
            (.notInEntitlement(domain: "a.test", app: demoApp), "entitlement"),
            (.notApproved(domain: "a.test", app: demoApp, reason: nil), "failed to approve"),
            (.notFound(domains: ["a.test"], account: nil), "no matching items found"),
            (.noneApproved(domains: ["a.test"], app: demoApp), "no matching items found"),
            (.canceled, "no matching items found"),
        ])
    func words(_ error: SharedCredentialError, _ words: String) { #expect(error.problem.contains(words)) }

    @Test(
        "Each error has Apple's number and name, and a message with its values",
        arguments: [
            (SharedCredentialError.noDomain, -50, "errSecParam", ""),
            (.noAccount, -50, "errSecParam", ""), (.noPassword, -50, "errSecParam", ""),
            (.autoFillOff, -909, "errSecBadReq", ""),
            (.noIdentifier(domain: "a.test"), -34018, "errSecMissingEntitlement", "a.test"),
            (.notInEntitlement(domain: "a.test", app: demoApp), -34018, "errSecMissingEntitlement", "\(demoApp)"),
            (.notApproved(domain: "a.test", app: demoApp, reason: "gone"), -25293, "errSecAuthFailed", "gone"),
            (.neverSaved(domain: "a.test"), -25299, "errSecDuplicateItem", "a.test"),
            (.notFound(domains: ["a.test"], account: "ray"), -25300, "errSecItemNotFound", "\"ray\" at \"a.test\""),
            (.noneApproved(domains: ["a.test"], app: demoApp), -25300, "errSecItemNotFound", "\(demoApp): \"a.test\""),
            (.canceled, -25300, "errSecItemNotFound", "the user canceled the picker"),
            (.other(code: 1004, text: "failed"), 1004, "ASAuthorizationError", "failed"),
            (.other(code: -128, text: "no user interaction"), -128, "OSStatus", "no user interaction"),
        ])
    func codes(_ error: SharedCredentialError, _ code: Int32, _ name: String, _ value: String) {
        #expect(error.code == code)
        #expect(error.name == name)
        #expect(error.problem.hasSuffix("(\(name) \(code))"))
        #expect(value.isEmpty || error.problem.contains(value))
        #expect(!error.fix.isEmpty)
    }

    static let related: [(name: String, saved: [SharedCredential], account: String?, hosts: [String])] = [
        ("www. for the bare name", [.demo("ray", server: "www.\(Bench.host)")], nil, ["www.\(Bench.host)"]),
        ("another port", [.demo("ray", port: 8443)], nil, ["\(Bench.host):8443"]),
        (
            "both, each once",
            [.demo("ray", port: 8443), .demo("vicki", port: 8443), .demo("a", server: "www.\(Bench.host)")],
            nil, ["\(Bench.host):8443", "www.\(Bench.host)"]
        ),
        ("another account at the related host", [.demo("ray", port: 8443)], "vicki", []),
        ("another account at the same host", [.demo("ray")], "vicki", []),
        ("another subdomain", [.demo("ray", server: "shop.\(Bench.host)")], nil, []),
        ("another host", [.demo("ray", server: "other.test")], nil, []),
    ]

    @Test("If no item matches, the error names related hosts with an item", arguments: related)
    func relatedHosts(_ name: String, _ saved: [SharedCredential], _ account: String?, _ hosts: [String]) async throws {
        let bench = try await Bench { $0.credentials = saved }
        let error = SharedCredentialError.notFound(domains: [Bench.host], account: account, related: hosts)
        #expect(await bench.functions.request(domain: Bench.host, account: account) == .failure(error), "\(name)")
        #expect(hosts.allSatisfy { error.problem.contains("\"\($0)\"") })
    }

    @Test("A wildcard entry counts only as its bare host, as the error explains", arguments: DeviceSystem.allCases)
    func wildcard(_ system: DeviceSystem) async throws {
        let entry = "webcredentials:*.\(Bench.host)"
        let bench = try await Bench(system, entries: [entry])
        let error = await bench.functions.add(domain: "www.\(Bench.host)", account: "ray", password: "secret")
        #expect(error?.code == -34018)
        #expect(error?.message.hasSuffix(": the entry \(entry) counts only as \"\(Bench.host)\"") == true)
        let other = await bench.functions.add(domain: "other.test", account: "ray", password: "secret")
        #expect(other == .notInEntitlement(domain: "other.test", app: bench.app))
    }

    @Test("The bare name is related to www.")
    func relatedBareName() async throws {
        let bench = try await Bench(
            entries: ["webcredentials:www.\(Bench.host)"], answers: ["www.\(Bench.host)": [.good]]
        ) { $0.credentials = [.demo("ray")] }
        #expect(
            await bench.functions.request(domain: nil, account: nil)
                == .failure(.notFound(domains: ["www.\(Bench.host)"], account: nil, related: [Bench.host])))
    }

    @Test("The dictionary has srvr, acct and spwd, and port when it is not 443")
    func dictionary() {
        let plain = String(decoding: SharedCredential.demo("ray", port: 443).json.bytes(), as: UTF8.self)
        #expect(
            plain.filter { $0 != " " && $0 != "\n" } == #"{"srvr":"ultra-motivator.test","acct":"ray","spwd":"secret"}"#
        )
        let other = String(decoding: SharedCredential.demo("ray", port: 8443).json.bytes(), as: UTF8.self)
        #expect(other.contains(#""port": 8443"#))
    }

    @Test("A created password has Apple's form")
    func created() async throws {
        let password = try await Bench().functions.createPassword()
        #expect(PasswordGeneratorTests.isWellFormed(password))
    }
}

private let demoApp: AppIdentifier = {
    do { return try AppIdentifier("D3KQX62K1A.com.example.DemoApp") } catch { fatalError("\(error)") }
}()
