import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import Testing

@testable import SharedWebCredentials

@Suite("AutoFill on the simulated device")
struct AutoFillTests {
    static let second = "second.test"
    static let two = ["webcredentials:\(Bench.host)", "webcredentials:\(second)"]

    struct Case: Sendable, CustomStringConvertible {
        let name: String
        var entries = two
        var answers: [String: [SiteResponse]] = [second: [.good]]
        var saved: [SharedCredential] = [.demo("ray"), .demo("vicki", server: second)]
        var autoFill = true
        var url = "https://\(Bench.host)/signin"
        let offers: [String]
        var related: [String] = []

        var description: String { name }
    }

    static let cases: [Case] = [
        .init(name: "its own items first, then those of the app's other site", offers: ["ray", "vicki by app"]),
        .init(
            name: "the other way round", url: "https://\(second)/", offers: ["vicki", "ray by app"]),
        .init(name: "no app", entries: [], offers: ["ray"]),
        .init(name: "an app without the other site", entries: ["webcredentials:\(Bench.host)"], offers: ["ray"]),
        .init(
            name: "links do not associate passwords", entries: ["webcredentials:\(Bench.host)", "applinks:\(second)"],
            offers: ["ray"]),
        .init(
            name: "an approval for links does not associate passwords",
            entries: ["webcredentials:\(Bench.host)", "applinks:\(second)"],
            answers: [
                second: [
                    .json(
                        #"""
                        {"applinks":{"details":[{"appIDs":["D3KQX62K1A.com.example.DemoApp"],
                        "components":[{"/":"*"}]}]}}
                        """#)
                ]
            ], offers: ["ray"]),
        .init(name: "the other site denies the app", answers: [second: [.missing]], offers: ["ray"]),
        .init(
            name: "its own site denies the app", answers: [Bench.host: [.missing], second: [.good]], offers: ["ray"]),
        .init(
            name: "a subdomain", saved: [.demo("ray", server: "www.\(Bench.host)")], offers: [],
            related: ["www.\(Bench.host)"]),
        .init(
            name: "another port of the page", saved: [.demo("ray")], url: "https://\(Bench.host):8443/", offers: [],
            related: [Bench.host]),
        .init(
            name: "another port of the item", saved: [.demo("ray", port: 8443)], offers: [],
            related: ["\(Bench.host):8443"]),
        .init(name: "the port 443", url: "https://\(Bench.host):443/", offers: ["ray", "vicki by app"]),
        .init(name: "AutoFill is off", autoFill: false, offers: []),
    ]

    @Test("A page gets the items of its host, and of sites that an app associates with it", arguments: cases)
    func offers(_ test: Case) async throws {
        let bench = try await Bench(entries: test.entries, answers: test.answers) { state in
            state.credentials = test.saved
            state.autoFill = test.autoFill
        }
        let url = try WebURL(test.url)
        let offers = await bench.device.offers(for: url).map { offer in
            offer.credential.account + (offer.app == bench.app ? " by app" : "")
        }
        #expect(offers == test.offers)
        if test.offers.isEmpty, test.autoFill { #expect(await bench.device.relatedHosts(of: url) == test.related) }
    }

    private func form(_ html: String) throws -> PageForm { try #require(PageForm.all(in: Array(html.utf8)).first) }

    private let page = "https://\(Bench.host)/"
    private let signIn =
        "<input name=u autocomplete=username><input name=p autocomplete=current-password><input name=x>"
    private let update = """
        <input name=o autocomplete=current-password><input name=n autocomplete=new-password \
        passwordrules="minlength: 30; allowed: digit"><input name=r autocomplete=new-password>
        """

    @Test("The picked item goes into the fields for the user name and the current password")
    func fillSignIn() async throws {
        let bench = try await Bench(answer: .choice(1)) { $0.credentials = [.demo("ray"), .demo("vicki", "hunter2")] }
        let filled = try await bench.device.fill(form(signIn), at: WebURL(page))
        #expect(filled.map { "\($0.field.name)=\($0.value)" } == ["u=vicki", "p=hunter2"])
        #expect(filled.allSatisfy { !$0.isGenerated })
        #expect(bench.prompter.asked.map { $0.choices.map(\.account) } == [["ray", "vicki"]])
    }

    @Test("Fields for a new password get the same generated one, which satisfies the rules and is not saved")
    func fillUpdate() async throws {
        let bench = try await Bench(answer: .yes) { $0.credentials = [.demo("ray")] }
        let form = try form(update)
        let filled = try await bench.device.fill(form, at: WebURL(page))
        #expect(filled.map(\.isGenerated) == [false, true, true])
        #expect(filled.first?.value == "secret" && filled[1].value == filled[2].value)
        #expect(try PasswordRules("minlength: 30; allowed: digit").isSatisfied(by: filled[1].value))
        #expect(await bench.device.state.credentials == [.demo("ray")])
        #expect(form.rulesFault == nil)
    }

    @Test("Rules of a field for another value do not count, and a page's own host is not related to it")
    func otherField() async throws {
        let bench = try await Bench { $0.credentials = [.demo("ray"), .demo("ray", port: 8443)] }
        let form = try form(
            """
            <input autocomplete=username passwordrules="minlength: 5; allowed: lower">\
            <input autocomplete=new-password passwordrules="minlength: 40; allowed: digit">
            """)
        let filled = try await bench.device.fill(form, at: WebURL(page))
        #expect(try PasswordRules("minlength: 40; allowed: digit").isSatisfied(by: filled[0].value))
        #expect(await bench.device.relatedHosts(of: try WebURL(page)) == ["\(Bench.host):8443"])
    }

    @Test("The first rules of a form count")
    func firstRules() async throws {
        let bench = try await Bench()
        let field = "<input autocomplete=new-password passwordrules="
        let form = try form("\(field)'minlength: 40; allowed: digit'>\(field)'minlength: 5; allowed: lower'>")
        let filled = try await bench.device.fill(form, at: WebURL(page))
        #expect(try PasswordRules("minlength: 40; allowed: digit").isSatisfied(by: filled[0].value))
    }

    @Test("Only one app can associate two sites, and an item that several apps associate is offered once")
    func twoApps() async throws {
        let other = try AppIdentifier("D3KQX62K1A.com.example.Other")
        let both = SiteResponse.json(
            #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp","\#(other)"]}}"#)
        let (one, second) = ([Self.two[0]], [Self.two[1]])
        let cases = [
            (Self.two, Self.two, ["ray", "vicki"]), (one, second, ["ray"]), (second, one, ["ray"]),
            (one, Self.two, ["ray", "vicki"]),
        ]
        for (entries, others, offered) in cases {
            let bench = try await Bench(entries: entries, answers: [Bench.host: [both], Self.second: [both]]) { state in
                state.credentials = [.demo("ray"), .demo("vicki", server: Self.second)]
            }
            try await bench.device.install(app: other, entries: others)
            let offers = await bench.device.offers(for: try WebURL(page))
            #expect(offers.map(\.credential.account) == offered, "\(entries), \(others)")
        }
    }

    @Test("A form to sign up gets no saved item and no prompt")
    func fillSignUp() async throws {
        let bench = try await Bench(answer: .yes) { $0.credentials = [.demo("ray")] }
        let html = "<input name=u autocomplete=username><input name=n autocomplete=new-password>"
        let filled = try await bench.device.fill(form(html), at: WebURL(page))
        #expect(filled.map(\.field.name) == ["n"])
        #expect(PasswordGeneratorTests.isWellFormed(filled[0].value))
        #expect(bench.prompter.asked.isEmpty)
    }

    @Test("Rules that only a strict reader refuses apply")
    func lenientRules() async throws {
        let bench = try await Bench()
        let form = try form("<input autocomplete=new-password passwordrules='maxlength: 9; required: [!£]'>")
        let filled = try await bench.device.fill(form, at: WebURL(page))
        #expect(filled[0].value == "!!!!!!!!!" && form.rulesFault == nil)
    }

    @Test(
        "Rules that are malformed or contradict each other are ignored",
        arguments: ["minlength: x", "minlength: 9; maxlength: 3"])
    func brokenRules(_ rules: String) async throws {
        let bench = try await Bench()
        let form = try form("<input autocomplete=new-password passwordrules=\"\(rules)\">")
        let filled = try await bench.device.fill(form, at: WebURL(page))
        #expect(PasswordGeneratorTests.isWellFormed(filled[0].value))
        #expect(form.rulesFault != nil)
    }

    @Test("AutoFill that is off, no item, and a cancelled picker are errors")
    func errors() async throws {
        let (form, url) = (try form(signIn), try WebURL(page))
        let bench = try await Bench { $0.credentials = [.demo("ray", port: 8443)] }
        await #expect(throws: ExplainedFailure.nothingToOffer(host: Bench.host, ["\(Bench.host):8443"])) {
            try await bench.device.fill(form, at: url)
        }
        await bench.device.setAutoFill(false)
        await #expect(throws: ExplainedFailure.autoFillOff) { try await bench.device.fill(form, at: url) }
        let cancelling = try await Bench(answer: .no) { $0.credentials = [.demo("ray")] }
        await #expect(throws: ExplainedFailure.nothingPicked) { try await cancelling.device.fill(form, at: url) }
    }
}
