import MotivatorPlatform
import Testing

@testable import SharedWebCredentials

@Suite("Predefined answers")
struct PromptPolicyTests {
    @Test(
        "An answer is parsed with its prompt",
        arguments: [
            ("save=yes", Prompt.Kind.save, PromptPolicy.Rule.yes), ("save=no", .save, .no),
            ("save=never", .save, .never),
            ("update=yes", .update, .yes), ("delete=no", .delete, .no), ("pick=yes", .pick, .yes),
            ("pick=ray", .pick, .account("ray")), ("pick=a=b", .pick, .account("a=b")),
            ("create-passkey=yes", .createPasskey, .yes), ("use-passkey=ray", .usePasskey, .account("ray")),
        ])
    func reading(_ text: String, _ kind: Prompt.Kind, _ rule: PromptPolicy.Rule) throws {
        var policy = PromptPolicy()
        try policy.add("\(kind.rawValue)=no")
        try policy.add(text)
        #expect(policy.rules == [kind: rule])
    }

    @Test(
        "Anything else is refused, and changes nothing",
        arguments: [
            ("save", "\"save\" has no equals sign between prompt and answer"),
            ("", "\"\" has no equals sign between prompt and answer"),
            ("=yes", "unknown prompt \"\""), ("Save=yes", "unknown prompt \"Save\""),
            ("save=ray", "\"ray\" is not a valid answer to the prompt save"),
            ("save=", "\"\" is not a valid answer to the prompt save"),
            ("pick=", "\"\" is not a valid answer to the prompt pick"),
            ("pick=never", "\"never\" is not a valid answer to the prompt pick"),
            ("update=never", "\"never\" is not a valid answer to the prompt update"),
            ("create-passkey=ray", "\"ray\" is not a valid answer to the prompt create-passkey"),
            ("use-passkey=never", "\"never\" is not a valid answer to the prompt use-passkey"),
            ("use-passkey=", "\"\" is not a valid answer to the prompt use-passkey"),
        ])
    func refusals(_ text: String, _ problem: String) {
        var policy = PromptPolicy()
        let error = #expect(throws: ExplainedFailure.self) { try policy.add(text) }
        #expect(policy == PromptPolicy())
        #expect(error?.problem == problem && error?.fix.isEmpty == false)
    }

    @Test("ask removes only the answer to its prompt")
    func asking() throws {
        var policy = PromptPolicy(.no, rules: [.save: .yes, .pick: .account("ray")])
        try policy.add("save=ask")
        #expect(policy == PromptPolicy(.no, rules: [.pick: .account("ray")]))
        #expect(policy.given(.save) == .no && policy.given(.pick) == .account("ray"))
        try policy.add("pick=ask")
        #expect(policy == PromptPolicy(.no))
    }

    static let choices = ["ray", "vicki", "ray"].map { Prompt.Choice(account: $0, server: Bench.host, port: nil) }

    @Test(
        "A rule gives the answer to the prompt",
        arguments: [
            (PromptPolicy.Rule.yes, Prompt.Kind.save, Prompt.Answer.yes), (.no, .pick, .no), (.never, .save, .never),
            (.never, .update, .no), (.account("vicki"), .pick, .choice(1)), (.account("ray"), .pick, .choice(0)),
            (.account("nobody"), .pick, .no), (.account("ray"), .save, .no),
            (.account("vicki"), .usePasskey, .choice(1)), (.account("ray"), .createPasskey, .no),
        ])
    func answers(_ rule: PromptPolicy.Rule, _ kind: Prompt.Kind, _ answer: Prompt.Answer) async {
        let prompt = Prompt(kind: kind, app: nil, choices: Self.choices)
        #expect(await PromptPolicy(rule).answer(prompt) == answer)
        #expect(await PromptPolicy(.no, rules: [kind: rule]).answer(prompt) == answer)
    }

    @Test("A device without a user uses the answers of its state, and answers no by default")
    func state() async throws {
        let network = ScriptedNetwork([Bench.host: [.good]])
        for (policy, count) in [(PromptPolicy(), 0), (PromptPolicy(.yes), 1)] {
            var state = DeviceState()
            state.prompts = policy
            let device = try SimulatedDevice(state: state, network: network)
            let app = try await Bench().app
            try await device.install(app: app, entries: ["webcredentials:\(Bench.host)"])
            #expect(await device.credentials(of: app).add(domain: Bench.host, account: "ray", password: "x") == nil)
            #expect(await device.state.credentials.count == count)
        }
    }

    static let documents: [(kind: Prompt.Kind, answer: Prompt.Answer, written: String)] = [
        (.save, .yes, #""yes""#), (.save, .no, #""no""#), (.save, .never, #""never""#), (.save, .choice(0), #""no""#),
        (.update, .yes, #""yes""#), (.update, .never, #""no""#), (.delete, .yes, #""yes""#),
        (.pick, .yes, #"{"account":"ray","server":"\#(Bench.host)"}"#),
        (.pick, .choice(1), #"{"account":"no","server":"\#(Bench.host)","port":8443}"#),
        (.pick, .choice(2), #""no""#), (.pick, .no, #""no""#), (.pick, .never, #""no""#),
        (.createPasskey, .yes, #""yes""#), (.usePasskey, .yes, #"{"account":"ray","server":"\#(Bench.host)"}"#),
    ]

    @Test("A prompt as JSON has its kind, text, choices and answer", arguments: documents)
    func json(_ kind: Prompt.Kind, _ answer: Prompt.Answer, _ written: String) {
        let choices = [SharedCredential.demo("ray"), .demo("no", port: 8443)].map(Prompt.Choice.init)
        let prompt = Prompt(kind: kind, app: nil, choices: choices)
        let text = String(decoding: prompt.json(answer).bytes(), as: UTF8.self).filter { !$0.isWhitespace }
        #expect(text.hasPrefix(#"{"kind":"\#(kind.rawValue)","text":""#))
        #expect(text.contains(#","choices":[{"account":"ray","server":"\#(Bench.host)"},{"account":"no""#))
        #expect(text.hasSuffix(#","answer":\#(written)}"#), "\(text)")
    }
}
