import Testing

@testable import SharedWebCredentials

@Suite("SecAddSharedWebCredential on the simulated device")
struct AddTests {
    @Test("Each row of the table has its result, prompts and effect", arguments: AddCase.rows)
    func row(_ test: AddCase) async throws { try await check(test) }

    @Test("Of two rows that apply the first decides", arguments: AddCase.orders)
    func order(_ test: AddCase) async throws { try await check(test) }

    @Test("The host is exactly that of an entry, and the port too", arguments: AddCase.sites)
    func site(_ test: AddCase) async throws { try await check(test) }

    private func check(_ test: AddCase) async throws {
        let bench = try await Bench(
            test.system, entries: test.entries, answers: [Bench.host: [test.site]], answer: test.answer
        ) { state in
            state.autoFill = test.autoFill
            state.neverSaved = test.never
            state.credentials = test.saved
        }
        let functions = test.isIdentified ? bench.functions : bench.device.credentials(of: nil)
        let error = await functions.add(domain: test.domain, account: test.account, password: test.password)
        #expect(error?.code ?? 0 == test.code, "\(test): \(error.map { "\($0)" } ?? "no error")")
        #expect(bench.prompter.asked.map(\.kind) == test.prompts, "\(test)")
        let saved = await bench.device.state.credentials
        #expect(saved.map(\.whole) == (test.after ?? test.saved).map(\.whole), "\(test)")
        let approval = await bench.device.state.records.first?.userApproval ?? .unspecified
        #expect(approval == test.approval, "\(test)")
        if let expected = test.siteApproval {
            #expect(await bench.device.state.records.first?.siteApproval == expected, "\(test)")
        }
    }

    @Test("The fix for an international domain is its ASCII form", arguments: ["", ":8443"])
    func internationalDomain(_ port: String) async throws {
        let bench = try await Bench(entries: ["webcredentials:xn--mnchen-3ya.example\(port)"])
        let error = await bench.functions.add(domain: "münchen.example\(port)", account: "ray", password: "secret")
        #expect(error?.fix == "Pass the domain in Punycode: xn--mnchen-3ya.example\(port)")
    }

    @Test("Once never was chosen, the next call fails with errSecDuplicateItem without a prompt")
    func never() async throws {
        let bench = try await Bench(answer: .never)
        #expect(await bench.functions.add(domain: Bench.host, account: "ray", password: "secret") == nil)
        let error = await bench.functions.add(domain: Bench.host, account: "ray", password: "secret")
        #expect(error?.name == "errSecDuplicateItem")
        #expect(bench.prompter.asked.count == 1)
    }

    @Test("After Not Now, the next call prompts again")
    func notNow() async throws {
        let bench = try await Bench(answer: .no)
        for _ in 0..<2 { #expect(await bench.functions.add(domain: Bench.host, account: "ray", password: "x") == nil) }
        #expect(bench.prompter.asked.map(\.kind) == [.save, .save])
    }

    @Test("Two concurrent calls run one after the other: the second finds the password of the first")
    func atOnce() async throws {
        let bench = try await Bench(answer: .yes)
        async let one = bench.functions.add(domain: Bench.host, account: "ray", password: "one")
        async let two = bench.functions.add(domain: Bench.host, account: "ray", password: "two")
        _ = await (one, two)
        #expect(bench.prompter.asked.map(\.kind) == [.save, .update])
        #expect(await bench.device.state.credentials.count == 1)
    }

    @Test(
        "A prompt names the account and the site, and never the password",
        arguments: [
            ("Save", [], "hunter2-hunter2"), ("Update", [.demo("ray", "old-hunter2")], "hunter2-hunter2"),
            ("Delete", [.demo("ray", "hunter2-hunter2")], nil),
        ] as [(String, [SharedCredential], String?)])
    func prompt(_ verb: String, _ saved: [SharedCredential], _ password: String?) async throws {
        let bench = try await Bench { $0.credentials = saved }
        _ = await bench.functions.add(domain: Bench.host, account: "ray", password: password)
        let prompt = try #require(bench.prompter.asked.first)
        #expect(prompt.app == bench.app)
        #expect(prompt.text == "\(verb) the password of \"ray\" at \(Bench.host) for \(bench.app)?")
        #expect(!"\(prompt)".contains("hunter2"))
    }

    @Test("No description of a saved password shows it")
    func secrecy() {
        let credential = SharedCredential.demo("ray", "hunter2")
        var dumped = ""
        dump(credential, to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), "\([credential])", dumped] {
            #expect(text.contains("ray") && !text.contains("hunter2"))
        }
    }
}
